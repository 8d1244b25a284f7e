import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
})

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(pageHeading(page)).toBeVisible()
}

test('two keys lead to a page', async ({ page }) => {
  await open(page, '/')
  for (const [key, title] of [
    ['n', 'Notes'],
    ['t', 'Team'],
    ['o', 'Tools'],
    ['s', 'Settings'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect(pageHeading(page)).toHaveText(title)
  }
})

test('one key searches on the page, or in the palette where the page has no search', async ({ page }) => {
  await open(page, '/notes')
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await expect(page.getByRole('searchbox')).toHaveValue('')
  await open(page, '/settings')
  await page.keyboard.press('/')
  await expect(page.getByPlaceholder('Search pages and actions')).toBeFocused()
})

test('one key creates what the page is for, and it is found in the palette', async ({ page }) => {
  await open(page, '/notes')
  await page.keyboard.press('c')
  await expect(page).toHaveURL(/\/notes\/new$/)
  await open(page, '/notes')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('option', { name: 'New note' })).toBeVisible()
  await page.keyboard.press('Escape')
  await open(page, '/settings')
  await page.keyboard.press('c')
  await expect(page).toHaveURL(/\/settings$/)
})

test('nothing happens while somebody types, with a modifier, or behind a dialog', async ({ page }) => {
  await open(page, '/notes')
  const search = page.getByRole('searchbox')
  await search.pressSequentially('gt?c/')
  await expect(search).toHaveValue('gt?c/')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await search.fill('')
  await search.blur()
  await page.keyboard.press('Alt+c')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await expect(pageHeading(page)).toHaveText('Notes')
})

test('the list names all of them, is opened from the account menu too, and has no violation', async ({ page }) => {
  await open(page, '/notes')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const name of ['General', 'On this page', 'Go to']) {
    await expect(dialog.getByRole('heading', { name })).toBeVisible()
  }
  await expect(dialog.locator('dl > div').filter({ hasText: 'New note' })).toContainText(/c$/)
  await expectNoViolationsInBothColours(page)
})

test('they are switched off on this device in the settings', async ({ page }) => {
  await open(page, '/settings/appearance')
  await page.getByRole('group', { name: 'Keyboard shortcuts' }).getByRole('radio', { name: 'Off' }).check()
  await open(page, '/notes')
  await page.keyboard.press('?')
  await page.keyboard.press('c')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(/\/notes$/)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByPlaceholder('Search pages and actions')).toBeVisible()
})
