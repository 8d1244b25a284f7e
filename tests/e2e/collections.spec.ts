import type { Locator, Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { noteTitle } from '../support/query'
import { expect, test } from '../support/e2e'
import { createNotes, signUp } from '../support/people'

const TOTAL = 75

/** Opens the notes of a person with 75 notes. */
async function openNotes(page: Page, origin: string): Promise<void> {
  await signUp(page, origin)
  await createNotes(page, origin, TOTAL)
  await page.goto('/notes')
  await expect(titles(page).first()).toBeVisible()
}

const titles = (page: Page): Locator => page.getByRole('main').getByRole('heading', { level: 2 })
const range = (page: Page, text: string): Locator => page.getByText(text, { exact: true }).and(page.locator('.tabular'))
const turn = (page: Page, name: string): Locator => page.getByRole('button', { name: `${name} page` })
const query = (page: Page): string => new URL(page.url()).search

test('the notes table pages forward and back, and the browser history restores the previous page', async ({
  page,
  origin,
}) => {
  const asked: string[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    const asks = searchParams.get('page') ?? 'first'
    // A change can load a page again.
    if (pathname.endsWith('/note-list') && asks !== asked.at(-1)) asked.push(asks)
  })
  await openNotes(page, origin)
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
  expect(asked).toEqual(['first', '2', '3', '2', '1'])

  const sort = page.getByRole('columnheader', { name: 'Title' }).getByRole('button')
  await sort.click()
  await expect(titles(page).first()).toHaveText(noteTitle(1))
  await page.goBack()
  await expect(titles(page).first()).toHaveText(noteTitle(75))
})

test('the notes table works with the keyboard alone', async ({ page, origin }) => {
  await openNotes(page, origin)
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

test('notes appear as cards on a phone in dark mode, no wider than the screen', async ({ page, origin }) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openNotes(page, origin)
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
  await expectNoViolations(page)
})
