import type { Page } from '@playwright/test'
import { expectNothingCutOff, expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { startSmtp } from '../support/mail'
import { pageHeading, signUp } from '../support/people'

type Smtp = Awaited<ReturnType<typeof startSmtp>>
const EMAIL = 'ada@example.test'

/** A server that opens accounts before their address is confirmed. */
const test = base.extend<{ stranger: Page }, { smtp: Smtp }>({
  smtp: oncePerFile(() => startSmtp()),
  serverEnv: async ({ smtp }, use) => {
    smtp.received.length = 0
    await use({
      NODE_ENV: 'production',
      AUTH_REQUIRE_EMAIL_VERIFICATION: '0',
      SMTP_URL: smtp.url,
      EMAIL_FROM: 'Fairway <no-reply@example.test>',
    })
  },
  // A person who signed up with a stranger's address and left data in the account.
  stranger: async ({ browser, origin }, use) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await signUp(page, origin, { name: 'Mallory', email: EMAIL, password: 'quiet harbour lantern 42' })
    const send = (method: string, path: string, data: object) =>
      page.request.fetch(origin + path, { method, data, headers: { origin } })
    await send('PUT', '/_fw/vault/PAYMENT_KEY', { value: 'a value that nobody sees' })
    await send('PATCH', '/_fw/org', { name: 'a-rather-long-name.of.an-organization.that.has-no-spaces' })
    await use(page)
    await context.close()
  },
})

/** The owner of the address signs in by an emailed link and arrives at the review. */
async function arrive(page: Page, smtp: Smtp): Promise<void> {
  await page.goto('/sign-in?return=%2Fsettings')
  await page.getByRole('textbox', { name: 'Email address' }).first().fill(EMAIL)
  await page.getByRole('button', { name: 'Email me a link' }).click()
  const { link } = await smtp.mailTo(EMAIL, /Sign in/)
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in here' }).click()
  await page.waitForURL('**/_fw/claim?return=%2Fsettings')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Review this account')
}

test('account review shows what the account contains, can be decided later and removes other access, with the keyboard alone', async ({
  page,
  smtp,
  stranger,
  origin,
}) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await arrive(page, smtp)
  await expect(page.getByText('PAYMENT_KEY')).toBeVisible()
  await expect(page.getByText('this one, stays')).toBeVisible()
  await expectNoViolationsInBothColours(page)
  await expectNothingCutOff(page)

  await test.step('its password session is told to confirm the address first', async () => {
    await stranger.goto(`${origin}/_fw/claim`)
    await expect(stranger.getByRole('heading', { level: 1 })).toHaveText('Confirm your email address first')
    await expect(stranger.getByText('PAYMENT_KEY')).toHaveCount(0)
    await expectNoViolations(stranger)
    await stranger.getByRole('link', { name: 'Go to the sign-in page' }).click()
    await expect(stranger).toHaveURL(/\/sign-in\?return=/)
  })

  await page.getByRole('link', { name: 'Decide later' }).click()
  await expect(pageHeading(page)).toHaveText('Profile')
  await expect(page.getByText('Review this account')).toBeVisible()
  await expectNoViolations(page)
  await page.getByRole('link', { name: 'Review the account' }).click()
  await page.getByRole('link', { name: 'Deutsch' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dieses Konto prüfen')
  await expectNoViolations(page)
  await page.goto('/_fw/claim?return=%2Fsettings&lang=en')
  const onlyMe = page.getByRole('button', { name: 'Remove other access' })
  await expect(onlyMe).toHaveAccessibleDescription(/can’t be undone/)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Keep everything' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(onlyMe).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings')
  await expect(pageHeading(page)).toHaveText('Profile')
  await expect(page.getByText('Review this account')).toHaveCount(0)
  expect(await (await stranger.request.get(`${origin}/_fw/session`)).json()).toEqual({ session: null })
  expect(await (await page.request.get(`${origin}/_fw/vault`)).text()).not.toContain('PAYMENT_KEY')
})
