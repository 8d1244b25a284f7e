// The states of the tools page, the command palette and the shortcuts, for scripts/screenshots.mjs.
import { answer, button, inOrder as then, stall, text } from './screenshot-steps.mjs'

const CATALOG = '**/_fw/mcp/catalog'

const openPalette = async page => {
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: /^Create a note/ }).waitFor()
}
const openAction = name => async page => {
  await openPalette(page)
  await page.getByRole('option', { name }).click()
  await page.getByRole('button', { name, exact: true }).waitFor()
}

const chooseNote = async page => {
  await page.getByRole('button', { name: 'Try delete-note' }).click()
  await page.getByRole('combobox', { name: 'Note' }).click()
  await page.getByRole('option', { name: /^Groceries/ }).waitFor()
}

/** States of an organization that has notes. */
export const tools = [
  { name: 'tools', path: '/tools', reach: text('create-note'), isWhole: true },
  { name: 'tools-loading', path: '/tools', prepare: stall(CATALOG), reach: text('Loading the tools') },
  { name: 'tools-failed', path: '/tools', prepare: answer(CATALOG, 500), reach: text('could not be loaded') },
  {
    name: 'tools-not-found',
    path: '/tools',
    reach: then(page => page.getByRole('searchbox').fill('zebra'), text('No results for')),
  },
  { name: 'tool', path: '/tools/list-notes', reach: text('Everyone who is signed in'), isWhole: true },
  { name: 'tool-unknown', path: '/tools/nothing-like-it', reach: text('There is no tool named') },
  {
    name: 'tool-result',
    path: '/tools/list-notes',
    reach: then(button('Try list-notes'), button('List my notes'), text('Total items')),
    isWhole: true,
  },
  { name: 'tool-picker', path: '/tools/delete-note', reach: chooseNote },
  {
    name: 'tool-question',
    path: '/tools/delete-note',
    reach: then(
      chooseNote,
      page => page.getByRole('option', { name: /^Groceries/ }).click(),
      button('Delete a note'),
      page => page.getByRole('dialog').waitFor(),
    ),
  },
  {
    name: 'tool-permission',
    path: '/tools/purge-archive',
    reach: text('Who has this permission'),
  },
  {
    name: 'shortcuts',
    path: '/notes',
    reach: then(
      page => page.keyboard.press('?'),
      page => page.getByRole('dialog').waitFor(),
    ),
  },
  { name: 'palette', path: '/', reach: openPalette },
  { name: 'palette-action', path: '/', reach: openAction('List my notes') },
  {
    name: 'palette-result',
    path: '/',
    reach: then(openAction('List my notes'), button('List my notes'), text('Total items')),
  },
  {
    name: 'palette-found',
    path: '/',
    reach: then(
      openPalette,
      page => page.getByPlaceholder('Search pages and actions').fill('RFC'),
      text('Reading list'),
    ),
  },
  {
    name: 'palette-nothing',
    path: '/',
    reach: then(
      openPalette,
      page => page.getByPlaceholder('Search pages and actions').fill('zebra'),
      text('No results for'),
    ),
  },
]
