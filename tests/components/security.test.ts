import { execFileSync } from 'node:child_process'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { SESSIONS_PATH } from '#fairway/shared/paths'
import { IS_PUBLISHED } from '../../layers/fairway/shared/package'
import { createBrowser, sessionOf, userAgents } from '../support/http'
import { aPerson } from '../support/people'
import { ageSessions, confirmAddress, query } from '../support/query'
import { find, press } from './page'
import { expectNoViolations, type OpenedApp, screen, startSignedIn, waitFor, within } from './support'

const { email, password } = aPerson()
const providers = [{ id: 'corp', name: 'Corp', issuer: 'https://corp.test', clientId: 'c', clientSecret: 's' }]
const env = { FW_OPERATORS: email, FW_OIDC_PROVIDERS: JSON.stringify(providers) }

const devices = () => find('region', 'Devices').then(section => within(section).findAllByRole('listitem'))
/** Waits until the element's text matches. */
const shows = (element: HTMLElement, text: RegExp) => waitFor(() => expect(element.textContent).toMatch(text))

/** Signs the same person in on another device. */
async function elsewhere({ server: { origin } }: OpenedApp, userAgent: string) {
  const browser = createBrowser(origin)
  await browser.post('/_fw/auth/sign-in/email', { json: { email, password }, headers: { 'user-agent': userAgent } })
  return browser
}

test('an API token is created, shown once with its command, and revoked', async () => {
  const { open, user } = await startSignedIn()
  await open('/settings/apps')
  const tokens = await find('region', 'API tokens')
  await shows(tokens, /No API tokens yet\./)
  await press('Create a token', 'button', tokens)
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).getByRole('button', { name: 'Create token' })).toHaveProperty('disabled', true)
  await press('Read and write', 'radio', dialog)
  await press('7 days', 'radio', dialog)
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'Backup script')
  await expectNoViolations(dialog)
  await user.keyboard('{Enter}')
  const made = await screen.findByRole('dialog', { name: 'Your new token' })
  expect(made.textContent).toMatch(/fwp_[\w-]{43}/)
  const end = /fwp_[\w-]{39}([\w-]{4})/.exec(made.textContent)?.[1]
  await waitFor(() =>
    expect(within(tokens).getByRole('row', { name: /Backup script/, hidden: true }).textContent).toMatch(
      new RegExp(`Backup script…${end}Ada's organization.*Create, edit and delete on your behalf.*Not used yet`, 's'),
    ),
  )
  // The test runs the command that the page shows: curl, or the package once it is on npm. This copy stands in for npm's.
  const shown = String(within(made).getByText(IS_PUBLISHED ? /^FW_TOKEN=/ : /^curl /).textContent)
  const command = shown.replace('curl ', 'curl -s ').replace('npx nuxt-fairway', 'node layers/fairway/cli/fw.mjs')
  expect(execFileSync('sh', ['-c', command]).toString()).toMatch(/"members":\s*\[\s*\{[^}]*"name":\s*"Ada"/)
  await expectNoViolations(made)
  await press('I have saved it')
  expect(screen.queryByText(/fwp_/)).toBeNull()
  await press('Actions for Backup script', 'button', tokens)
  await press('Revoke', 'menuitem')
  await press('Revoke now', 'button', await find('dialog', 'Revoke Backup script?'))
  await screen.findByText('Backup script has been revoked.')
  await shows(tokens, /No API tokens yet\./)
})

test('API tokens are searched without case and marks', async () => {
  const { browser, open, user } = await startSignedIn()
  for (const name of ['Renées laptop', ...Array.from({ length: 7 }, (_, n) => `Script ${n}`)])
    await browser.post('/_fw/tokens', { json: { name, scopes: ['mcp:read'], expiresInDays: 7 } })
  await open('/settings/apps')
  const tokens = await find('region', 'API tokens')
  await user.type(await within(tokens).findByRole('searchbox', { name: 'Search by name' }), 'RENEES')
  await waitFor(() => expect(within(tokens).getAllByRole('row')).toHaveLength(2))
  await shows(tokens, /Renées laptop/)
})

