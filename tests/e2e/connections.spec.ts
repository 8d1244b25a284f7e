import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { signUp } from '../support/people'
import { type OidcProvider, startOidcProvider } from '../support/provider-oidc'

const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

/** A server whose people connect accounts at a real OpenID provider. */
const test = base.extend<object, { corp: OidcProvider }>({
  corp: oncePerFile(() => startOidcProvider(client)),
  serverEnv: async ({ corp }, use) =>
    use({
      FW_OIDC_PROVIDERS: JSON.stringify([{ id: 'corp', name: 'Corp', issuer: corp.issuer, ...client }]),
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

test('a cancelled connection shows a message, and an account is connected and disconnected', async ({
  page,
  origin,
  corp,
}) => {
  await signUp(page, origin)
  corp.allow(`${origin}/callback`)
  await page.goto('/connections')
  await page.getByRole('link', { name: 'Connect Corp', exact: true }).click()
  await page.waitForURL(`${corp.issuer}/**`)
  await page.locator('a[href$="/abort"]').click()
  await page.waitForURL(url => url.pathname === '/connections')
  await expect(page.getByRole('alert')).toContainText('You cancelled at the provider.')

  await page.getByRole('link', { name: 'Connect Corp', exact: true }).click()
  await agree(page, corp, 'ada@corp.test')
  await expect(page.getByText('ada@corp.test')).toBeVisible()
  await expect(page).toHaveURL(/\/connections$/)
  await expectNoViolations(page)

  await page.getByRole('button', { name: 'Disconnect Corp' }).click()
  await page.getByRole('button', { name: 'Disconnect now' }).click()
  await expect(page.getByRole('link', { name: 'Connect Corp', exact: true })).toBeVisible()
})
