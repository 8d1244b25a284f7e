import type { Locator, Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { createBrowser } from '../support/http'
import { browserOf, runAction, signUp } from '../support/people'
import { confirmAddress } from '../support/query'
import { addMember } from '../support/team'

const LONG = 'Bartholomew Featherstonehaugh-Cholmondeley the Third of Upper Slaughter'

test.use({ serverEnv: { FW_OPERATORS: 'ada@example.test' } })

test.beforeEach(async ({ page, origin, server }) => {
  const { email } = await signUp(page, origin)
  await page.request.get('/_fw/session')
  await confirmAddress(server, email)
})

const wider = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Expects that at these widths no row is higher than its buttons, and the page is no wider than the window. */
async function expectOneLineEach(page: Page, rows: Locator, widths = [768, 1280], most = 60): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await expect(rows.first()).toBeVisible()
    expect(await wider(page)).toBe(0)
    for (const row of await rows.all()) expect((await row.boundingBox())?.height).toBeLessThan(most)
  }
}

/** Opens a panel by its button with the keyboard and closes it with Escape; the focus moves in and back. */
async function expectPanel(page: Page, button: Locator, name: string | RegExp): Promise<void> {
  const address = page.url()
  await button.press('Enter')
  const panel = page.getByRole('dialog', { name })
  await expect(panel).toBeVisible()
  await expect(panel.locator(':focus')).toHaveCount(1)
  await expectNoViolations(page)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(button).toBeFocused()
  expect(page.url()).toBe(address)
}

test('the members table has one-line rows, a select-all box and an action menu', async ({ page, origin, server }) => {
  const owner = await browserOf(page, origin)
  for (const name of ['Grace', 'Edsger', LONG]) await addMember(server, owner, name)
  await page.goto('/team')
  const table = page.getByRole('table', { name: 'Members' })
  const all = table.getByRole('columnheader').getByRole('checkbox', { name: 'Select all on this page' })
  await expect(all).not.toBeChecked()
  await table.getByRole('checkbox', { name: 'Select Grace' }).click()
  await expect(all).toBeChecked({ indeterminate: true })
  await expect(page.getByRole('region', { name: 'Selected rows' })).toContainText('1 selected')
  await expectNoViolations(page)
  await all.press('Space')
  await expect(all).toBeChecked()
  await expect(page.getByText('3 selected')).toBeVisible()
  await all.press('Space')
  await expect(page.getByRole('region', { name: 'Selected rows' })).toHaveCount(0)

  const actions = table.getByRole('button', { name: 'Actions for Grace' })
  await actions.press('Enter')
  await expect(page.getByRole('menuitem')).toHaveText(['Show in the audit log', 'Change role', 'Remove Grace'])
  await expectNoViolations(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(actions).toBeFocused()
  await actions.press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /^Remove Grace/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await expectOneLineEach(page, table.getByRole('row'))
  await expect(table.getByTitle(new RegExp(`^${LONG} · .*@example.test$`))).toBeVisible()
  await page.setViewportSize({ width: 375, height: 800 })
  await expect(page.getByRole('checkbox', { name: 'Select all on this page' })).toBeVisible()
  expect(await wider(page)).toBe(0)
})

test('the audit log has one-line rows and shows all details of an entry in a side panel', async ({ page, origin }) => {
  await runAction(page, origin, 'create-note', { title: `The will of ${LONG}`, text: '' })
  await runAction(page, origin, 'create-note', { title: 'Weekly metrics', text: '' })
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto('/audit?range=7d')
  const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr')
  await expect(rows).toHaveCount(2)
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Asked to confirm')
  await expect(page.getByRole('heading', { name: 'No entries match these filters' })).toBeVisible()
  await page.goBack()
  await expect(rows).toHaveCount(2)
  expect(complaints).toEqual([])
  await expectPanel(
    page,
    page.getByRole('button', { name: 'Show details: Ada created Weekly metrics' }),
    'Ada created Weekly metrics',
  )
  // A click on the row also opens the panel.
  await rows.first().getByText('Browser').click()
  const panel = page.getByRole('dialog', { name: 'Ada created Weekly metrics' })
  await expect(panel.getByRole('definition').filter({ hasText: 'title: [text]' })).toBeVisible()
  await expect(panel.locator('time')).toHaveText(/\d{4} at \d{2}:\d{2}$/)
  await panel.getByRole('button', { name: 'Close' }).click()
  await expect(panel).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Show details: Ada created Weekly metrics' })).toBeFocused()
  await expectOneLineEach(page, rows)
  await expectOneLineEach(page, page.getByRole('list', { name: 'Audit log' }).getByRole('listitem'), [375], 80)
  await page.getByRole('button', { name: /^Show details: Ada created The will/ }).click()
  await expect(page.getByRole('dialog')).toBeInViewport({ ratio: 1 })
  await expectNoViolations(page)
})

test('security events show people by name in one-line rows and all details in a side panel', async ({
  page,
  origin,
}) => {
  const wrong = { email: 'ada@example.test', password: 'not my password' }
  await createBrowser(origin).post('/_fw/auth/sign-in/email', { json: wrong })
  const token = { name: LONG.slice(0, 60), scopes: ['mcp:read'], expiresInDays: 30 }
  await (await browserOf(page, origin)).post('/_fw/tokens', { json: token })
  await page.goto('/security')
  const table = page.getByRole('table', { name: 'Events' })
  const rows = table.getByRole('row')
  await expect(rows.filter({ hasText: 'Sign-in failed' }).getByRole('cell', { name: 'Ada' })).toBeVisible()
  await expect(table.getByText('ada@example.test')).toHaveCount(0)
  await expectPanel(page, table.getByRole('button', { name: 'Show details: Sign-in failed' }), 'Sign-in failed')
  await rows.filter({ hasText: 'Sign-in failed' }).getByRole('cell').last().click()
  const panel = page.getByRole('dialog', { name: 'Sign-in failed' })
  for (const text of ['ada@example.test', '127.0.0.1', 'password']) await expect(panel.getByText(text)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expectOneLineEach(page, rows)
  await expect(table.getByTitle(`API token created: ${token.name}`, { exact: true })).toBeVisible()
  const cards = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  await expectOneLineEach(page, cards, [375], 80)
  await expect(cards.first()).toContainText('Ada')
})
