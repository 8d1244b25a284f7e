import { execFileSync } from 'node:child_process'
import type { Page } from '@playwright/test'
import { IS_PUBLISHED } from '../../layers/fairway/shared/package'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, signInAgain, signUp } from '../support/people'
import { query } from '../support/query'

const providers = [{ id: 'corp', name: 'Corp', issuer: 'https://corp.test', clientId: 'c', clientSecret: 's' }]
test.use({ serverEnv: { FW_OPERATORS: aPerson().email, FW_OIDC_PROVIDERS: JSON.stringify(providers) } })

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
})

test('an API token is created, shown once with its command, and revoked', async ({ page }) => {
  await page.goto('/settings/apps')
  const tokens = region(page, 'API tokens')
  await expect(tokens).toContainText('No API tokens yet.')
  await tokens.getByRole('button', { name: 'Create a token' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Create token' })).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Backup script')
  await dialog.getByText('Read and write').click()
  await dialog.getByText('7 days').click()
  await expectNoViolations(page)
  await page.keyboard.press('Enter')
  await expect(dialog).toContainText(/fwp_[\w-]{43}/)
  // The test runs the command that the page shows: curl, or the package once it is on npm. This copy stands in for npm's.
  const shown = await dialog.getByText(IS_PUBLISHED ? /^FW_TOKEN=/ : /^curl /).innerText()
  const command = shown.replace('curl ', 'curl -s ').replace('npx nuxt-fairway', 'node layers/fairway/cli/fw.mjs')
  expect(execFileSync('sh', ['-c', command]).toString()).toMatch(/"members":\s*\[\s*\{[^}]*"name":\s*"Ada"/)
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await expect(tokens).toContainText(/Backup script.*Create, edit and delete on your behalf.*Not used yet.*Expires/s)
  await expect(page.getByText(/fwp_/)).toHaveCount(0)
  await tokens.getByRole('button', { name: 'Revoke Backup script' }).click()
  await tokens.getByRole('button', { name: 'Revoke now' }).click()
  await expect(page.getByText('Backup script has been revoked.').first()).toBeVisible()
  await expect(tokens).toContainText('No API tokens yet.')
})

test('an API token is created after signing in again in another tab, and the typed name stays', async ({
  page,
  server,
}) => {
  await query(server, 'update sessions set created_at = created_at - 960000')
  await page.goto('/settings/apps')
  await page.getByRole('button', { name: 'Create a token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Backup script')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByRole('alert')).toContainText('You signed in more than 15 minutes ago.')
  await expectNoViolations(page)
  await signInAgain(page)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await expect(region(page, 'API tokens')).toContainText('Backup script')
})

test('linked accounts are listed and can be unlinked, except the last sign-in method', async ({ page, server }) => {
  await query(
    server,
    `insert into accounts (id, user_id, account_id, provider_id, provider_email, created_at, updated_at)
      select 'a', id, 'x', 'corp', 'ada@corp.test', 1700000000000, 1700000000000 from users`,
  )
  const [row] = await query(server, "select password from accounts where provider_id = 'credential'")
  await query(server, "update accounts set password = null where provider_id = 'credential'")
  await page.goto('/settings/security')
  const linked = region(page, 'Linked accounts')
  await expect(linked).toContainText(/Corp.*ada@corp\.test.*Linked.*Not used yet/s)
  await expect(region(page, 'Password')).toContainText('Your account has no password.')
  await linked.getByRole('button', { name: 'Unlink Corp' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await expect(page.getByRole('dialog')).toContainText('This is your last sign-in method.')
  await query(server, "update accounts set password = ? where provider_id = 'credential'", [String(row?.password)])
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await expect(page.getByText('Corp has been unlinked.').first()).toBeVisible()
  await expect(linked).toContainText('No linked accounts yet.')
  await expect(linked.getByRole('button', { name: 'Link Corp' })).toBeVisible()
  await expectNoViolations(page)
})

test('security settings show the result of linking an account once', async ({ page }) => {
  await page.goto('/settings/security?link-failed=provider-account-mismatch')
  await expect(page.getByText('This account or its address belongs to another person here.').first()).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/security$/)
  await page.goto('/settings/security?linked=corp')
  await expect(page.getByText('Corp has been linked.').first()).toBeVisible()
})

test('recent activity lists a wrong password and links to the password change', async ({ page, origin }) => {
  const { email } = aPerson()
  const wrong = { email, password: 'not the password' }
  await page.request.post('/_fw/auth/sign-in/email', { data: wrong, headers: { origin } })
  await page.goto('/settings/security#activity')
  const activity = region(page, 'Recent activity')
  await expect(activity).toContainText('Sign-in failed: wrong password')
  await expect(activity.getByRole('link', { name: 'change your password.' })).toHaveAttribute('href', '#password')
  await expectNoViolations(page, { within: '#activity' })
})

test('a new password can be shown, and its rules are checked while typing', async ({ page }) => {
  await page.goto('/settings/security')
  const password = region(page, 'Password')
  await password.getByRole('button', { name: 'Change password' }).click()
  const field = password.getByLabel('New password')
  await field.fill('short')
  await expect(password.getByText('(met)')).toHaveCount(1)
  await field.fill('a slow river under stone')
  await expect(password.getByText('(met)')).toHaveCount(2)
  await expect(field).toHaveAttribute('type', 'password')
  await password.getByRole('button', { name: 'Show password' }).last().click()
  await expect(field).toHaveAttribute('type', 'text')
})

test('security events are open to operators only, others see a notice, and filters, pages and export work', async ({
  page,
  server,
}) => {
  const errors: string[] = []
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  await page.goto('/security')
  await expect(page.getByText('Only operators can see security events')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Operator console' })).toHaveCount(0)
  expect(errors).toEqual([])
  await expectNoViolations(page)
  await query(server, 'update users set email_verified = 1')
  await page.reload()
  await expect(page.getByRole('link', { name: 'Operator console' })).toBeVisible()
  await expect(page.getByText('No events yet')).toBeVisible()
  await query(
    server,
    `insert into security_events (id, at, kind, reason, user_id) select 'e', ?, 'password-changed', '', id from users`,
    [Date.now()],
  )
  await page.reload()
  await expect(page.getByRole('table')).toContainText(/Password changed.*Ada/s)
  await page.getByRole('combobox', { name: 'Outcome' }).click()
  await page.getByRole('option', { name: 'Blocked' }).click()
  await expect(page.getByText('No matching events')).toBeVisible()
  await expect(page).toHaveURL(/outcome=blocked/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.getByRole('table')).toBeVisible()
  await expect(page.getByText('Page 1 of 1, 1 in total')).toBeVisible()
  await expectNoViolations(page)
  // A second page appears after thirty rows. The export follows the filters.
  await query(
    server,
    `insert into security_events (id, at, kind, reason) select 'e' || value, ?, 'sign-in-failed', 'password'
     from json_each(?)`,
    [Date.now(), JSON.stringify(Array.from({ length: 30 }, (_, number) => number))],
  )
  await page.reload()
  await expect(page.getByText('Page 1 of 2, 31 in total')).toBeVisible()
  await page.getByRole('button', { name: 'Older' }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Older' })).toBeDisabled()
  await page.getByRole('button', { name: 'Newer' }).click()
  await expect(page.getByRole('row')).toHaveCount(31)
  await expect(page.getByRole('link', { name: 'Export CSV' })).toHaveAttribute('href', /export\?format=csv/)
})
