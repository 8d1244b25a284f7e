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

test('a two-key shortcut opens a page', async ({ page }) => {
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

test('one key focuses the page’s search, or the command palette on a page without search', async ({ page }) => {
  await open(page, '/notes')
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await expect(page.getByRole('searchbox')).toHaveValue('')
  await open(page, '/settings')
  await page.keyboard.press('/')
  await expect(page.getByPlaceholder('Search pages and actions')).toBeFocused()
})

test('one key creates the page’s main item, which the command palette also offers', async ({ page }) => {
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

test('shortcuts do nothing while typing, with a modifier key or behind a dialog', async ({ page }) => {
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

test('the shortcut list shows all groups, opens from the account menu and has no accessibility violation', async ({
  page,
}) => {
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

test('shortcuts can be turned off on this device in the settings', async ({ page }) => {
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
