import type { Locator, Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { insertNotes, noteTitle } from '../support/query'
import { expect, test } from '../support/e2e'
import { aPerson, signUp } from '../support/people'

const NOTES = /\/note-list(\?|$)/
const TOTAL = 75

/** Opens the notes of a person with 75 notes. */
async function openNotes(page: Page, server: Parameters<typeof insertNotes>[0], path = '/notes'): Promise<void> {
  const ada = await signUp(page, server.origin, aPerson())
  // A person's first request creates their organization.
  await page.request.get('/_fw/session')
  await insertNotes(server, ada.email, TOTAL)
  await page.goto(path)
  await expect(titles(page).first()).toBeVisible()
}

const titles = (page: Page): Locator => page.getByRole('main').getByRole('heading', { level: 2 })
const range = (page: Page, text: string): Locator => page.getByText(text, { exact: true }).and(page.locator('.tabular'))
const turn = (page: Page, name: string): Locator => page.getByRole('button', { name: `${name} page` })
const query = (page: Page): string => new URL(page.url()).search

test('the notes table pages forward and back, and the browser history restores the previous page', async ({
  page,
  server,
}) => {
  const asked: string[] = []
  page.on('request', request => {
    if (NOTES.test(request.url())) asked.push(decodeURIComponent(new URL(request.url()).search))
  })
  await openNotes(page, server)
  await expect(range(page, '1–30 of 75')).toBeVisible()
  await expect(titles(page)).toHaveCount(30)
  await expect(titles(page).first()).toHaveText(noteTitle(75))
  await expect(turn(page, 'Previous')).toHaveAttribute('aria-disabled', 'true')

  await turn(page, 'Next').click()
  await expect(range(page, '31–60 of 75')).toBeVisible()
  await expect(titles(page).first()).toHaveText(noteTitle(45))
  expect(query(page)).toBe('?page=2')
  await expect(page.getByRole('status').filter({ hasText: '31–60 of 75' })).toHaveCount(1)

  await turn(page, 'Last').click()
  await expect(range(page, '61–75 of 75')).toBeVisible()
  await expect(turn(page, 'Next')).toHaveAttribute('aria-disabled', 'true')
  await expect(turn(page, 'Last')).toBeFocused()

  await page.goBack()
  await expect(range(page, '31–60 of 75')).toBeVisible()
  await page.reload()
  await expect(range(page, '31–60 of 75')).toBeVisible()
  await turn(page, 'First').click()
  await expect(range(page, '1–30 of 75')).toBeVisible()
  expect(query(page)).toBe('')
  expect(asked).toEqual([
    '?archived=false',
    '?archived=false&page=2',
    '?archived=false&page=3',
    '?archived=false&page=2',
    '?archived=false&page=2',
    '?archived=false&page=1',
  ])
})

test('the notes table sorts by its column headings and keeps the order in the URL', async ({ page, server }) => {
  await openNotes(page, server, '/notes?page=2')
  const heading = page.getByRole('columnheader', { name: 'Title' })
  await expect(heading).not.toHaveAttribute('aria-sort')
  await heading.getByRole('button').click()
  await expect(heading).toHaveAttribute('aria-sort', 'ascending')
  await expect(titles(page).first()).toHaveText(noteTitle(1))
  expect(query(page)).toBe('?sort=title')

  await turn(page, 'Next').click()
  await expect(titles(page).first()).toHaveText(noteTitle(31))
  expect(query(page)).toBe('?sort=title&page=2')
  await heading.getByRole('button').click()
  await expect(heading).toHaveAttribute('aria-sort', 'descending')
  await expect(titles(page).first()).toHaveText(noteTitle(75))
  await expect(page.getByRole('status').filter({ hasText: 'Title, descending. 1–30 of 75' })).toHaveCount(1)

  await page.goBack()
  await expect(titles(page).first()).toHaveText(noteTitle(31))
  await page.goto('/notes?sort=updatedAt&size=100')
  await expect(titles(page)).toHaveCount(75)
  await expect(titles(page).first()).toHaveText(noteTitle(1))
  await expect(page.getByRole('columnheader', { name: 'Changed' })).toHaveAttribute('aria-sort', 'ascending')
})

test('changing the page size starts at the first row, and a missing page shows the last one', async ({
  page,
  server,
}) => {
  await openNotes(page, server, '/notes?page=9')
  await expect(range(page, '61–75 of 75')).toBeVisible()
  expect(query(page)).toBe('?page=3')
  await turn(page, 'Previous').click()
  await expect(range(page, '31–60 of 75')).toBeVisible()
  const sizes = page.getByRole('group', { name: 'Rows per page' })
  await sizes.getByRole('button', { name: '60' }).click()
  await expect(range(page, '1–60 of 75')).toBeVisible()
  expect(query(page)).toBe('?size=60')
  await expect(sizes.getByRole('button', { name: '60' })).toHaveAttribute('aria-pressed', 'true')
  await sizes.getByRole('button', { name: '100' }).click()
  await expect(range(page, '1–75 of 75')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages of Notes' })).toHaveCount(0)
  await page.goBack()
  await page.goBack()
  await expect(range(page, '31–60 of 75')).toBeVisible()
})

test('search matches titles and texts and is stored in the URL', async ({ page, server }) => {
  await openNotes(page, server, '/notes?page=2')
  await page.getByRole('searchbox').fill('number 7')
  await expect(titles(page)).toHaveCount(7)
  expect(query(page)).toBe('?content=number+7')
  await page.getByRole('searchbox').fill('zebra')
  await expect(page.getByText('No results for “zebra”')).toBeVisible()
  await expectNoViolationsInBothColours(page)
  await page
    .getByRole('button', { name: /search/i })
    .last()
    .click()
  await expect(range(page, '1–30 of 75')).toBeVisible()
  expect(query(page)).toBe('')
})

test('archiving, pinning and undo update the table at once', async ({ page, server }) => {
  await openNotes(page, server)
  await page.getByRole('button', { name: `Archive “${noteTitle(75)}”` }).click()
  await expect(range(page, '1–30 of 74')).toBeVisible()
  await expect(titles(page).first()).toHaveText(noteTitle(74))
  await page.getByRole('button', { name: `Pin “${noteTitle(50)}”` }).click()
  await expect(titles(page).first()).toHaveText(noteTitle(50))
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(titles(page)).toHaveText([noteTitle(75)])
  expect(query(page)).toBe('?view=archived')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('The archive is empty')).toBeVisible()
  await page.goBack()
  await expect(range(page, '1–30 of 75')).toBeVisible()
})

test('old rows stay visible while the next page loads, and an outdated request is cancelled', async ({
  page,
  server,
}) => {
  await openNotes(page, server)
  const answer = Promise.withResolvers<void>()
  await page.route(/page=2/, async route => {
    await answer.promise
    await route.continue().catch(() => undefined)
  })
  const given = page.waitForEvent('requestfailed', request => request.url().includes('page=2'))
  await turn(page, 'Next').click()
  await expect(page.locator('[aria-busy=true]').getByRole('table')).toBeVisible()
  await expect(titles(page)).toHaveCount(30)
  await turn(page, 'Last').click()
  expect((await given).failure()?.errorText).toBe('net::ERR_ABORTED')
  await expect(range(page, '61–75 of 75')).toBeVisible()
  answer.resolve()
  await expect(range(page, '61–75 of 75')).toBeVisible()
})

test('the notes table works with the keyboard alone', async ({ page, server }) => {
  await openNotes(page, server)
  const press = async (button: Locator, key = 'Tab') => {
    for (let step = 0; step < 60; step++) {
      if (await button.evaluate(node => node === document.activeElement)) return page.keyboard.press('Enter')
      await page.keyboard.press(key)
    }
    throw new Error(`the keyboard does not reach ${button}`)
  }
  await press(page.getByRole('columnheader', { name: 'Title' }).getByRole('button'))
  await expect(titles(page).first()).toHaveText(noteTitle(1))
  await expect(page.getByRole('columnheader', { name: 'Title' }).getByRole('button')).toBeFocused()
  // Backwards, because each row has five buttons.
  await press(page.getByRole('group', { name: 'Rows per page' }).getByRole('button', { name: '60' }), 'Shift+Tab')
  await expect(range(page, '1–60 of 75')).toBeVisible()
  await press(turn(page, 'Next'))
  await expect(range(page, '61–75 of 75')).toBeVisible()
  await expect(turn(page, 'Next')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(range(page, '61–75 of 75')).toBeVisible()
})

test('notes appear as cards on a phone in dark mode, no wider than the screen', async ({ page, server }) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openNotes(page, server)
  await expect(page.getByRole('table')).toHaveCount(0)
  await expect(page.getByRole('article')).toHaveCount(30)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await page.getByRole('group', { name: 'Sort by' }).getByRole('button', { name: 'Title' }).click()
  await expect(titles(page).first()).toHaveText(noteTitle(1))
  await turn(page, 'Next').click()
  await expect(range(page, '31–60 of 75')).toBeVisible()
  await expect(titles(page).first()).toBeInViewport()
  await turn(page, 'Next').scrollIntoViewIfNeeded()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await expectNoViolationsInBothColours(page)
})

test('the members table keeps its own state in the URL', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/team?members-name=zebra')
  await expect(page.getByText('No results for “zebra”.')).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveValue('zebra')
  await page.getByRole('button', { name: 'Show everyone' }).click()
  await expect(page.getByRole('table', { name: 'Members' }).getByText('ada@example.test')).toBeVisible()
  expect(query(page)).toBe('')
  await expectNoViolationsInBothColours(page)
})
