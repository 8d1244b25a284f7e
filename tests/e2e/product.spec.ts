import type { Page } from '@playwright/test'
import { expect, oncePerFile, test as base } from '../support/e2e'
import { aPerson, pageHeading, signUp, signUpByForm } from '../support/people'
import { type StripeServer, startStripe } from '../support/stripe'
import { createTeamWorld } from '../support/team'

const test = base.extend<object, { stripe: StripeServer }>({
  stripe: oncePerFile(startStripe),
  serverEnv: async ({ stripe }, use) => use({ ...stripe.env, FW_OPERATORS: 'olga@example.test' }),
})
test.use({ application: 'author', viewport: { width: 375, height: 800 } })

const quotes = (page: Page) => page.getByRole('list', { name: 'Quotes' }).getByRole('listitem')

async function addQuote(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title)
  await page.getByRole('button', { name: 'Add' }).click()
}

/** Reloads the page until it shows this plan. */
const expectPlan = (page: Page, name: string) =>
  expect(async () => {
    await page.reload()
    await expect(page.getByRole('heading', { name })).toBeVisible({ timeout: 2000 })
  }).toPass()

test('a person reaches the limit of the free plan, buys another one and keeps their rows when it ends', async ({
  page,
  origin,
  stripe,
}) => {
  await page.goto('/about')
  await page.locator('main').getByRole('link', { name: 'Sign in' }).first().click()
  await signUpByForm(page)
  await expect(pageHeading(page)).toBeVisible()
  await page.goto('/quotes')
  await expect(page.getByRole('heading', { name: 'Seedling' })).toBeVisible()
  await addQuote(page, 'Two acres')
  await expect(quotes(page)).toHaveText(['Two acres'])
  await addQuote(page, 'Three acres')
  await expect(quotes(page)).toHaveText(['Two acres', 'Three acres'])
  await addQuote(page, 'Four acres')
  await expect(page.getByText('Your organization has reached a limit of its plan.')).toBeVisible()

  // The payment page and the event that Stripe signs.
  await page.getByRole('button', { name: 'Upgrade to Forest' }).click()
  await expect(page.getByRole('heading', { name: 'Pay for your plan' })).toBeVisible()
  const subscription = stripe.subscribe(stripe.checkouts.at(-1) ?? '')
  await page.getByRole('link', { name: 'Done' }).click()
  await expect(page).toHaveURL(`${origin}/team/plan`)
  await stripe.tell(origin, subscription)
  await expectPlan(page, 'Forest')
  await expect(page.getByText('2 of 100')).toBeVisible()
  await page.goto('/quotes')
  await addQuote(page, 'Four acres')
  await expect(quotes(page)).toHaveCount(3)

  subscription.status = 'canceled'
  await stripe.tell(origin, { ...subscription, type: 'customer.subscription.deleted', id: undefined })
  await expectPlan(page, 'Seedling')
  await expect(page.getByText('3 of 2')).toBeVisible()
  await addQuote(page, 'Five acres')
  await expect(page.getByText('Your organization has reached a limit of its plan.')).toBeVisible()
  await expect(quotes(page)).toHaveCount(3)
})

test('the open page of a suspended person leaves for the sign-in page, which shows the reason', async ({
  page,
  origin,
  server,
}) => {
  const { email, password } = await signUp(page, origin)
  await page.goto('/team')
  await expect(page.getByText(email)).toBeVisible()
  const { userId } = (await (await page.request.get('/_fw/session')).json()).session
  const olga = await createTeamWorld(server).person(aPerson('Olga'))
  const json = { reason: 'An unpaid bill' }
  expect((await olga.browser.post(`/_fw/operator/people/${userId}/suspension`, { json })).status).toBe(204)
  await page.waitForURL('**/sign-in?**')
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Password', { exact: true }).fill(password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
  await expect(page.getByText('An unpaid bill')).toBeVisible()
})
