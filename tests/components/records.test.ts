import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { actionPath, ORG_PATH } from '#fairway/shared/paths'
import { addMember } from '../support/team'
import { count, find, heading, press, shows, texts } from './page'
import { screen, startSignedIn, waitFor, within } from './support'

// A rule that requires Google would lock the owner out. Setting it therefore requires a confirmation.
const env = { GOOGLE_CLIENT_ID: 'records', GOOGLE_CLIENT_SECRET: 'of tests' }

test('/audit lists actions as sentences, with filters in the URL, details and a CSV export', async () => {
  const { browser, open } = await startSignedIn({ env })
  await browser.request(`${ORG_PATH}/auth-provider`, { method: 'PUT', json: { provider: 'google' } })
  await browser.post(actionPath('create-note'), { json: { title: 'Weekly metrics', text: '' } })
  await open('/team')
  const sections = await screen.findByRole('navigation', { name: 'Team' })
  await press('Audit log', 'link', sections)
  await waitFor(() => expect(heading()).toBe('Audit log'))
  const rows = async () => texts('row', await find('region', 'Audit log')).slice(1)
  const hasRows = (n: number) => waitFor(async () => expect(await rows()).toHaveLength(n))
  await hasRows(2)
  expect(await rows()).toEqual([
    expect.stringContaining('Ada created Weekly metrics'),
    expect.stringMatching(/Ada was asked to confirm Change the sign-in policy.*Asked to confirm/s),
  ])

  const ownDirection = (selector: string) => document.querySelector(`tbody ${selector}[dir=auto]`)?.textContent
  expect([ownDirection('p'), ownDirection('td')]).toEqual([
    'Ada created Weekly metrics',
    expect.stringContaining('Browser'),
  ])

  const search = await find('searchbox', 'Search actions, titles and addresses')
  await userEvent.type(search, 'create note')
  await hasRows(1)
  expect(window.location.search).toBe('?search=create+note')
  await press('Clear filters')
  await hasRows(2)
  expect(search).toHaveProperty('value', '')
  await userEvent.selectOptions(await find('combobox', 'Outcome'), 'Asked to confirm')
  await hasRows(1)
  expect(window.location.search).toContain('outcome=asked')
  await open(window.location.pathname + window.location.search)
  await hasRows(1)

  await open('/audit?range=custom&until=2020-01-01')
  await find('heading', 'No entries match these filters')
  await userEvent.click(screen.getAllByRole('button', { name: 'Clear filters' }).at(-1)!)
  await hasRows(2)

  await press('Show details: Ada created Weekly metrics')
  const details = await find('dialog', 'Ada created Weekly metrics')
  await shows('ActionCreate a note', () => details)
  await shows('Network address127.0.0.1', () => details)
  await find('button', 'Copy the request ID', details)
  await press('Close', 'button', details)
  await waitFor(() => expect(count('dialog')).toBe(0))
  await press('Export')
  const file = await browser.get((await find('menuitem', 'Export CSV')).getAttribute('href') ?? '')
  expect(file.headers.get('content-disposition')).toContain('audit-log.csv')
  const lines = (await file.text()).trimEnd().split('\r\n')
  // The log contains the export too.
  expect(lines.map(line => line.split(',')[1])).toEqual([
    'action',
    'set-auth-provider',
    'create-note',
    'export-audit-log',
  ])
})

test('/audit shows the old and the new values of a change in the details', async () => {
  const { browser, open } = await startSignedIn()
  await browser.request(ORG_PATH, { method: 'PATCH', json: { name: 'Northwind' } })
  await browser.request(ORG_PATH, { method: 'PATCH', json: { agentsReadOnly: true } })
  await open('/audit')
  await press('Show details: Ada changed the organization’s settings')
  const details = await find('dialog', 'Ada changed the organization’s settings')
  await shows("ChangesName: \u{2068}Ada's organization\u{2069} → \u{2068}Northwind\u{2069}", () => details)
  await press('Close', 'button', details)
  await press('Show details: Ada made connected apps read-only')
  const flag = await find('dialog', 'Ada made connected apps read-only')
  await shows('Connected apps are read-only: \u{2068}No\u{2069} → \u{2068}Yes\u{2069}', () => flag)
})

test('/audit tells a member who can grant access and is hidden from their navigation', async () => {
  const { server, browser, open, become } = await startSignedIn()
  become(await addMember(server, browser, 'Grace'))
  await open('/audit')
  await find('heading', 'Only owners and admins can view the audit log')
  await shows('ada@example.test', () => find('list', 'Owners and admins'))
  expect(count('link', 'Audit log')).toBe(0)
})

test('/audit undoes an entry after it has said what would be undone', async () => {
  const { browser, open } = await startSignedIn()
  const created = await browser.post(actionPath('create-note'), { json: { title: 'Weekly metrics' } })
  const { id } = (await created.json()).result.note
  await browser.post(actionPath('archive-note'), { json: { id } })
  const isArchived = async () =>
    (await (await browser.post(actionPath('get-note'), { json: { id } })).json()).result.note.archived
  const review = async (sentence: RegExp) => {
    await open('/audit')
    await press(sentence)
    await press('Undo')
    return find('dialog', 'Undo this?')
  }
  const first = await review(/archived Weekly metrics/)
  await shows('1 change can be undone.', () => first)
  await press('Undo', 'button', first)
  await shows('1 change was undone.')
  expect(await isArchived()).toBe(false)

  // The undone call itself can be undone, unless the note has changed in the meantime.
  await browser.post(actionPath('update-note'), { json: { id, title: 'Other metrics' } })
  const dialog = await review(/restored Other metrics/)
  await shows('It has changed since then.', () => dialog)
  expect(within(dialog).getByRole('button', { name: 'Undo' })).toHaveProperty('disabled', true)
})
