import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, signUp } from '../support/people'

// The berths of tests/fixtures/author: an endless list of 120 rows.
test.use({ application: 'author' })

/** Three pages load one after another, possibly on a busy machine. */
const AT_LEISURE = { timeout: 30_000 }

const rows = (page: Page) => page.getByRole('main').getByRole('link', { name: /^Berth \d/ })

test('an endless list loads more rows when its end becomes visible, and going back restores them and the scroll position', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/berth-list?')) asked.push(new URL(request.url()).search)
  })
  await page.goto(`${origin}/berths`)
  await expect(rows(page).first()).toBeVisible()
  const before = await rows(page).count()
  expect(before).toBeLessThan(120)
  await page.mouse.move(600, 400)
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 1500)
      return rows(page).count()
    }, AT_LEISURE)
    .toBe(120)
  await expect(page.getByText('1–120 of 120').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0)
  await page.mouse.wheel(0, 3000)
  expect(asked).toEqual(['?page=2', '?page=3', '?page=4'])
  await expectNoViolations(page)

  await rows(page).nth(95).scrollIntoViewIfNeeded()
  await rows(page).nth(95).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Berth 96')
  await page.goBack()
  await expect(rows(page)).toHaveCount(120)
  await expect(rows(page).nth(95)).toBeInViewport()
})

test('a failed load keeps the rows and offers a retry button that works with the keyboard', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  let isBroken = true
  await page.route('**/berth-list?page=*', route => (isBroken ? route.abort() : route.continue()))
  await page.goto(`${origin}/berths`)
  await expect(rows(page)).toHaveCount(30)
  await page.keyboard.press('End')
  await expect(page.getByText('The next rows could not be loaded.')).toBeVisible()
  await expect(rows(page)).toHaveCount(30)
  isBroken = false
  const button = page.getByRole('button', { name: 'Try again' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => rows(page).count()).toBeGreaterThan(30)
  await expect
    .poll(async () => {
      await page.keyboard.press('End')
      return rows(page).count()
    }, AT_LEISURE)
    .toBe(120)
})

test('an item page distinguishes an existing, a missing and a forbidden item', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto(`${origin}/berths/7`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Berth 7')
  await page.getByRole('link', { name: 'Further' }).click()
  await expect(page.getByText('There is no such berth.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('error')
  await page.context().clearCookies()
  await signUp(page, origin, aPerson('Eve'))
  await page.goto(`${origin}/berths/7`)
  await expect(page.getByText('This is not for you.')).toBeVisible()
})
