import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { count, fill, find, heading, openSignedIn, press, shows } from './page'
import { screen, waitFor } from './support'

const { keyboard } = userEvent
const isAt = (path: string) => waitFor(() => expect(window.location.pathname).toBe(path))
const palette = () => screen.findByPlaceholderText('Search pages and actions')
const hasFocus = (field: () => Promise<HTMLElement>) =>
  waitFor(async () => expect(document.activeElement).toBe(await field()))

test('a two-key shortcut opens a page', async () => {
  await openSignedIn('/')
  for (const [keys, title] of [
    ['gn', 'Notes'],
    ['gt', 'Team'],
    ['go', 'Tools'],
    ['gs', 'Settings'],
  ] as const) {
    await keyboard(keys)
    await waitFor(() => expect(heading()).toBe(title))
  }
})

test('one key focuses the page’s search, or the command palette on a page without search', async () => {
  const { open } = await openSignedIn('/notes')
  await find('searchbox')
  await keyboard('/')
  await hasFocus(() => find('searchbox'))
  expect(await find('searchbox')).toHaveProperty('value', '')
  await open('/settings')
  await keyboard('/')
  await hasFocus(palette)
})

test('one key creates the page’s main item, which the command palette also offers', async () => {
  const { open } = await openSignedIn('/notes')
  await keyboard('c')
  await isAt('/notes/new')
  await open('/notes')
  await keyboard('{Control>}k{/Control}')
  await find('option', 'New note')
  await keyboard('{Escape}')
  await open('/settings')
  await keyboard('c')
  await isAt('/settings')
})

test('shortcuts do nothing while typing, with a modifier key or behind a dialog', async () => {
  await openSignedIn('/notes')
  const search = await find('searchbox')
  await userEvent.type(search, 'gt?c/')
  expect(search).toHaveProperty('value', 'gt?c/')
  expect(count('dialog')).toBe(0)
  await fill(undefined, '', 'searchbox')
  search.blur()
  await keyboard('{Alt>}c{/Alt}')
  expect(count('dialog')).toBe(0)
  await keyboard('?')
  await find('dialog', 'Keyboard shortcuts')
  await keyboard('gt')
  await isAt('/notes')
})

test('the shortcut list shows all groups and opens from the account menu', async () => {
  await openSignedIn('/notes')
  await press(/^Account/)
  await press('Keyboard shortcuts', 'menuitem')
  const dialog = await find('dialog', 'Keyboard shortcuts')
  for (const name of ['General', 'On this page', 'Go to']) await find('heading', name, dialog)
  await shows(/New note ?c/, () => dialog)
})

test('shortcuts can be turned off on this device in the settings', async () => {
  const { open } = await openSignedIn('/settings/appearance')
  await press('Off', 'radio', await find('group', 'Keyboard shortcuts'))
  await open('/notes')
  await keyboard('?')
  await keyboard('c')
  expect(count('dialog')).toBe(0)
  await isAt('/notes')
  await keyboard('{Control>}k{/Control}')
  await palette()
})
