import type { Page } from '@playwright/test'
import { expectNoViolations, expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { createBrowser, signUp as signUpOutside } from '../support/http'
import { invitationPath } from '../support/mail'
import { aPerson, browserOf, pageHeading, signUp } from '../support/people'
import { confirmAddress } from '../support/query'
import type { TestServer } from '../support/server'
import { invite } from '../support/team'

async function inviteGrace({ origin }: TestServer, by: string): Promise<void> {
  const inviter = createBrowser(origin)
  await signUpOutside(inviter, aPerson(by))
  await invite(inviter, 'grace@example.test')
}

const banner = (page: Page) => page.getByRole('region', { name: 'Waiting for you' })
const inSidebar = (page: Page) => page.getByRole('complementary').getByRole('region', { name: 'Waiting for you' })
const accept = (page: Page) => banner(page).getByRole('button', { name: /^Accept/ })

test.beforeEach(({ page, origin }) => signUp(page, origin, aPerson('Grace')).then(() => undefined))

test('the invitation banner is below the pages in the sidebar, and behind the bell of narrow screens', async ({
  page,
  server,
}) => {
  await page.request.get('/_fw/session')
  await inviteGrace(server, 'Ada')
  await page.goto('/')
  await expect(inSidebar(page)).toContainText('Ada invited you')
  await expect(banner(page)).toHaveCount(1)
  await expectNoViolationsInBothColours(page)
  await accept(page).click()
  await expect(page.getByRole('dialog', { name: /^Join Ada.*\?$/ })).toBeVisible()
  await expectNoViolations(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  await expect(accept(page)).toHaveCount(0)
  await expectNoViolations(page)
  await inSidebar(page).getByRole('button', { name: '1 thing waits for you: expand the sidebar' }).click()
  await expect(accept(page)).toBeVisible()

  for (const name of ['Barbara', 'Edsger', 'Donald', 'Margaret', 'Ken']) await inviteGrace(server, name)
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
  await expect(banner(page)).toHaveCount(0)
  const waiting = page.getByRole('banner').getByRole('button', { name: 'Inbox: 6 new' })
  await expect(waiting).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await expectNoViolationsInBothColours(page)
  await waiting.click()
  const inbox = page.getByRole('dialog', { name: 'Inbox' })
  await expect(inbox.getByRole('link', { name: "Answer: Ada invited you to Ada's organization." })).toBeVisible()
  await expect(inbox.getByRole('listitem')).toHaveCount(6)
  await expectNoViolationsInBothColours(page)
  await page.keyboard.press('Escape')
  await expect(waiting).toBeFocused()

  await page.getByRole('button', { name: 'Open the menu' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByRole('button', { name: /^Organization Grace/ })).toBeVisible()
  await drawer.getByRole('button', { name: 'Waiting for you 6' }).click()
  await expect(banner(page)).toContainText('Ada invited you')
  await expectNoViolations(page)

  await banner(page).getByRole('button', { name: 'Later' }).click()
  await expect(banner(page)).toHaveCount(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await pageHeading(page).waitFor()
  await expect(banner(page)).toHaveCount(0)
})

test('a new person opens the emailed link, creates an account and joins with that one email', async ({
  page,
  browser,
  origin,
  server,
}) => {
  const email = 'maria@example.test'
  await invite(await browserOf(page, origin), email)
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
  await expectNoViolations(guest)
  await guest.context().close()
})

test.describe('for an operator', () => {
  test.use({ serverEnv: { FW_OPERATORS: 'grace@example.test' } })

  test('every page and section is in view at 1280 × 700, also beside a waiting invitation', async ({
    page,
    server,
  }) => {
    await page.request.get('/_fw/session')
    await confirmAddress(server, 'grace@example.test')
    await inviteGrace(server, 'Ada')
    await page.setViewportSize({ width: 1280, height: 700 })
    for (const [path, count] of [
      ['/settings', 5],
      ['/team', 12],
      ['/operator', 8],
    ] as const) {
      await page.goto(path)
      await expect(inSidebar(page)).toContainText('Ada invited you')
      const sections = page.getByRole('main').getByRole('navigation').getByRole('link')
      await expect(sections).toHaveCount(count)
      const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      for (const link of [...(await sections.all()), ...(await pages.all())])
        await expect(link).toBeInViewport({ ratio: 1 })
    }
  })
})