test('an API token is created once the person is confirmed in the dialog, and the typed name stays', async () => {
  const { server, open, user } = await startSignedIn()
  await ageSessions(server)
  await open('/settings/apps')
  await press('Create a token')
  const dialog = await screen.findByRole('dialog')
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'Backup script')
  await press('Create token', 'button', dialog)
  const alert = await within(dialog).findByRole('alert')
  await shows(alert, /You signed in more than 15 minutes ago\./)
  const other = within(alert).getByRole<HTMLAnchorElement>('link', { name: 'Another way' })
  expect([other.target, new URL(other.href).searchParams.get('again')]).toEqual(['_blank', '1'])
  await user.type(await within(alert).findByLabelText('Your password'), password)
  await press('Confirm', 'button', alert)
  await press('I have saved it')
  await shows(await find('region', 'API tokens'), /Backup script/)
})

test('linked accounts are listed and can be unlinked, except the last sign-in method', async () => {
  const { server, open } = await startSignedIn({ env })
  await query(
    server,
    `insert into accounts (id, user_id, account_id, provider_id, provider_email, created_at, updated_at)
      select 'a', id, 'x', 'corp', 'ada@corp.test', 1700000000000, 1700000000000 from users`,
  )
  const [row] = await query(server, "select password from accounts where provider_id = 'credential'")
  await query(server, "update accounts set password = null where provider_id = 'credential'")
  await open('/settings/security')
  const linked = await find('region', 'Linked accounts')
  await shows(linked, /Corp.*ada@corp\.test.*Linked.*Not used yet/s)
  await shows(await find('region', 'Password'), /Your account has no password\./)
  await press('Unlink Corp', 'button', linked)
  const dialog = await screen.findByRole('dialog')
  await press('Unlink', 'button', dialog)
  await shows(dialog, /This is your last sign-in method\./)
  await query(server, "update accounts set password = ? where provider_id = 'credential'", [String(row?.password)])
  await press('Unlink', 'button', dialog)
  await screen.findByText('Corp has been unlinked.')
  await shows(linked, /No linked accounts yet\./)
  await within(linked).findByRole('button', { name: 'Link Corp' })
  await expectNoViolations(linked)
})

test('security settings show the result of linking an account once', async () => {
  const { open } = await startSignedIn({ env })
  await open('/settings/security?link-failed=provider-account-mismatch')
  await screen.findByText('This account or its address belongs to another person here.')
  await waitFor(() => expect(window.location.search).toBe(''))
  await open('/settings/security?linked=corp')
  await screen.findByText('Corp has been linked.')
})

test('recent activity lists a wrong password and links to the password change', async () => {
  const { server, open } = await startSignedIn()
  await createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json: { email, password: 'not the password' } })
  await open('/settings/security#activity')
  const activity = await find('region', 'Recent activity')
  await shows(activity, /Sign-in failed: wrong password/)
  const link = within(activity).getByRole('link', { name: 'change your password.' })
  expect(link.getAttribute('href')).toBe('#password')
  await expectNoViolations(activity)
})

test('the devices are loaded only when they are shown', async () => {
  const { open, requests } = await startSignedIn()
  await open('/settings')
  await screen.findByRole('button', { name: 'Edit name' })
  expect(requests).not.toContain(`GET ${SESSIONS_PATH}`)
  await open('/settings/security#devices')
  await screen.findByText('You’re not signed in on any other device.')
  const rows = await devices()
  expect(rows).toHaveLength(1)
  expect(rows[0]?.textContent).toMatch(/This device.*With a password/s)
})

