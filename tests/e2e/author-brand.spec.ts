import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { startSmtp } from '../support/mail'
import { aPerson, pageHeading, signUp } from '../support/people'

/** The application in tests/fixtures/author has a custom name, look, pages and texts. A test server receives its mails. */
const test = base.extend<object, { mails: Awaited<ReturnType<typeof startSmtp>> }>({
  mails: oncePerFile(startSmtp),
  serverEnv: async ({ mails }, use) => use({ SMTP_URL: mails.url, EMAIL_FROM: 'no-reply@example.test' }),
})
test.use({ application: 'author' })

test('an application’s name, logo and accent color appear on its pages, OpenAPI document and OAuth metadata', async ({
  origin,
}) => {
  const read = async (path: string) => (await fetch(origin + path, { headers: { accept: 'text/html' } })).text()
  const signIn = await read('/sign-in')
  expect(signIn).toContain('<title>Sign in · Larch</title>')
  expect(signIn).toContain('<meta name="theme-color" content="#7c3aed">')
  expect(signIn).toContain('<source media="(prefers-color-scheme:dark)" srcset="/logo-dark.svg">')
  expect(signIn).toContain('--ui-primary:#7c3aed')
  const about = await read('/about')
  expect(about).toMatch(/<title>[^<]+ · Larch<\/title>/)
  expect(about).toContain('<meta name="theme-color" content="#7c3aed">')
  expect(await read('/favicon.svg')).toBe(readFileSync('tests/fixtures/author/public/logo.svg', 'utf8'))
  expect(JSON.parse(await read('/_fw/openapi.json'))).toMatchObject({ info: { title: 'Larch' } })
  expect(JSON.parse(await read('/.well-known/oauth-protected-resource/mcp'))).toMatchObject({ resource_name: 'Larch' })
  for (const text of [signIn, about])
    expect(text.replaceAll(/fairway-[a-z]+|--color-fairway/g, '')).not.toMatch(/fairway/i)
})

test('application pages appear in the sidebar and command palette in their order with their icons', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto(`${origin}/plans`)
  await expect(pageHeading(page)).toHaveText('Felling plans')
  const navigation = page.getByRole('navigation').getByRole('listitem')
  await expect(navigation).toHaveText([
    'Home',
    'Felling plans',
    'Foresters',
    'Tools',
    'Connect a host',
    'Integrations',
    'Settings',
  ])
  const icon = navigation.nth(1).locator('[class*="i-lucide"],svg').first()
  const drawing = await icon.evaluate(element =>
    element instanceof SVGElement ? element.innerHTML : getComputedStyle(element).maskImage,
  )
  expect(drawing).toMatch(/path|url\(/)
  await page.keyboard.press('ControlOrMeta+k')
  const options = page.getByRole('option')
  await expect(options.nth(1)).toContainText('Felling plans')
  await expect(options.nth(2)).toContainText('Felling reports')
  await expect(options.filter({ hasText: 'Members only' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: 'Larch' }).locator('img').first()).toHaveJSProperty('naturalWidth', 150)
})

test('an accent color is readable on pages of the application and server, in light and dark mode', async ({
  page,
  origin,
}) => {
  const refused: string[] = []
  page.on('console', message => message.type() === 'error' && refused.push(message.text()))
  await page.goto(`${origin}/sign-in`)
  await expectNoViolationsInBothColours(page)
  await signUp(page, origin, aPerson('Grace'))
  await page.goto(`${origin}/plans`)
  await expect(pageHeading(page)).toBeVisible()
  await expectNoViolationsInBothColours(page)
  expect(refused).toEqual([])
})

test('an application’s frame around server pages switches language with the page', async ({ page, origin }) => {
  await page.goto(`${origin}/sign-in`)
  await expect(page.getByRole('link', { name: 'Privacy' })).toHaveCSS('text-align', 'center')
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await expect(page.getByRole('link', { name: 'Datenschutz' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Anmelden')
})

test('emails use the application’s texts in the language of the requesting page', async ({ page, origin, mails }) => {
  for (const [language, subject] of [
    ['English', 'Your way in'],
    ['Deutsch', 'Ihr Weg zu Larch'],
  ] as const) {
    const email = `${language.toLowerCase()}@example.test`
    await page.goto(`${origin}/sign-in`)
    if (language === 'Deutsch') await page.getByRole('button', { name: language }).click()
    if (!(await page.locator('#magic-link').isVisible())) await page.locator('a[href="#magic-link"]').first().click()
    await page.locator('#magic-link input[name=email]').fill(email)
    await page.locator('#magic-link button').click()
    const mail = await mails.mailTo(email)
    expect(mail.subject).toBe(subject)
    expect(mail.text).toContain(language === 'English' ? 'Asked for in ' : 'Der Link funktioniert einmal')
    expect(mail.text).toMatch(/-- \r?\nLarch/)
    expect(mail.html).toContain('background:#7c3aed')
  }
})

test.describe('sign-in card on a public page', () => {
  const card = (page: Page) => page.getByRole('region', { name: /Come in|Check your email/ })

  test('signs in with a password, reports wrong credentials, and continues to the configured page', async ({
    page,
    origin,
  }) => {
    const ada = await signUp(page, origin, aPerson('Linnea'))
    await page.context().clearCookies()
    await page.goto(`${origin}/welcome`)
    await expect(card(page)).toContainText('Members of the forest.')
    await expect(card(page)).toContainText('By signing in you agree')
    await expectNoViolationsInBothColours(page)
    await card(page).getByRole('button', { name: 'Use a password instead' }).click()
    await card(page).getByLabel('Email address').fill(ada.email)
    await card(page).getByLabel('Password', { exact: true }).fill('not her password')
    await card(page).getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(card(page).getByRole('alert')).toContainText('Wrong email or password.')
    await expect(card(page).getByRole('alert')).not.toContainText('invalid-credentials')
    await expect(card(page).getByLabel('Email address')).toHaveValue(ada.email)
    await expectNoViolationsInBothColours(page)
    await card(page).getByLabel('Password', { exact: true }).fill(ada.password)
    await card(page).getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/plans')
    await page.goto(`${origin}/welcome`)
    await expect(card(page)).toContainText(`You are signed in as ${ada.email}.`)
    await card(page).getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL('**/plans')
  })

  test('emails a link, names the address, and continues after the link is opened on another device', async ({
    page,
    browser,
    origin,
    mails,
  }) => {
    await page.goto(`${origin}/welcome`)
    await card(page).getByLabel('Email address').fill('oak@example.test')
    await card(page).getByRole('button', { name: 'Email me a link' }).click()
    await expect(card(page)).toContainText('We emailed a link to oak@example.test.')
    await expect(card(page).getByRole('button', { name: /^Resend in/ })).toBeDisabled()
    await expectNoViolationsInBothColours(page)
    const phone = await (await browser.newContext()).newPage()
    await phone.goto((await mails.mailTo('oak@example.test')).link)
    await phone.getByRole('button', { name: /^Continue on/ }).click()
    await page.waitForURL('**/plans')
  })

  test('reports that the sign-in methods could not be loaded and retries', async ({ page, origin }) => {
    await page.route('**/_fw/auth/methods', route => route.abort())
    await page.goto(`${origin}/welcome`)
    await expect(card(page).getByRole('alert')).toContainText('The sign-in methods could not be loaded')
    await page.unroute('**/_fw/auth/methods')
    await card(page).getByRole('button', { name: /again/i }).click()
    await expect(card(page).getByRole('button', { name: 'Email me a link' })).toBeVisible()
  })
})
