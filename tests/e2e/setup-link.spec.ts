import { type CustomerProvider, startCustomerProvider } from '../support/customer-provider'
import { type DnsServer, startDns } from '../support/dns'
import { expectNothingCutOff, expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { newestMail } from '../support/mail'
import { signInAtProvider, signUp } from '../support/people'

/** A server whose customers may be on this machine: their DNS, and their OpenID provider. */
const test = base.extend<object, { dns: DnsServer; provider: CustomerProvider }>({
  dns: oncePerFile(() => startDns()),
  provider: oncePerFile(() => startCustomerProvider({ path: '/realms/larch' })),
  serverEnv: async ({ dns, provider }, use) =>
    use({ FW_DNS_SERVERS: dns.address, FW_ISSUER_ORIGINS: provider.origin, AUTH_MAGIC_LINK: '1' }),
})

const DOMAIN = 'larch.example.org'
const CONTACT = 'it@larch.example.org'

test('an IT contact without an account prepares single sign-on, an owner confirms it, and a colleague signs in', async ({
  page,
  origin,
  server,
  browser,
  dns,
  provider,
}) => {
  await signUp(page, origin)
  await page.goto('/team/single-sign-on')
  await page.getByRole('button', { name: 'Send a setup link' }).click()
  const adding = page.getByRole('dialog', { name: 'Send a setup link' })
  await adding.getByRole('textbox', { name: 'Email address of the contact' }).fill(CONTACT)
  await expectNoViolations(page)
  await adding.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('list', { name: 'Setup links' }).getByText(CONTACT)).toBeVisible()

  // The page works without scripts.
  const context = await browser.newContext({ baseURL: origin, javaScriptEnabled: false })
  const contact = await context.newPage()
  await contact.goto(newestMail(server.dataDir, CONTACT).link.href)
  await expect(contact).toHaveURL('/_fw/setup')
  await contact.getByLabel('Domain', { exact: true }).fill(DOMAIN)
  await contact.getByRole('button', { name: 'Show the record' }).click()
  const value = await contact.getByRole('textbox', { name: 'Value' }).inputValue()
  await contact.getByRole('button', { name: `Check now: ${DOMAIN}` }).click()
  await expect(contact.getByText('The DNS has no record at this name yet.')).toBeVisible()
  dns.set(`_fairway-challenge.${DOMAIN}`, [value])
  await contact.getByRole('button', { name: `Check now: ${DOMAIN}` }).click()
  await expect(contact.getByText(`${DOMAIN} is proved.`)).toBeVisible()

  await contact.getByRole('textbox', { name: 'Name' }).fill('Larch login')
  await contact.getByRole('button', { name: 'Continue' }).click()
  await contact.getByText('Keycloak', { exact: true }).click()
  const redirectUri = await contact.getByRole('textbox', { name: 'Valid redirect URIs' }).inputValue()
  const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }
  provider.register({ ...client, redirectUri })
  await contact.getByLabel('Issuer').fill(`${provider.origin}/nowhere`)
  await contact.getByLabel('Client ID').fill(client.clientId)
  await contact.getByLabel('Client secret', { exact: true }).fill(client.clientSecret)
  await contact.getByLabel('Last day of the secret').fill('2027-11-30')
  await contact.getByRole('button', { name: 'Save' }).click()
  await expect(contact.getByText('No OpenID provider answers there.')).toBeVisible()
  await contact.getByLabel('Issuer').fill(provider.issuer)
  await contact.getByRole('button', { name: 'Save' }).click()
  provider.person('ada', { email: `ada@${DOMAIN}`, email_verified: true, name: 'Ada' })
  await expect(contact.getByLabel('Last day of the secret')).toHaveValue('2027-11-30')
  await contact.getByRole('button', { name: 'Test the sign-in' }).click()
  await signInAtProvider(contact, 'ada')
  await expect(contact.getByText(`Tested with ada@${DOMAIN}.`)).toBeVisible()
  await contact.getByRole('button', { name: 'Ready: ask an owner to activate it' }).click()
  await expect(contact.getByRole('region', { name: 'Identity provider' }).getByText('Waits for an owner')).toBeVisible()

  await page.reload()
  await page.getByRole('button', { name: 'Review and confirm: The identity provider' }).click()
  const review = page.getByRole('dialog', { name: 'Confirm: The identity provider?' })
  await expect(review.getByText(provider.issuer)).toBeVisible()
  await expectNoViolations(page)
  await review.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('list', { name: 'Identity provider' }).getByText('Active')).toBeVisible()

  await contact.reload()
  await expect(contact.getByText('People sign in by this connection.')).toBeVisible()
  await context.close()

  const colleague = await (await browser.newContext({ baseURL: origin })).newPage()
  await colleague.goto('/sign-in?return=/notes')
  await colleague.getByRole('textbox', { name: 'Email address' }).fill(`ada@${DOMAIN}`)
  await colleague.keyboard.press('Enter')
  await signInAtProvider(colleague, 'ada')
  await expect(colleague.getByRole('heading', { name: 'Notes', level: 1 })).toBeVisible()
  await colleague.context().close()
})

test('the setup page is readable in both colours, fits a phone, and copies values', async ({
  page,
  origin,
  server,
  context,
}) => {
  await signUp(page, origin)
  const json = { email: CONTACT, days: 7 }
  const sent = await page.request.post('/_fw/org/setup-links', { data: json, headers: { origin } })
  expect(sent.status()).toBe(201)
  await page.goto(newestMail(server.dataDir, CONTACT).link.href)
  await page.getByLabel('Domain', { exact: true }).fill(DOMAIN)
  await page.getByRole('button', { name: 'Show the record' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Okta', { exact: true }).click()
  await page.getByRole('button', { name: `Check now: ${DOMAIN}` }).click()
  await page.getByRole('button', { name: 'Ask an owner for a directory' }).click()
  await expect(page.getByRole('region', { name: 'Directory' }).getByText('Waits for an owner')).toBeVisible()
  await expectNoViolationsInBothColours(page)
  await expectNothingCutOff(page, { width: 375, height: 700 })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy: Value' }).click()
  await expect(page.getByRole('button', { name: 'Copy: Value' })).toHaveText('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await page.getByRole('textbox', { name: 'Value' }).inputValue(),
  )
})
