import { expectNothingCutOff, expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { startSmtp } from '../support/mail'
import { aPerson, pageHeading, signUp } from '../support/people'

type Smtp = Awaited<ReturnType<typeof startSmtp>>

const test = base.extend<object, { smtp: Smtp }>({
  smtp: oncePerFile(() => startSmtp()),
  serverEnv: async ({ smtp }, use) => {
    const mail = { SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' }
    await use({
      ...mail,
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
    })
  },
})

test('the emailed link comes first, then the password, then equal rows for providers and the passkey', async ({
  page,
}) => {
  await page.goto('/sign-in')
  const shown = await page.locator('input:visible, button:visible, a.button:visible, .or:visible').allInnerTexts()
  expect(shown.map(text => text.trim()).filter(Boolean)).toEqual([
    'Email me a link',
    'Use a password instead',
    'or',
    'Continue with Google',
    'Continue with GitHub',
    'Sign in with a passkey',
    'Deutsch',
    'العربية',
  ])
  const rows = await page
    .locator('.ways button:visible')
    .evaluateAll(all =>
      all.map(row => row.getBoundingClientRect()).map(({ x, y, width, height }) => ({ x, y, width, height })),
    )
  expect(new Set(rows.map(({ x, width, height }) => `${x} ${width} ${height}`)).size).toBe(1)
  expect(rows.slice(1).map(({ y }, at) => y - rows[at]!.y - rows[at]!.height)).toEqual([8, 8])
  await expectNoViolationsInBothColours(page)
  await page.getByRole('link', { name: 'Create account' }).click()
  await expect(page.getByRole('button', { name: 'Email me a link' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Use a password instead' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeVisible()
  await expectNoViolationsInBothColours(page)
})

test('the card stays in its place with its height in every state', async ({ page, smtp }) => {
  const card = async () => {
    const { x, y, width, height } = (await page.locator('.card').boundingBox())!
    return { x, y, width, height }
  }
  await page.goto('/sign-in')
  const first = await card()
  for (const section of ['sign-in', 'sign-up', 'reset', 'magic-link']) {
    await page.goto(`/sign-in#${section}`)
    expect(await card(), section).toEqual(first)
  }
  await page.locator('#magic-link input[type=email]').fill('steady@example.test')
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email')
  expect((await card()).y).toBe(first.y)
  await expectNoViolationsInBothColours(page)
  const { text } = await smtp.mailTo('steady@example.test')
  await page.getByLabel('Code from the email').fill(/\s(\d{6})\s/.exec(text)?.[1] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(pageHeading(page)).toBeVisible()
})

test('the typed password can be shown, and only a sign-in method that worked is marked as last used', async ({
  page,
  origin,
}) => {
  const mary = aPerson('Mary')
  await signUp(page, origin, mary)
  await page.context().clearCookies()
  await page.goto('/sign-in#sign-in')
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(mary.email)
  const field = form.getByLabel('Password', { exact: true })
  await field.fill('not her password')
  const before = await field.boundingBox()
  const reveal = form.getByRole('button', { name: 'Show password' })
  await reveal.click()
  await expect(field).toHaveAttribute('type', 'text')
  await expect(reveal).toHaveAttribute('aria-pressed', 'true')
  expect(await field.boundingBox()).toEqual(before)
  await expectNoViolations(page)
  await form.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toContainText('Wrong email or password.')
  await expect(form.getByLabel('Email address')).toHaveValue(mary.email)
  await page.goto('/sign-in')
  await expect(page.locator('.last')).toHaveCount(0)
  await page.goto('/sign-in?return=%2Fnotes#sign-in')
  await form.getByLabel('Email address').fill(mary.email)
  await form.getByLabel('Password', { exact: true }).fill(mary.password)
  await form.getByRole('button', { name: 'Sign in' }).click()
  await expect(pageHeading(page)).toHaveText('Notes')
  await page.context().clearCookies()
  await page.goto('/sign-in')
  await expect(page.getByRole('button', { name: 'Sign in used last' })).toBeVisible()
  await expectNoViolationsInBothColours(page)
})

test('sign-in pages and emails are right-to-left in Arabic', async ({ page, smtp }) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto('/sign-in?return=%2Fnotes')
  await page.getByRole('button', { name: 'العربية' }).click()
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('تسجيل الدخول')
  await expectNothingCutOff(page)
  await expectNoViolations(page)
  await page.goto(`${page.url()}#sign-in`)
  const [field, reveal] = [page.locator('#sign-in #password'), page.locator('#sign-in .reveal')]
  const [inside, button] = [await field.boundingBox(), await reveal.boundingBox()]
  expect((button?.x ?? 0) - (inside?.x ?? 0)).toBeLessThan(8)
  await page.goto(page.url().replace('#sign-in', '#magic-link'))
  await page.locator('#magic-link input[type=email]').fill('layla@example.test')
  await page.getByRole('button', { name: 'إرسال رابط بالبريد' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('تحقق من بريدك')
  await expectNoViolations(page)
  const mail = await smtp.mailTo('layla@example.test')
  expect(mail.html).toContain('dir="rtl"')
  await page.goto(mail.link)
  await expectNoViolations(page)
  await page.getByRole('button', { name: 'تسجيل الدخول هنا' }).click()
  await page.waitForURL('**/notes')
  // The application keeps the language of the sign-in page.
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
})

test('a browser gets the first language of its list that there is', async ({ page }) => {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'languages', { get: () => ['fr-CH', 'ar-EG', 'de', 'en'] }),
  )
  await page.goto('/sign-in')
  await page.waitForURL('**/sign-in?lang=ar')
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
})