test('a device is revoked with a second press', async () => {
  const app = await startSignedIn()
  const phone = await elsewhere(app, userAgents.safariOnPhone)
  await app.open('/settings/security#devices')
  const name = 'Revoke the session of Safari on iOS'
  await press(name)
  const focused = (label: string) =>
    waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: label })))
  await focused('Revoke now')
  await app.user.keyboard('{Escape}')
  await focused(name)
  await app.user.keyboard('{Enter}')
  await focused('Revoke now')
  await app.user.keyboard('{Enter}')
  await screen.findByText('Safari on iOS has been signed out.')
  await screen.findByText('You’re not signed in on any other device.')
  expect(await sessionOf(phone)).toBeNull()
})

test('revoking a session that has already ended reports success', async () => {
  const app = await startSignedIn()
  await elsewhere(app, userAgents.safariOnPhone)
  await app.open('/settings/security#devices')
  await screen.findByRole('button', { name: 'Revoke the session of Safari on iOS' })
  await app.browser.request(SESSIONS_PATH, { method: 'DELETE' })
  await press('Revoke the session of Safari on iOS')
  await press('Revoke now')
  await screen.findByText('Safari on iOS has been signed out.')
})

test('security events are open to operators only, others see a notice, and filters, pages and export work', async () => {
  const { server, browser, open, left } = await startSignedIn({ env })
  await open('/security')
  await screen.findByText('Only operators can see security events')
  expect(screen.queryByRole('link', { name: 'Operator console' })).toBeNull()
  await confirmAddress(server, email)
  await open('/security')
  await screen.findByRole('link', { name: 'Operator console' })
  await screen.findByText('No events in the past 48 hours.')
  await screen.findByText('No events yet')
  await query(
    server,
    `insert into security_events (id, at, kind, reason, user_id) select 'e', ?, 'password-changed', '', id from users`,
    [Date.now()],
  )
  await open('/security')
  await shows(await screen.findByRole('table'), /Password changed.*Ada/s)
  await userEvent.selectOptions(await find('combobox', 'Outcome'), 'Blocked')
  await screen.findByText('No matching events')
  expect(window.location.search).toContain('outcome=blocked')
  await press('Clear filters')
  await screen.findByText('Page 1 of 1, 1 in total')
  // A second page appears after thirty rows. The export follows the filters.
  await query(
    server,
    `insert into security_events (id, at, kind, reason) select 'e' || value, ?, 'sign-in-failed', 'password'
     from json_each(?)`,
    [Date.now(), JSON.stringify(Array.from({ length: 30 }, (_, number) => number))],
  )
  await open('/security')
  await screen.findByText('Page 1 of 2, 31 in total')
  await press('Older')
  await screen.findByText('Page 2 of 2, 31 in total')
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2))
  expect(window.location.search).toContain('page=2')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Older' }).getAttribute('aria-disabled')).toBe('true'))
  await press('Newer')
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(31))
  await press('Export')
  expect((await screen.findByRole('menuitem', { name: 'Export CSV' })).getAttribute('href')).toMatch(
    /export\?format=csv/,
  )
  await browser.get('/callback?state=x&code=y')
  await open('/security')
  expect(await screen.findAllByText(/state-validation-failed/)).not.toEqual([])
  expect(left).toEqual([])
})

test('a list of more than 10,000 rows says so, goes on after them, and counts all on request', async () => {
  const { server, open } = await startSignedIn({ env })
  await confirmAddress(server, email)
  await query(
    server,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10050)
      insert into security_events (id, at, kind, reason) select 'e' || i, i, 'sign-in-failed', 'password' from n`,
  )
  await open('/security?outcome=failed&page=334')
  await screen.findByText('Page 334, more than 10,000 in total')
  await screen.findByText('10,000+ events')
  // The final page proves the total.
  await press('Older')
  await screen.findByText('Page 335 of 335, 10,050 in total')
  await open('/security?outcome=failed')
  await screen.findByText('Page 1, more than 10,000 in total')
  await press('Count all')
  await screen.findByText('Page 1 of 335, 10,050 in total')
  expect(screen.queryByRole('button', { name: 'Count all' })).toBeNull()
})
