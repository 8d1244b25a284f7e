import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { actionPath } from '#fairway/shared/paths'
import { sessionOf } from '../support/http'
import { confirmAddress, insertNotes, noteTitle, query } from '../support/query'
import { startReceiver } from '../support/webhook-receiver'
import { count, fill, find, heading, openSignedIn, press, shows, texts } from './page'
import { screen, startSignedIn, waitFor, within } from './support'

const { keyboard } = userEvent
const isAt = (path: string) => waitFor(() => expect(window.location.pathname).toBe(path))
const search = () => screen.findByPlaceholderText('Search pages and actions')
const hasFocus = (field: () => Promise<HTMLElement>) =>
  waitFor(async () => expect(document.activeElement).toBe(await field()))

test('a two-key shortcut opens a page', async () => {
  await openSignedIn('/')
  for (const [keys, title] of [
    ['gn', 'Notes'],
    ['gt', 'Members'],
    ['go', 'Tools'],
    ['gs', 'Profile'],
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
  await hasFocus(search)
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
  const field = await find('searchbox')
  await userEvent.type(field, 'gt?c/')
  expect(field).toHaveProperty('value', 'gt?c/')
  expect(count('dialog')).toBe(0)
  await fill(undefined, '', 'searchbox')
  field.blur()
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
  await search()
})

const openPalette = () => userEvent.keyboard('{Control>}k{/Control}')

async function searchFor(words: string): Promise<void> {
  const field = await search()
  await userEvent.clear(field)
  await userEvent.type(field, words)
}

async function openAction(name: string, title: string): Promise<void> {
  await openPalette()
  await searchFor(name)
  await waitFor(() => expect(texts('option')[0]).toContain(title))
  await userEvent.keyboard('{Enter}')
  await find('button', title)
}

test('the command palette runs an action, marks invalid fields, and shows the result and the equivalent API and CLI calls', async () => {
  const { server } = await openSignedIn('/notes')
  await shows('No notes yet')
  await openAction('create-note', 'Create a note')
  await press('Create a note')
  const title = await find('textbox', 'Title')
  await waitFor(() => expect(title.getAttribute('aria-invalid')).toBe('true'))
  await screen.findByRole('textbox', { name: 'Title', description: /\w/ })
  await fill('Title', 'From the palette')
  expect(document.body.textContent).not.toContain('create-note')
  await press('Call from code')
  await shows(`${server.origin}/_fw/actions/create-note`)
  await press('Command line', 'tab')
  await shows(`npx fw action create-note --title='From the palette'`)
  await userEvent.type(title, '{Enter}')
  await shows(/Title\s*From the palette/, () => find('region', 'Result'))
  await userEvent.keyboard('{Escape}')
  await find('heading', 'From the palette')
})

test('the command palette finds notes and people, highlights the matches and announces their number', async () => {
  const { browser, open } = await startSignedIn()
  await browser.post(actionPath('create-note'), { json: { title: 'Harbour plan', text: 'Cranes and boats' } })
  await browser.post(actionPath('create-note'), { json: { title: 'Menu', text: 'Soup' } })
  await open('/')
  await openPalette()
  await searchFor('cranes')
  expect((await find('option', /Harbour plan/)).querySelector('mark')?.textContent).toBe('Cranes')
  const statuses = () => screen.getAllByRole('status').map(each => each.textContent)
  await waitFor(() => expect(statuses().join()).toContain('1 result'))
  await searchFor('ada@')
  await find('option', /Ada/)
  await searchFor('zebra')
  await shows('No results for “zebra”')
  await searchFor('harbour')
  await press(/Harbour plan/, 'option')
  await waitFor(() => expect(window.location.pathname).toMatch(/^\/notes\/[\w-]+$/))
})

test('the command palette acts on the note whose page is open', async () => {
  const { browser, server, open } = await startSignedIn()
  const created = await browser.post(actionPath('create-note'), { json: { title: 'Harbour plan' } })
  const { result } = await created.json()
  await open(`/notes/${result.note.id}`)
  await openPalette()
  const group = await find('group', 'Harbour plan')
  await press('Archive a note', 'option', group)
  const field = await find('combobox', 'Note')
  await waitFor(() => expect(field).toHaveProperty('value', 'Harbour plan'))
  await press('Archive a note')
  await find('region', 'Result')
  expect(await query(server, 'select archived from notes')).toEqual([{ archived: 1 }])
})

test('the command palette requests data after a pause in typing, not for each letter', async () => {
  const { requests } = await openSignedIn('/tools')
  await openPalette()
  await find('option', 'Create a note')
  await searchFor('harbour')
  await shows('No results for “harbour”')
  const asked = requests.filter(each => each.includes('/note-list'))
  expect(asked.at(-1)).toContain('content=harbour')
  expect(asked.length).toBeLessThan('harbour'.length - 1)
})

test('the command palette remembers recent entries and clears them on sign-out', async () => {
  const { left } = await openSignedIn('/')
  await openAction('list-notes', 'List my notes')
  await userEvent.keyboard('{Escape}')
  await openPalette()
  await searchFor('tools')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(heading()).toBe('Tools'))
  await openPalette()
  const recent = await find('group', 'Recent')
  await waitFor(() => expect(texts('option', recent)).toEqual([expect.stringMatching('Tools'), 'List my notes']))
  await searchFor('sign out')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(left[0]).toMatch(/^\/sign-in/))
  expect(localStorage.getItem('fairway-recents')).toBeNull()
})

