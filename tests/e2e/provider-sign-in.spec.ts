import { expect, oncePerFile, test as base } from '../support/e2e'
import { type OidcProvider, startOidcProvider } from '../support/provider-oidc'

const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

/** A server that offers one real OpenID provider on another site. */
const test = base.extend<object, { provider: OidcProvider }>({
  provider: oncePerFile(() => startOidcProvider({ ...client, unverified: ['unproven@example.test'] })),
  serverEnv: async ({ provider }, use) => {
    const providers = [{ id: 'corp', name: 'Corp', issuer: provider.issuer, ...client }]
    await use({ FW_OIDC_PROVIDERS: JSON.stringify(providers) })
  },
})

test('a cancelled provider sign-in shows a message, and the next one reaches the requested page', async ({
  page,
  provider,
  origin,
}) => {
  provider.allow(`${origin}/_fw/auth/callback/corp`)
  await page.goto('/notes')
  await page.waitForURL('**/sign-in?return=%2Fnotes')
  await page.getByRole('button', { name: 'Continue with Corp' }).click()
  await page.getByRole('link', { name: /cancel/i }).click()
  await page.waitForURL('**/sign-in?error=access-denied&return=%2Fnotes')
  await expect(page.getByRole('alert')).toContainText('You cancelled at the provider')
  await page.getByRole('button', { name: 'Continue with Corp' }).click()
  await page.locator('[name=login]').fill('ada@example.test')
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()
  await page.waitForURL('**/notes')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes')
})
