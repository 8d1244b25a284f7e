import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { MCP_CATALOG_PATH } from '#fairway/shared/paths'
import { query } from '../support/query'
import { addMember } from '../support/team'
import { count, fill, find, openSignedIn, press, shows } from './page'
import { screen, startSignedIn, waitFor, within } from './support'

const list = () => find('navigation', 'Tools')
const entry = async (name: string) => (await within(await list()).findByText(name)).closest('a')!
const detail = () => screen.findByRole('article')
const path = () => window.location.pathname

const openTools = (at = '/tools') => openSignedIn(at)
test('tools are listed by folder with their effect, platform tools last', async () => {
  await openTools()
  await shows('Makes changes', () => entry('create-note'))
  await shows('Read-only', () => entry('list-notes'))
  await shows('Destructive', () => entry('delete-note'))
  await shows('Archive several notes', () => entry('archive-notes'))
  const folders = within(await list()).getAllByRole('heading')
  expect(folders.map(each => each.textContent)).toEqual(['General', 'Lists', 'Notes', 'Team (platform)'])
  await find('heading', 'Resources')
})

test('tools have URLs, stay beside the list, and state who can call them', async () => {
  const { open } = await openTools()
  await userEvent.click(await entry('create-note'))
  await shows('Everyone who is signed in.', detail)
  expect(path()).toBe('/tools/create-note')
  await shows('mcp:write', detail)
  expect((await entry('create-note')).getAttribute('aria-current')).toBe('page')
  await shows(/title ?string, required ?One line that names the note\..*?At most \d+ characters/, detail)
  for (const [name, sentence] of [
    ['invite-member', 'Only owners and admins of the organization.'],
    ['change-member-role', 'Only owners and admins of the organization.'],
    [
      'purge-archive',
      'Only owners, admins and people with this permission: Delete the organization’s archive for good.',
    ],
    ['list-members', 'Everyone who is signed in.'],
  ] as const) {
    await userEvent.click(await entry(name))
    await shows(name, detail)
    await shows(sentence, detail)
  }
  await open('/tools/nothing-like-it')
  await shows('There is no tool named “nothing-like-it”')
})

test('tools can be searched and browsed with the keyboard', async () => {
  await openTools()
  await fill('Search tools', 'share a note', 'searchbox')
  await screen.findByText(/^\d tools?$/)
  const [first, second] = within(await list()).getAllByRole('link')
  await userEvent.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(first)
  await userEvent.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(second)
  await fill('Search tools', 'create-note', 'searchbox')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(path()).toBe('/tools/create-note'))
  await fill('Search tools', 'zebra', 'searchbox')
  await shows('No results for “zebra”')
  await press('Clear search')
  await entry('create-note')
})

test('tools run on their page and show the result as words and as JSON', async () => {
  const { server } = await openTools('/tools/create-note')
  await press('Try create-note')
  await fill('Title', 'Made here')
  await press('Create a note')
  const result = () => find('region', 'Result')
  await shows(/Owner email.*Made here|Made here.*Owner email/, result)
  await press('JSON')
  await shows('"title": "Made here"', result)
  expect(await query(server, 'select title from notes')).toEqual([{ title: 'Made here' }])
})

test('tools accept a row by its name or a typed id and confirm before deleting it', async () => {
  const { browser, server } = await openTools('/tools/delete-note')
  for (const title of ['Doomed', 'Spared']) await browser.post('/_fw/actions/create-note', { json: { title } })
  await press('Try delete-note')
  await fill('Note', 'doom', 'combobox')
  await press(/^Doomed/, 'option')
  await press('Delete a note')
  const dialog = await find('dialog', 'Delete a note?')
  await shows(/NoteDoomed/, () => dialog)
  await fill(/Doomed/, 'Doomed', 'textbox', dialog)
  await press('Delete a note', 'button', dialog)
  await find('region', 'Result')
  expect(await query(server, 'select title from notes')).toEqual([{ title: 'Spared' }])
  await fill('Note', 'no-such-id', 'combobox')
  await press(/no-such-id/, 'option')
  await press('Command line', 'tab')
  await shows('npx fw action delete-note --id=no-such-id')
})

test('refused tools explain the failure and who has access', async () => {
  const { server, browser, become, open } = await startSignedIn()
  become(await addMember(server, browser, 'Grace'))
  await open('/tools/purge-archive')
  await press('Try purge-archive')
  await press('Empty the organization’s archive')
  await shows('The dry run failed. Nothing has changed.', () => find('alert'))
  expect((await find('alert')).textContent).not.toContain('forbidden')
  await shows('Access: Only owners, admins and people with this permission')
})

test('tools report a field error in the language of the page', async () => {
  const { open } = await startSignedIn()
  localStorage.setItem('fairway-language', 'de')
  await open('/tools/create-note')
  await press('create-note ausprobieren')
  await fill('Titel', 'x'.repeat(201))
  await press('Notiz erstellen')
  await screen.findByRole('textbox', { name: 'Titel', description: /Verwenden Sie höchstens 200 Zeichen\./ })
})

test('tools with a dry run show its result before the confirmation', async () => {
  await openTools('/tools/purge-archive')
  await press('Try purge-archive')
  await press('Empty the organization’s archive')
  const dialog = await find('dialog', 'Empty the organization’s archive?')
  await shows(/Result of the dry run:.*Deleted.*No/, () => dialog)
  await fill(/^Type /, 'Empty the organization’s archive', 'textbox', dialog)
  await press('Empty the organization’s archive', 'button', dialog)
  await shows(/Deleted.*Yes/, () => find('region', 'Result'))
})

test('tools show the equivalent HTTP, MCP and composable calls', async () => {
  const { server } = await openTools('/tools/list-notes')
  await shows(`${server.origin}/_fw/actions/list-notes`)
  await shows('Authorization: Bearer $FW_TOKEN')
  await press('MCP', 'tab')
  await shows('"method": "tools/call"')
  await shows(`${server.origin}/mcp`)
  await press('Composable', 'tab')
  await shows(`useAction('list-notes')`)
})

test('the tools page reports a loading failure and an empty list', async () => {
  const { open, intercept } = await startSignedIn()
  const heal = intercept(new RegExp(MCP_CATALOG_PATH), () => new Response('busy', { status: 503 }))
  await open('/tools')
  await shows('The tools could not be loaded.')
  heal()
  intercept(new RegExp(MCP_CATALOG_PATH), () => Response.json({ tools: [], resources: [], prompts: [] }))
  await press('Try again')
  await shows('No tools yet')
  expect(count('button', 'Try again')).toBe(0)
})
