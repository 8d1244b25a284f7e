import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
})

async function openAction(page: Page, name: string): Promise<void> {
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Search pages and actions').fill(name)
  await expect(page.getByRole('option').first()).toContainText(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Run ${name}` })).toBeVisible()
}

test('the command palette opens a page with the keyboard alone', async ({ page }) => {
  await page.goto('/')
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Search pages and actions').fill('settings')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the command palette runs an action, marks invalid fields, and shows the result and the equivalent API and CLI calls', async ({
  page,
  origin,
}) => {
  await page.goto('/notes')
  await expect(page.getByText('No notes yet')).toBeVisible()
  await openAction(page, 'create-note')
  await page.getByRole('button', { name: 'Run create-note' }).click()
  const title = page.getByRole('textbox', { name: 'title' })
  await expect(title).toHaveAttribute('aria-invalid', 'true')
  await expect(title).toHaveAccessibleDescription(/\w/)
  await title.fill('From the palette')
  await expect(page.getByText(`${origin}/_fw/actions/create-note`)).toBeVisible()
  await page.getByRole('tab', { name: 'Command line' }).click()
  await expect(page.getByText(`npx fw action create-note --title='From the palette'`)).toBeVisible()
  await title.press('Enter')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/Title\s*From the palette/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'From the palette' })).toBeVisible()
})

test('the command palette finds notes and people, highlights the matches and announces their number', async ({
  page,
  origin,
}) => {
  await runAction(page, origin, 'create-note', { title: 'Harbour plan', text: 'Cranes and boats' })
  await runAction(page, origin, 'create-note', { title: 'Menu', text: 'Soup' })
  await page.goto('/')
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  const search = page.getByPlaceholder('Search pages and actions')
  await search.fill('cranes')
  const note = page.getByRole('option', { name: /Harbour plan/ })
  await expect(note.locator('mark')).toHaveText('Cranes')
  await expect(page.getByRole('dialog').getByRole('status').filter({ hasText: '1 result' })).toBeAttached()
  await expectNoViolationsInBothColours(page)
  await search.fill('ada@')
  await expect(page.getByRole('option', { name: /Ada/ })).toBeVisible()
  await search.fill('zebra')
  await expect(page.getByText('No results for “zebra”')).toBeVisible()
  expect((await page.getByRole('dialog').boundingBox())?.height).toBeLessThan(200)
  await search.fill('harbour')
  await note.click()
  await expect(page).toHaveURL(/\/notes\/[\w-]+$/)
})

test('the command palette requests data after a pause in typing, not for each letter', async ({ page }) => {
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/note-list')) asked.push(new URL(request.url()).searchParams.get('content') ?? '')
  })
  await page.goto('/tools')
  await expect(pageHeading(page)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('option', { name: /create-note/ })).toBeVisible()
  await page.getByPlaceholder('Search pages and actions').pressSequentially('harbour', { delay: 20 })
  await expect(page.getByText('No results for “harbour”')).toBeVisible()
  expect(asked.at(-1)).toBe('harbour')
  expect(asked.length).toBeLessThan('harbour'.length - 1)
})

test('the command palette remembers recent entries and clears them on sign-out', async ({ page }) => {
  await page.goto('/')
  await openAction(page, 'list-notes')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByPlaceholder('Search pages and actions').fill('tools')
  await page.keyboard.press('Enter')
  await expect(pageHeading(page)).toHaveText('Tools')
  await page.keyboard.press('ControlOrMeta+k')
  const recent = page.getByRole('group', { name: 'Recent' })
  await expect(recent.getByRole('option')).toHaveText([/Tools/, /list-notes/])
  await page.getByPlaceholder('Search pages and actions').fill('sign out')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/sign-in/)
  expect(await page.evaluate(() => localStorage.getItem('fairway-recents'))).toBeNull()
})