/** The page of a dialog, the button that opens it, and the role and name of the element that then has the focus. */
const DIALOGS = [
  ['/notes', 'Share “Harbour plan”', 'combobox', 'Member or team'],
  ['/team', 'Invite people', 'textbox', 'Email addresses'],
  ['/team/roles', 'Assign role', 'combobox', 'Member'],
  ['/team/teams', 'New team', 'textbox', 'Name'],
  ['/team/danger', 'Transfer', 'combobox', 'New owner'],
  ['/team/webhooks', 'Add webhook', 'textbox', 'URL'],
  ['/connections', 'Add a credential', 'textbox', 'Name'],
  ['/settings/apps', 'Create a token', 'textbox', 'Name'],
] as const

async function openByKey(name: string): Promise<void> {
  const [button] = await screen.findAllByRole('button', { name })
  button?.focus()
  await userEvent.keyboard('{Enter}')
}

test('a dialog focuses its first field, and Enter does not close it', async () => {
  const { open, browser } = await startSignedIn()
  await browser.post(actionPath('create-note'), { json: { title: 'Harbour plan' } })
  for (const [path, button, role, name] of DIALOGS) {
    await open(path)
    await openByKey(button)
    const dialog = await find('dialog')
    const hasFocus = () => expect(document.activeElement, path).toBe(within(dialog).queryAllByRole(role, { name })[0])
    await waitFor(hasFocus)
    await userEvent.keyboard('{Enter}')
    expect(count('dialog')).toBe(1)
  }
})

test('a dialog without fields takes the focus itself, and Enter does not close it', async () => {
  await openSignedIn('/settings/apps')
  await openByKey('Create a token')
  await waitFor(async () => expect(document.activeElement).toBe(await find('textbox', 'Name')))
  await userEvent.keyboard('Backup script{Enter}')
  await shows('Your new token', () => find('dialog'))
  await waitFor(async () => expect(document.activeElement).toBe(await find('dialog')))
  await userEvent.keyboard('{Enter}{Enter}')
  await shows('Your new token', () => find('dialog'))
})

test('a webhook is paused, gets a new secret and is deleted, with the keyboard', async () => {
  const receiver = await startReceiver()
  const env = { FW_WEBHOOK_ORIGINS: receiver.origin, FW_OPERATORS: 'ada@example.test' }
  const { server, browser, person, open } = await startSignedIn({ env })
  await confirmAddress(server, person.email)
  await browser.post('/_fw/webhooks', { json: { url: `${receiver.origin}/hook`, types: ['*'] } })
  await open('/team/webhooks')
  const enter = async (role: string, name: string) => {
    ;(await find(role, name)).focus()
    await keyboard('{Enter}')
  }
  const { host } = new URL(receiver.origin)
  const openMenu = () => enter('button', `Actions for ${host}`)
  await openMenu()
  await enter('menuitem', 'Pause')
  await shows('Paused')
  await openMenu()
  await enter('menuitem', 'Rotate secret')
  await press('Rotate')
  await shows(/whsec_/)
  await press('I have saved it')
  await enter('button', `Details of ${host}`)
  await shows('The old secret stops signing')
  await press('Close', 'button', await find('dialog', host))
  await openMenu()
  await enter('menuitem', 'Delete')
  await press('Delete', 'button', await find('dialog'))
  await find('heading', 'No webhooks yet')
  await receiver.stop()
})

test('the rows of a table are one tab stop, in which arrow keys move', async () => {
  const { open, server, browser, person } = await openSignedIn('/')
  await sessionOf(browser)
  await insertNotes(server, person.email, 3)
  await open('/notes')
  const table = await find('table', 'Notes')
  const first = await find('link', noteTitle(3), table)
  await waitFor(() => expect(within(table).getAllByRole('row')).toHaveLength(4))
  const stops = () =>
    [...table.querySelectorAll<HTMLElement>('tbody :is(a, button, input)')].filter(each => each.tabIndex >= 0)
  await waitFor(() => expect(stops()).toEqual([first]))
  first.focus()
  await keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(await find('link', noteTitle(2), table))
  await keyboard('{ArrowLeft}{ArrowLeft}')
  expect(document.activeElement).toBe(await find('checkbox', `Select “${noteTitle(2)}”`, table))
  await keyboard('{ArrowDown}{ArrowDown}{ArrowUp}')
  expect(document.activeElement).toBe(await find('checkbox', `Select “${noteTitle(2)}”`, table))
  expect(stops()).toEqual([document.activeElement])
  await keyboard('{End}')
  const last = document.activeElement
  expect(last?.closest('td')).toBe(last?.closest('tr')?.lastElementChild)
  expect(last?.closest('tr')?.textContent).toContain(noteTitle(2))
})
