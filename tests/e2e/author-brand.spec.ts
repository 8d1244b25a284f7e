import type { Page } from '@playwright/test'
import { connectProvider, type CustomerProvider, startCustomerProvider } from '../support/customer-provider'
import { type DnsServer, startDns } from '../support/dns'
import { expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { startSmtp } from '../support/mail'
import { aPerson, pageHeading, signInAtProvider, signUp } from '../support/people'
import { createTeamWorld } from '../support/team'

/** The application in tests/fixtures/author has a custom name, look, pages and texts. A test server receives its mails. */
const test = base.extend<
  object,
  { mails: Awaited<ReturnType<typeof startSmtp>>; dns: DnsServer; provider: CustomerProvider }
>({
  mails: oncePerFile(startSmtp),
  dns: oncePerFile(() => startDns()),
  provider: oncePerFile(() => startCustomerProvider()),
  serverEnv: async ({ mails, dns, provider }, use) =>
    use({
      SMTP_URL: mails.url,
      EMAIL_FROM: 'no-reply@example.test',
      FW_DNS_SERVERS: dns.address,
      FW_ISSUER_ORIGINS: provider.origin,
    }),
})
test.use({ application: 'author' })

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
    'Connect an assistant',
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
  await expect(page.getByRole('link', { name: 'Privacy' })).toHaveCSS('text-align', 'center')
  await expectNoViolationsInBothColours(page)
  await signUp(page, origin, aPerson('Grace'))
  await page.goto(`${origin}/plans`)
  await expect(pageHeading(page)).toBeVisible()
  await expectNoViolationsInBothColours(page)
  expect(refused).toEqual([])
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
    await expectNoViolations(page)
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
    await expect(card(page)).toContainText('We emailed a link and a code to oak@example.test.')
    await expect(card(page).getByRole('button', { name: /^Resend in/ })).toBeDisabled()
    await expectNoViolations(page)
    const phone = await (await browser.newContext()).newPage()
    await phone.goto((await mails.mailTo('oak@example.test')).link)
    await phone.getByRole('button', { name: /^Continue on/ }).click()
    await page.waitForURL('**/plans')
  })

  test('leads an address to the provider of the organization that has its domain', async ({
    page,
    origin,
    server,
    dns,
    provider,
  }) => {
    const { browser } = await createTeamWorld(server).person()
    const domain = 'larch.example.org'
    const { record } = await (await browser.post('/_fw/org/domains', { json: { domain } })).json()
    dns.set(record.name, [record.value])
    await browser.post(`/_fw/org/domains/${domain}/check`)
    await connectProvider(provider, browser, domain)
    await page.goto(`${origin}/welcome`)
    provider.person('fir', { email: `fir@${domain}`, email_verified: true, name: 'Fir' })
    await card(page).getByLabel('Email address').fill(`fir@${domain}`)
    await card(page).getByRole('button', { name: 'Email me a link' }).click()
    await signInAtProvider(page, 'fir')
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
