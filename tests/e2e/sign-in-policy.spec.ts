import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, signUp } from '../support/people'
import { startOidcProvider } from '../support/provider-oidc'

const ada = aPerson()
const CLIENT = { clientId: 'fairway-test', clientSecret: 'only-for-this-test' }
let provider: Awaited<ReturnType<typeof startOidcProvider>>

// The provider's address must be known before the test's own server starts, and the server's before the provider is used.
test.use({
  reducedMotion: 'reduce',
  // Playwright wants the fixtures it is given to be named here, and there are none.
  // oxlint-disable-next-line no-empty-pattern
  async serverEnv({}, use) {
    provider = await startOidcProvider(CLIENT)
    const corp = { id: 'corp', name: 'Corp', issuer: provider.issuer, ...CLIENT }
    await use({ FW_OIDC_PROVIDERS: JSON.stringify([corp]) })
    await provider.stop()
  },
})

const policy = (page: Page) => page.getByRole('region', { name: 'Sign-in policy' })

async function review(page: Page, choice: string): Promise<void> {
  await page.goto('/team')
  await policy(page).getByRole('button', { name: choice }).click()
  await policy(page).getByRole('button', { name: 'Review the change' }).click()
}

test('a sign-in policy is tried out first, warns whoever would lock themselves out, and then signs everybody out', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  await review(page, 'Only with Corp')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toContainText('1 person has to sign in again. 1 session ends.')
  await expect(dialog.getByRole('listitem')).toContainText(/ada@example\.test.*has never signed in with Corp/s)
  await expectNoViolations(page)

  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await expect(policy(page).getByRole('button', { name: 'In any way' })).toHaveAttribute('aria-pressed', 'true')

  await review(page, 'Only with Corp')
  await dialog.getByRole('button', { name: 'Require Corp' }).click()
  await expect(dialog).toContainText('You cannot sign in with Corp yourself.')
  await dialog.getByRole('button', { name: 'Require it all the same' }).click()
  await page.waitForURL('**/sign-in**')
  const form = page.locator('#sign-in')
  await form.getByLabel('E-mail address').fill(ada.email)
  await form.getByLabel('Password').fill(ada.password)
  await form.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('Sign in with corp.')
  await expect(page.getByRole('button', { name: 'Continue with Corp' })).toBeVisible()
})
