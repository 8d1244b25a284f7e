import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, pageHeading, signUp } from '../support/people'
import { startOidcProvider } from '../support/provider-oidc'

const ada = aPerson()
const CLIENT = { clientId: 'fairway-test', clientSecret: 'only-for-this-test' }
let provider: Awaited<ReturnType<typeof startOidcProvider>>

// The server needs the provider's address when it starts, and the provider needs the server's address before its first use.
test.use({
  reducedMotion: 'reduce',
  // Playwright reads the names of the required fixtures here, and this one requires none.
  // oxlint-disable-next-line no-empty-pattern
  async serverEnv({}, use) {
    provider = await startOidcProvider(CLIENT)
    const corp = { id: 'corp', name: 'Corp', issuer: provider.issuer, ...CLIENT }
    await use({ FW_OIDC_PROVIDERS: JSON.stringify([corp]) })
    await provider.stop()
  },
})

test('a sign-in policy shows its effects first, warns of a lockout, signs everyone out, and closes the organization', async ({
  page,
  origin,
}) => {
  provider.allow(`${origin}/_fw/auth/callback/corp`)
  await signUp(page, origin)
  await test.step('the effects are shown, and nothing has changed', async () => {
    await page.goto('/team/sign-in')
    const policy = page.getByRole('region', { name: 'Sign-in policy' })
    await policy.getByRole('button', { name: 'Only with Corp' }).click()
    await policy.getByRole('button', { name: 'Review the change' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('status')).toContainText('1 person has to sign in again. 1 session will end.')
    await expect(dialog.getByRole('status')).toContainText(
      '1 person can’t open the organization until they sign in with',
    )
    await expect(dialog.getByRole('alert')).toContainText('You will be locked out')
    await expect(dialog.getByRole('alert')).toContainText('You have never signed in with Corp.')
    await expect(dialog.getByRole('list', { name: 'Have never signed in with Corp' })).toContainText('ada@example.test')
    await expect(dialog.getByRole('link', { name: 'Link Corp first' })).toHaveAttribute(
      'href',
      '/settings/security#linked',
    )
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await expect(policy.getByRole('button', { name: 'With any method' })).toHaveAttribute('aria-pressed', 'true')
    await policy.getByRole('button', { name: 'Only with Corp' }).click()
    await policy.getByRole('button', { name: 'Review the change' }).click()
    const confirm = dialog.getByRole('button', { name: 'Require it anyway' })
    await expect(confirm).toHaveClass(/bg-error/)
    await expect(confirm).toBeDisabled()
    await dialog.getByLabel(/^Type /).fill("Ada's organization")
    await confirm.click()
    await page.waitForURL('**/sign-in**')
  })

  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(ada.email)
  await form.getByLabel('Password', { exact: true }).fill(ada.password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
  await page.waitForURL('**/team/sign-in')
  const card = page.getByRole('region', { name: "Ada's organization requires Corp" })
  await expect(card).toContainText('You signed in another way.')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("Ada's organization requires Corp")
  await expect(page.getByRole('region', { name: 'Sign-in policy' })).toHaveCount(0)
  await page.setViewportSize({ width: 375, height: 700 })
  await expectNoViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await page.setViewportSize({ width: 1280, height: 720 })

  await page.goto('/settings')
  await expect(pageHeading(page)).toHaveText('Profile')
  await page.goto('/notes?q=x')
  await expect(card).toBeVisible()
  const other = card.getByRole('button', { name: 'Work in another organization' })
  await card.getByRole('button', { name: 'Sign in with Corp' }).focus()
  await page.keyboard.press('Tab')
  await expect(other).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: /Without an organization/ }).click()
  await expect(pageHeading(page)).toHaveText('Notes')

  await page.getByRole('button', { name: /Organization/ }).click()
  await page.getByRole('menuitemcheckbox', { name: /Ada's organization/ }).click()
  await card.getByRole('button', { name: 'Sign in with Corp' }).click()
  await page.locator('[name=login]').fill(ada.email)
  await page.locator('[name=password]').fill('any')
  await page.locator('[type=submit]').click()
  await page.locator('[type=submit]').click()
  await page.getByRole('button', { name: 'Keep everything' }).click()
  await page.waitForURL(/\/notes\?q=x$/)
  await expect(pageHeading(page)).toHaveText('Notes')
  await expect(card).toHaveCount(0)
})
