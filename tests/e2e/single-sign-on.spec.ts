import { type CustomerProvider, startCustomerProvider } from '../support/customer-provider'
import { type DnsServer, startDns } from '../support/dns'
import { expectNoViolations } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { signInAtProvider, signUp } from '../support/people'

/** A server whose customers may be on this machine: their DNS, and their OpenID provider. */
const test = base.extend<object, { dns: DnsServer; provider: CustomerProvider }>({
  dns: oncePerFile(() => startDns()),
  provider: oncePerFile(() => startCustomerProvider({ path: '/realms/larch' })),
  serverEnv: async ({ dns, provider }, use) =>
    use({ FW_DNS_SERVERS: dns.address, FW_ISSUER_ORIGINS: provider.origin, AUTH_MAGIC_LINK: '1' }),
})

const DOMAIN = 'larch.example.org'

test('an owner proves a domain, connects a provider, and a colleague signs in by it', async ({
  page,
  origin,
  browser,
  dns,
  provider,
}) => {
  await signUp(page, origin)
  await page.goto('/team/single-sign-on')
  await expect(page.getByRole('heading', { name: 'No domain yet' })).toBeVisible()
  await expectNoViolations(page)

  await page.getByRole('button', { name: 'Add a domain' }).click()
  await page.getByRole('textbox', { name: 'Domain' }).fill('gmail.com')
  await page.getByRole('button', { name: 'Show the record' }).click()
  await expect(page.getByText('Anyone can have an address at this domain.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Domain' }).fill(DOMAIN)
  await page.getByRole('button', { name: 'Show the record' }).click()
  const proof = page.getByRole('dialog', { name: `Prove ${DOMAIN}` })
  const value = (await proof.getByText(/^fairway-domain=/).textContent()) ?? ''
  dns.set(`_fairway-challenge.${DOMAIN}.${DOMAIN}`, [value])
  await proof.getByRole('button', { name: 'Check now' }).click()
  await expect(proof.getByText('Your DNS panel appends the domain')).toBeVisible()
  await expectNoViolations(page)
  dns.set(`_fairway-challenge.${DOMAIN}`, [value])
  await proof.getByRole('button', { name: 'Check now' }).click()
  await expect(proof).toBeHidden()
  await expect(page.getByRole('list', { name: 'Domains' }).getByText('Proved')).toBeVisible()

  await page.getByRole('button', { name: 'Add a connection' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a connection' })
  await adding.getByLabel('Name').fill('Larch login')
  await adding.getByRole('button', { name: 'Continue' }).click()
  const form = page.getByRole('dialog', { name: 'Set up Larch login' })
  const redirectUri = (await form.getByText(/\/_fw\/auth\/callback\/connection\//).textContent()) ?? ''
  const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }
  provider.register({ ...client, redirectUri })
  await form.getByLabel('Issuer').fill(`${provider.origin}/nowhere`)
  await form.getByLabel('Client ID').fill(client.clientId)
  await form.getByLabel('Client secret', { exact: true }).fill(client.clientSecret)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('No OpenID provider answers there.')).toBeVisible()
  await expectNoViolations(page)
  await form.getByLabel('Issuer').fill(provider.issuer)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toBeHidden()

  provider.person('ada', { email: `ada@${DOMAIN}`, email_verified: true, name: 'Ada' })
  await page.getByRole('button', { name: 'Test: Larch login' }).click()
  await page.getByRole('button', { name: 'Sign in at the provider' }).click()
  await signInAtProvider(page, 'ada')
  await expect(page.getByText('The test was successful.', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Activate: Larch login' }).click()
  const review = page.getByRole('dialog', { name: 'Activate Larch login?' })
  await expect(review.getByText('New people from the proved domains become members')).toBeVisible()
  await expectNoViolations(page)
  await review.getByRole('button', { name: 'Activate' }).click()
  await expect(page.getByRole('list', { name: 'Identity provider' }).getByText('Active')).toBeVisible()

  const colleague = await (await browser.newContext({ baseURL: origin })).newPage()
  await colleague.goto('/sign-in?return=/notes')
  await colleague.getByRole('textbox', { name: 'Email address' }).fill(`ada@${DOMAIN}`)
  await colleague.keyboard.press('Enter')
  await signInAtProvider(colleague, 'ada')
  await expect(colleague.getByRole('heading', { name: 'Notes', level: 1 })).toBeVisible()
  await colleague.goto('/settings/security')
  await expect(colleague.getByText('Larch login')).toBeVisible()
  await colleague.context().close()

  await page.getByRole('button', { name: `Actions for ${DOMAIN}` }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page
    .getByRole('dialog', { name: `Remove ${DOMAIN}?` })
    .getByRole('button', { name: 'Remove' })
    .click()
  const ending = page.getByRole('dialog', { name: `End what needs ${DOMAIN} and remove it?` })
  await expect(ending.getByText('“Larch login” is switched off, and 1 person is no longer led')).toBeVisible()
  await expectNoViolations(page)
  await ending.getByRole('button', { name: 'End all and remove' }).click()
  await expect(page.getByRole('heading', { name: 'No domain yet' })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Identity provider' }).getByText('Off')).toBeVisible()
})
