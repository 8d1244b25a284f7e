import type { Browser, Page } from '@playwright/test'
import { ORG_PATH } from '#fairway/shared/paths'
import { expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { invitationPath } from '../support/mail'
import { aPerson, pageHeading, signUp } from '../support/people'
import { query } from '../support/query'

/** Grace has an invitation from Ada. She works in her personal organization, which keeps a credential. */
test.beforeEach(async ({ page, browser, origin }) => {
  await signUp(page, origin, aPerson('Grace'))
  await page.request.get('/_fw/session')
  const headers = { origin }
  await page.request.put(`${origin}${ORG_PATH}/vault/openai`, { data: { value: 'sk-0123456789' }, headers })
  await inviteGrace(browser, origin, 'Ada')
  await page.goto('/')
})

async function inviteGrace(browser: Browser, origin: string, by: string): Promise<void> {
  const context = await browser.newContext({ baseURL: origin })
  const page = await context.newPage()
  await signUp(page, origin, aPerson(by))
  const data = { email: 'grace@example.test' }
  const answer = await page.request.post(`${origin}${ORG_PATH}/invitations`, { data, headers: { origin } })
  expect(answer.status()).toBe(201)
  await context.close()
}

const banner = (page: Page) => page.getByRole('region', { name: 'Waiting for you' })
const inSidebar = (page: Page) => page.getByRole('complementary').getByRole('region', { name: 'Waiting for you' })
const worksIn = (page: Page, name: RegExp) => page.getByRole('button', { name })
const dialog = (page: Page) => page.getByRole('dialog', { name: /^Join Ada.*\?$/ })
const accept = (page: Page) => banner(page).getByRole('button', { name: /^Accept/ })

test('the invitation banner is below the pages in the sidebar and at the bottom of narrow screens', async ({
  page,
  browser,
  origin,
}) => {
  await expect(inSidebar(page)).toContainText('Ada invited you')
  await expect(banner(page)).toHaveCount(1)
  await expectNoViolationsInBothColours(page)
  await page.getByRole('button', { name: 'Fold the sidebar' }).click()
  await expect(accept(page)).toHaveCount(0)
  await expectNoViolations(page)
  await inSidebar(page).getByRole('button', { name: '1 thing waits for you: unfold the sidebar' }).click()
  await expect(accept(page)).toBeVisible()

  for (const name of ['Barbara', 'Edsger', 'Donald', 'Margaret', 'Ken']) await inviteGrace(browser, origin, name)
  await page.setViewportSize({ width: 1280, height: 600 })
  await page.reload()
  const all = inSidebar(page).getByRole('button', { name: 'Waiting for you 6' })
  await expect(all).toBeVisible()
  await expect(page.getByRole('link', { name: 'Settings' })).toBeInViewport({ ratio: 1 })
  await all.click()
  await expect(inSidebar(page).getByRole('listitem')).toHaveCount(6)
  await expect(page.getByRole('button', { name: /^Account Grace/ })).toBeInViewport({ ratio: 1 })
  await expectNoViolations(page)

  await page.setViewportSize({ width: 375, height: 800 })
  await expect(inSidebar(page)).toHaveCount(0)
  await expect(banner(page)).toHaveCount(1)
  await expect(banner(page)).toContainText('Ada invited you')
  await expect(banner(page)).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await expectNoViolationsInBothColours(page)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Organization Grace/ })).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('region', { name: 'Waiting for you' })).toHaveCount(0)
  await page.keyboard.press('Escape')

  await banner(page).getByRole('button', { name: 'Later' }).click()
  await expect(banner(page)).toHaveCount(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await pageHeading(page).waitFor()
  await expect(banner(page)).toHaveCount(0)
})

