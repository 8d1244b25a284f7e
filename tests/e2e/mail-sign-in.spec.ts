import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { startSmtp } from '../support/mail'
import { signUpByForm } from '../support/people'

type Smtp = Awaited<ReturnType<typeof startSmtp>>
const PASSWORD = 'zebra quilt 7 lantern'
const OTHER = 'copper meadow 19 violin'

/** A server that sends its mails to a real mail server. */
const test = base.extend<object, { smtp: Smtp }>({
  smtp: oncePerFile(() => startSmtp()),
  serverEnv: async ({ smtp }, use) => {
    // The tests use the same addresses, so mails of an earlier test must be removed.
    smtp.received.length = 0
    await use({ NODE_ENV: 'production', SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' })
  },
})

test('an emailed link signs in the waiting tab, with the keyboard alone', async ({ page, context, smtp }) => {
  await page.goto('/notes')
  await page.waitForURL('**/sign-in?return=%2Fnotes')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('textbox', { name: 'Email address' })).toBeFocused()
  await page.keyboard.type('ada@example.test')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email')
  const { link } = await smtp.mailTo('ada@example.test')
  const mail = await context.newPage()
  await mail.goto(link)
  await mail.getByRole('button', { name: 'Sign in here' }).click()
  await mail.waitForURL('**/notes')
  await expect(mail.getByRole('heading', { level: 1 })).toHaveText('Notes')
  await page.bringToFront()
  await page.waitForURL('**/notes')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Notes')
  await mail.goto(link)
  await expect(mail.getByRole('heading', { level: 1 })).toHaveText('This link has already been used')
  await expectNoViolationsInBothColours(mail)
  await mail.getByRole('link', { name: 'Go to the sign-in page' }).click()
  await expect(mail.getByRole('heading', { level: 1 })).not.toHaveText('This link has already been used')
})

test('a link opened on another device signs in the waiting device', async ({ page, browser, origin, smtp }) => {
  await page.goto('/sign-in?return=%2Fsettings')
  await page.getByRole('textbox', { name: 'Email address' }).fill('grace@example.test')
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email')
  await expect(page.getByText('We emailed a link and a code to grace@example.test.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Resend in \d+ s$/ })).toBeDisabled()
  await expectNoViolationsInBothColours(page)
  const { link } = await smtp.mailTo('grace@example.test')
  const phone = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
  await phone.goto(link)
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  await expect(phone.getByText('Requested at')).toContainText('Linux')
  await phone.getByRole('button', { name: /^Continue on/ }).click()
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Continue on your other device')
  await page.waitForURL('**/settings')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Profile')
  const { session } = await (await phone.request.get(`${origin}/_fw/session`)).json()
  expect(session).toBeNull()
  await phone.close()
})

test('a password account is confirmed and reset by email, and the last used method comes first', async ({
  smtp,
  page,
}) => {
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Use a password instead' }).click()
  await signUpByForm(page, { name: 'Mary', email: 'mary@example.test', password: PASSWORD })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email')
  await page.goto((await smtp.mailTo('mary@example.test', /Confirm/)).link)
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await page.getByRole('button', { name: /^Account Mary/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in**')

  // The last sign-in used a password, so the page shows the password form first.
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.locator('#reset').getByLabel('Email address').fill('mary@example.test')
  await page.locator('#reset').getByRole('button', { name: 'Email me a link' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email')
  await page.goto((await smtp.mailTo('mary@example.test', /new password/)).link)
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await expect(page.getByRole('alert')).toContainText('The password is too short.')
  await page.getByLabel('New password').fill(OTHER)
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.getByRole('button', { name: /^Account Mary/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in**')

  const signIn = page.locator('#sign-in')
  await signIn.getByLabel('Email address').fill('mary@example.test')
  await signIn.getByLabel('Password', { exact: true }).fill(OTHER)
  await signIn.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^Account Mary/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in**')
  await expect(page.getByRole('button', { name: 'Sign in used last' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Email me a link' })).toBeHidden()
})
