import type { Page } from '@playwright/test'
import { MCP_CATALOG_PATH } from '#fairway/shared/paths'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'
import { query } from '../support/query'

test.beforeEach(async ({ page, origin }) => signUp(page, origin).then(() => undefined))

const list = (page: Page) => page.getByRole('navigation', { name: 'Tools', exact: true })
const entry = (page: Page, name: string) =>
  list(page)
    .getByRole('link')
    .filter({ has: page.getByText(name, { exact: true }) })
const detail = (page: Page) => page.getByRole('article')

/** Checks the current page in light and dark mode, and that it is no wider than the screen. */
async function expectGood(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await expectNoViolationsInBothColours(page)
}

test('tools are listed by folder with their effect, platform tools last', async ({ page }) => {
  await page.goto('/tools')
  await expect(entry(page, 'create-note')).toContainText('Makes changes')
  await expect(entry(page, 'list-notes')).toContainText('Read-only')
  await expect(entry(page, 'delete-note')).toContainText('Destructive')
  await expect(entry(page, 'archive-notes')).toContainText('Archive several notes')
  await expect(list(page).getByRole('heading')).toHaveText(['General', 'Lists', 'Notes', 'Team (platform)'])
  await expect(page.getByRole('heading', { name: 'Resources' })).toBeVisible()
})

test('tools have URLs, stay beside the list, and state who can call them', async ({ page }) => {
  await page.goto('/tools')
  await entry(page, 'create-note').click()
  await expect(page).toHaveURL(/\/tools\/create-note$/)
  await expect(detail(page)).toContainText('Everyone who is signed in.')
  await expect(detail(page)).toContainText('mcp:write')
  await expect(entry(page, 'create-note')).toHaveAttribute('aria-current', 'page')
  const title = detail(page).locator('dl > div').filter({ hasText: 'One line that names the note.' }).first()
  await expect(title).toContainText(/string, required.*At most \d+ characters/s)
  for (const [name, sentence] of [
    ['invite-member', 'Only owners and admins of the organization.'],
    ['change-member-role', 'Only owners and admins of the organization.'],
    ['purge-archive', 'Only people with the role curator in this application.'],
    ['list-members', 'Everyone who is signed in.'],
  ] as const) {
    await entry(page, name).click()
    await expect(detail(page)).toContainText(name)
    await expect(detail(page)).toContainText(sentence)
  }
  await page.goto('/tools/nothing-like-it')
  await expect(page.getByText('There is no tool named “nothing-like-it”')).toBeVisible()
})

