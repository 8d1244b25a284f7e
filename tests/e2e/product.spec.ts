import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { aPerson, pageHeading, type Person, signUp, signUpByForm } from '../support/people'
import { type StripeServer, startStripe } from '../support/stripe'
import { query } from '../support/query'

/** A new application that sells plans, from the first page to the end of the subscription. */
const test = base.extend<object, { stripe: StripeServer }>({
  stripe: oncePerFile(startStripe),
  serverEnv: async ({ stripe }, use) => use({ ...stripe.env, FW_OPERATORS: 'olga@example.test' }),
})
test.use({ application: 'author' })

const ada = aPerson()
const olga = aPerson('Olga')

async function signUpAsReader(page: Page, person: Person): Promise<void> {
  await page.goto('/about')
  await page.locator('main').getByRole('link', { name: 'Sign in' }).first().click()
  await signUpByForm(page, person)
  await expect(pageHeading(page)).toBeVisible()
}

async function signInWith(page: Page, person: Person): Promise<void> {
  await page.goto('/sign-in')
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(person.email)
  await form.getByLabel('Password', { exact: true }).fill(person.password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
}

async function addQuote(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title)
  await page.getByRole('button', { name: 'Add' }).click()
}

for (const width of [375, 1280])
  test(`a person tries, buys, shares and cancels a plan, and an operator suspends and views the account, at ${width} px`, async ({
    browser,
    page,
    origin,
    server,
    stripe,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    await signUpAsReader(page, ada)

    // The free plan and its limit.
    await page.goto('/quotes')
    await expect(page.getByRole('heading', { name: 'Seedling' })).toBeVisible()
    await addQuote(page, 'Two acres')
    await expect(page.getByRole('listitem').filter({ hasText: 'Two acres' })).toBeVisible()
    await addQuote(page, 'Three acres')
    await expect(page.getByRole('listitem').filter({ hasText: 'Three acres' })).toBeVisible()
    await addQuote(page, 'Four acres')
    await expect(page.getByText('Your organization has reached a limit of its plan.')).toBeVisible()

    // The payment page and the event that Stripe signs.
    await page.getByRole('button', { name: 'Upgrade to Forest' }).click()
    await expect(page.getByRole('heading', { name: 'Pay for your plan' })).toBeVisible()
    const orgId = stripe.checkouts.at(-1) ?? ''
    const subscription = stripe.subscribe(orgId)
    await page.getByRole('link', { name: 'Done' }).click()
    await expect(page).toHaveURL(`${origin}/team/plan`)
    await stripe.tell(origin, subscription)
    await expect(async () => {
      await page.reload()
      await expect(page.getByRole('heading', { name: 'Forest' })).toBeVisible({ timeout: 2000 })
    }).toPass()
    await expect(page.getByText('2 of 100')).toBeVisible()
    await page.goto('/quotes')
    await addQuote(page, 'Four acres')
    await expect(page.getByRole('listitem').filter({ hasText: 'Four acres' })).toBeVisible()

    // The person invites a colleague.
    await page.goto('/team')
    await page.getByRole('button', { name: 'Invite people' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').first().fill('grace@example.test')
    await dialog.getByRole('button', { name: 'Invite 1 person' }).click()
    await expect(page.getByText('1 person was invited.').first()).toBeVisible()

    // The operator suspends the person and ends the suspension.
    const other = await browser.newContext({ baseURL: origin, viewport: { width, height: 800 } })
    const console = await other.newPage()
    await signUp(console, origin, olga)
    await query(server, 'update users set email_verified = 1 where email = ?', [olga.email])
    await console.goto('/operator')
    await console.getByRole('searchbox', { name: 'Name or address' }).fill('ada@')
    await console.getByRole('button', { name: 'Open ada@example.test' }).click()
    await console.getByRole('button', { name: 'Suspend' }).click()
    const question = console.getByRole('dialog', { name: 'Suspend ada@example.test?' })
    await question.getByLabel('Reason').fill('An unpaid bill')
    await question.getByRole('button', { name: 'Suspend' }).click()
    await expect(console.getByText('The account is suspended.').first()).toBeVisible()
    // The open page learns of the suspension and leaves.
    await expect(page).toHaveURL(/\/sign-in/)
    await signInWith(page, ada)
    await expect(page.getByText('An unpaid bill')).toBeVisible()
    await expectNoViolations(page)
    await console.getByRole('button', { name: 'End suspension' }).click()
    await console.getByRole('dialog').getByRole('button', { name: 'End suspension' }).last().click()
    await expect(console.getByText('The suspension has ended.').first()).toBeVisible()
    await signInWith(page, ada)
    await expect(pageHeading(page)).toBeVisible()

    // The operator views the application as this person, cannot change it, and returns.
    await console.getByRole('button', { name: 'View as' }).click()
    const reason = console.getByRole('dialog', { name: 'View as ada@example.test?' })
    await reason.getByLabel('Reason').fill('Ticket 4711')
    await reason.getByRole('button', { name: 'View as' }).click()
    const banner = console.getByRole('complementary', { name: 'View as' })
    await expect(banner).toContainText('30 minutes left')
    await console.goto('/quotes')
    await addQuote(console, 'In her name')
    await expect(console.getByText('You are viewing as another person.').first()).toBeVisible()
    await expectNoViolations(console)
    await banner.getByRole('button', { name: 'Stop viewing' }).click()
    await expect(console).toHaveURL(/\/operator/)
    await expect(banner).toHaveCount(0)

    // After the subscription ends, the quotes remain and no new one is accepted.
    subscription.status = 'canceled'
    await stripe.tell(origin, { ...subscription, type: 'customer.subscription.deleted', id: undefined })
    await expect(async () => {
      await page.goto('/quotes')
      await expect(page.getByRole('heading', { name: 'Seedling' })).toBeVisible({ timeout: 2000 })
    }).toPass()
    await expect(page.getByText('3 of 2')).toBeVisible()
    await addQuote(page, 'Five acres')
    await expect(page.getByText('Your organization has reached a limit of its plan.')).toBeVisible()
    await expect(page.getByRole('list', { name: 'Quotes' }).getByRole('listitem')).toHaveCount(3)
    await other.close()
  })
