import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { signUp } from '../support/people'
import { type OidcProvider, startOidcProvider } from '../support/provider-oidc'
import { query } from '../support/query'

const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

/** A server whose people connect accounts at a real OpenID provider. */
const test = base.extend<object, { corp: OidcProvider }>({
  corp: oncePerFile(() => startOidcProvider(client)),
  serverEnv: async ({ corp }, use) =>
    use({
      FW_OIDC_PROVIDERS: JSON.stringify([{ id: 'corp', name: 'Corp', issuer: corp.issuer, ...client }]),
      FW_OPERATORS: 'ada@example.test',
    }),
})

/** Signs in and approves on the provider's pages. */
async function agree(page: Page, corp: OidcProvider, email: string): Promise<void> {
  await page.waitForURL(`${corp.issuer}/**`)
  const login = page.locator('[name=login]')
  if (await login.isVisible()) {
    await login.fill(email)
    await page.locator('[name=password]').fill('any')
    await page.locator('[type=submit]').click()
  }
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('an account is connected, reconnected and disconnected', async ({ page, origin, server, corp }) => {
  await signUp(page, origin)
  corp.allow(`${origin}/callback`)
  await page.goto('/connections')
  await page.getByRole('link', { name: 'Connect Corp', exact: true }).click()
  await agree(page, corp, 'ada@corp.test')
  await expect(page.getByText('ada@corp.test')).toBeVisible()
  await expect(page).toHaveURL(/\/connections$/)
  await expectNoViolations(page)

  await query(server, `update oauth_tokens set status = 'reconnect_required'`)
  await page.reload()
  await expect(page.getByText('The provider no longer renews this connection.')).toBeVisible()
  await page.getByRole('link', { name: 'Connect Corp again' }).click()
  await agree(page, corp, 'ada@corp.test')
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Disconnect Corp' }).click()
  await page.getByRole('button', { name: 'Disconnect now' }).click()
  await expect(page.getByRole('link', { name: 'Connect Corp', exact: true })).toBeVisible()
})

test('cancelling at the provider returns to the page with a message', async ({ page, origin, corp }) => {
  await signUp(page, origin)
  corp.allow(`${origin}/callback`)
  await page.goto('/connections')
  await page.getByRole('link', { name: 'Connect Corp', exact: true }).click()
  await page.waitForURL(`${corp.issuer}/**`)
  await page.locator('a[href$="/abort"]').click()
  await page.waitForURL(url => url.pathname === '/connections')
  await expect(page.getByRole('alert')).toContainText('You cancelled at the provider.')
})

test('a credential is added, tested, replaced and deleted with the keyboard', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/connections?credential=openai')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Value').fill('sk-live-0123456789abcdef')
  await page.keyboard.press('Enter')
  await expect(page.getByText('•••• cdef')).toBeVisible()
  await page.getByRole('button', { name: 'Test openai' }).press('Enter')
  await expect(page.getByText('openai can be read.').first()).toBeVisible()
  await page.getByRole('button', { name: 'Replace openai' }).press('Enter')
  await dialog.getByLabel('Value').fill('sk-live-0123456789new1')
  await page.keyboard.press('Enter')
  await expect(page.getByText('•••• new1')).toBeVisible()
  await page.getByRole('button', { name: 'Delete openai' }).press('Enter')
  await expect(dialog).toContainText('•••• new1')
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('•••• new1')).toHaveCount(0)
})

test('organization credentials are stored in the vault, and adding one starts in the name field', async ({
  page,
  origin,
  server,
}) => {
  await signUp(page, origin)
  await page.goto('/connections')
  await page.getByRole('link', { name: 'Open the vault' }).click()
  await expect(page).toHaveURL(/\/team\/vault$/)
  await page.getByRole('button', { name: 'Add a credential' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('mailer')
  await dialog.getByLabel('Value').fill('key-0123456789abcd')
  await page.keyboard.press('Enter')
  await expect(page.getByText('•••• abcd')).toBeVisible()
  await expect(query(server, 'select key from vault_credentials where org_id is not null')).resolves.toMatchObject([
    { key: 'mailer' },
  ])
  await query(server, `update vault_credentials set key_id = 'gone', ciphertext = 'gone'`)
  await page.reload()
  await expect(page.getByText('Unreadable', { exact: true })).toBeVisible()
  await expectNoViolations(page)
})

test('security events, audit log and connections fit narrow screens and are accessible in dark mode', async ({
  page,
  origin,
  server,
}) => {
  await page.setViewportSize({ width: 375, height: 700 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await signUp(page, origin)
  await query(server, 'update users set email_verified = 1')
  await page.goto('/security')
  await expect(page.getByText('No events in the past 48 hours.')).toBeVisible()
  await page.request.get('/callback?state=x&code=y')
  await page.goto('/security')
  await expect(page.getByText('state-validation-failed').first()).toBeVisible()
  for (const path of ['/security', '/audit', '/connections']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await expectNoViolations(page)
  }
})

test('the audit log distinguishes confirmation requests from failures and counts repeated denials', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  const send = (method: string, path: string, data: object) =>
    page.request.fetch(path, { method, data, headers: { origin } })
  expect((await send('PUT', '/_fw/org/auth-provider', { provider: 'corp' })).status()).toBe(409)
  for (let again = 0; again < 6; again++) await send('POST', '/_fw/actions/purge-archive', { dryRun: false })
  await page.goto('/audit')
  const rows = page.getByRole('listitem')
  const asked = rows.filter({ hasText: 'Asked to confirm' })
  const denied = rows.filter({ hasText: 'Denied' })
  await expect(asked).toContainText('Ada was asked to confirm')
  // A new count begins each hour, so there can be rows of both hours.
  await expect(denied.filter({ hasText: /[2-5] times/ })).not.toHaveCount(0)
  await page.goto('/audit?outcome=asked')
  await expect(denied).toHaveCount(0)
  await expect(asked).toHaveCount(1)
})