test('accepting an invitation joins without switching organization, with the keyboard alone', async ({ page }) => {
  await accept(page).click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await page.reload()
  await expect(worksIn(page, /^Organization Grace/)).toBeVisible()

  await accept(page).focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText(/You work in Grace.s organization/)
  await expect(dialog(page).getByRole('listitem')).toHaveText(['openai'])
  await expectNoViolationsInBothColours(page)
  const join = dialog(page).getByRole('button', { name: 'Join', exact: true })
  for (let step = 0; step < 8; step++) {
    await page.keyboard.press('Tab')
    if (await join.evaluate(node => node === document.activeElement)) break
  }
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByText(/^You joined Ada.s organization\.$/).first()).toBeVisible()
  await expect(page.getByText(/^You still work in Grace.s organization\.$/).first()).toBeVisible()
  await expect(worksIn(page, /^Organization Grace/)).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
})

test('accepting an invitation joins and switches when the person chooses to', async ({ page }) => {
  await accept(page).click()
  await dialog(page).getByRole('button', { name: 'Join and switch' }).click()
  await expect(worksIn(page, /^Organization Ada/)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByText(/You still work in/)).toHaveCount(0)
})

test('accepting an ended invitation shows the reason and removes it from the banner', async ({ page, server }) => {
  await accept(page).click()
  await query(server, `update org_invitations set status = 'revoked'`)
  await dialog(page).getByRole('button', { name: 'Join', exact: true }).click()
  await expect(dialog(page).getByRole('alert')).toContainText(/You could not join Ada.s organization/)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(banner(page)).toHaveCount(0)
})

test('the emailed invitation page asks before joining and offers to switch afterwards', async ({ page, server }) => {
  await page.goto(invitationPath(server.dataDir, 'grace@example.test'))
  await page.getByRole('button', { name: /^Join Ada/ }).click()
  await dialog(page).getByRole('button', { name: 'Join', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^You joined Ada/ })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(/You still work in Grace.s organization/)
  await expectNoViolations(page)
  await page.getByRole('button', { name: /^Switch to Ada/ }).click()
  const question = page.getByRole('dialog', { name: /^Switch to Ada/ })
  await expect(question.getByRole('listitem')).toHaveText(['openai'])
  await question.getByRole('button', { name: /^Switch to Ada/ }).click()
  await expect(worksIn(page, /^Organization Ada/)).toBeVisible()
})

test('joining by email domain asks first and keeps the current organization', async ({ page, server }) => {
  await query(server, `update org_invitations set status = 'revoked'`)
  await query(server, `update users set email_verified = 1`)
  await query(server, `update organizations set allowed_domain = 'example.test' where name like 'Ada%'`)
  await page.reload()
  await banner(page)
    .getByRole('button', { name: /^Join Ada/ })
    .click()
  await dialog(page).getByRole('button', { name: 'Join', exact: true }).click()
  await expect(page.getByText(/^You still work in Grace.s organization\.$/).first()).toBeVisible()
  await expect(worksIn(page, /^Organization Grace/)).toBeVisible()
})

test('a new person opens the emailed link, creates an account and joins with that one email', async ({
  page,
  browser,
  origin,
  server,
}) => {
  const email = 'maria@example.test'
  const answer = await page.request.post(`${origin}${ORG_PATH}/invitations`, { data: { email }, headers: { origin } })
  expect(answer.status()).toBe(201)
  const guest = await (await browser.newContext({ baseURL: origin })).newPage()
  await guest.goto(invitationPath(server.dataDir, email))
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText(/^Grace invited you to Grace.s organization$/)
  const form = guest.locator('#sign-up')
  await expect(form.getByLabel('Email address')).toHaveValue(email)
  await expectNoViolationsInBothColours(guest)
  await form.getByLabel('Name').fill('Maria')
  await form.getByLabel('Password', { exact: true }).fill('quiet harbour lantern 42')
  await form.getByRole('button', { name: 'Create account' }).click()
  await guest.getByRole('button', { name: /^Join Grace.s organization/ }).click()
  await expect(guest.getByText(/^You joined Grace.s organization/).first()).toBeVisible()
  await guest.context().close()
})