test('tools can be searched and browsed with the keyboard', async ({ page }) => {
  await page.goto('/tools')
  const search = page.getByRole('searchbox', { name: 'Search tools' })
  await search.fill('share a note')
  await expect(page.getByText(/^\d tools?$/)).toBeVisible()
  await search.press('ArrowDown')
  await expect(list(page).getByRole('link').first()).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(list(page).getByRole('link').nth(1)).toBeFocused()
  await search.fill('create-note')
  await search.press('Enter')
  await expect(page).toHaveURL(/\/tools\/create-note$/)
  await search.fill('zebra')
  await expect(page.getByText('No results for “zebra”')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(entry(page, 'create-note')).toBeVisible()
})

test('tools run on their page and show the result as words and as JSON', async ({ page, server }) => {
  await page.goto('/tools/create-note')
  await page.getByRole('button', { name: 'Try create-note' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Made here')
  await page.getByRole('button', { name: 'Run create-note' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('Owner email')
  await expect(result).toContainText('Made here')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(result).toContainText('"title": "Made here"')
  expect(await query(server, 'select title from notes')).toEqual([{ title: 'Made here' }])
  await expectGood(page)
})

test('tools accept a row by its name or a typed id and confirm before deleting it', async ({
  page,
  origin,
  server,
}) => {
  await runAction(page, origin, 'create-note', { title: 'Doomed' })
  await runAction(page, origin, 'create-note', { title: 'Spared' })
  await page.goto('/tools/delete-note')
  await page.getByRole('button', { name: 'Try delete-note' }).click()
  const field = page.getByRole('combobox', { name: 'Id' })
  await field.fill('doom')
  await page.getByRole('option', { name: /^Doomed/ }).click()
  await page.getByRole('button', { name: 'Run delete-note' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run delete-note?' })
  await expect(dialog).toContainText(/Id.*Doomed \(/s)
  await dialog.getByRole('textbox').fill('delete-note')
  await dialog.getByRole('button', { name: 'Run delete-note' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toBeVisible()
  expect(await query(server, 'select title from notes')).toEqual([{ title: 'Spared' }])
  await field.fill('no-such-id')
  await page.getByRole('option', { name: /no-such-id/ }).click()
  await expect(page.getByText('fw action delete-note')).toBeHidden()
  await page.getByRole('tab', { name: 'Command line' }).click()
  await expect(page.getByText('npx fw action delete-note --id=no-such-id')).toBeVisible()
})

test('refused tools explain the failure and who has access', async ({ page }) => {
  await page.goto('/tools/purge-archive')
  await page.getByRole('button', { name: 'Try purge-archive' }).click()
  await page.getByRole('button', { name: 'Run purge-archive' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The dry run failed. Nothing has changed.' })
  await expect(alert).not.toContainText('forbidden')
  await expect(page.getByText('Access: Only people with the role curator')).toBeVisible()
})

test('tools report a field error in the language of the page', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('fairway-language', 'de'))
  await page.goto('/tools/create-note')
  await page.getByRole('button', { name: 'create-note ausprobieren' }).click()
  const field = page.getByRole('textbox', { name: 'Title' })
  await field.fill('x'.repeat(201))
  await page.getByRole('button', { name: 'create-note ausführen' }).click()
  await expect(field).toHaveAccessibleDescription(/Verwenden Sie höchstens 200 Zeichen\./)
})

test('tools with a dry run show its result before the confirmation', async ({ page, origin }) => {
  const { email } = { email: 'ada@example.test' }
  await page.goto('/tools/purge-archive')
  await expect(pageHeading(page)).toBeVisible()
  const answer = await page.request.put('/_fw/org/app-roles', {
    data: { appId: 'notes', email, role: 'curator' },
    headers: { origin },
  })
  expect(answer.ok()).toBe(true)
  await page.getByRole('button', { name: 'Try purge-archive' }).click()
  await page.getByRole('button', { name: 'Run purge-archive' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run purge-archive?' })
  await expect(dialog).toContainText(/Result of the dry run:.*Deleted.*No/s)
  await dialog.getByRole('textbox').fill('purge-archive')
  await dialog.getByRole('button', { name: 'Run purge-archive' }).click()
  await expect(page.getByRole('region', { name: 'Result' })).toContainText(/Deleted.*Yes/s)
})

test('tools show the equivalent HTTP, MCP and composable calls', async ({ page, origin }) => {
  await page.goto('/tools/list-notes')
  await expect(page.getByText(`${origin}/_fw/actions/list-notes`)).toContainText('Authorization: Bearer $FW_TOKEN')
  await page.getByRole('tab', { name: 'MCP' }).click()
  await expect(page.getByText('"method": "tools/call"')).toBeVisible()
  await expect(page.getByText(`${origin}/mcp`)).toBeVisible()
  await page.getByRole('tab', { name: 'Composable' }).click()
  await expect(page.getByText(`useAction('list-notes')`)).toBeVisible()
})

test('the tools page reports a loading failure and an empty list', async ({ page }) => {
  await page.route(`**${MCP_CATALOG_PATH}`, route => route.fulfill({ status: 503, body: 'busy' }))
  await page.goto('/tools')
  await expect(page.getByText('The tools could not be loaded.')).toBeVisible()
  await page.unroute(`**${MCP_CATALOG_PATH}`)
  await page.route(`**${MCP_CATALOG_PATH}`, route => route.fulfill({ json: { tools: [], resources: [], prompts: [] } }))
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No tools yet')).toBeVisible()
  await expectGood(page)
})

test('the tools page shows one view at a time on a phone, with a way back', async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto('/tools')
  await expect(entry(page, 'create-note')).toBeVisible()
  await expectGood(page)
  await entry(page, 'create-note').click()
  await expect(list(page)).toHaveCount(0)
  await expect(pageHeading(page)).toHaveText('Create a note')
  await page.getByRole('button', { name: 'Try create-note' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('x'.repeat(150))
  await expectGood(page)
  await page.getByRole('link', { name: 'All tools' }).click()
  await expect(list(page)).toBeVisible()
})
