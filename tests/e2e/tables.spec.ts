import type { Locator, Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'
import { query } from '../support/query'
import type { TestServer } from '../support/server'

const LONG = 'Bartholomew Featherstonehaugh-Cholmondeley the Third of Upper Slaughter'

test.use({ serverEnv: { FW_OPERATORS: 'ada@example.test' } })

test.beforeEach(async ({ page, origin, server }) => {
  await signUp(page, origin)
  await page.request.get('/_fw/session')
  await query(server, 'update users set email_verified = 1')
})

/** Adds people with these names to Ada's organization. */
async function addMembers(server: TestServer, names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const email = `${name.toLowerCase().replaceAll(/\W+/g, '.')}@example.test`
    await query(
      server,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`,
      [`m${index}`, name, email],
    )
    await query(
      server,
      `insert into org_members (org_id, user_id, role, joined_at) select org_id, ?, 'member', ? from org_members limit 1`,
      [`m${index}`, Date.now() + index],
    )
  }
}

/** Adds two events of Ada: a failed sign-in, and a linked account with a long subject. */
async function addEvents(server: TestServer): Promise<void> {
  const rows = [
    ['e1', 1, 'sign-in-failed', null, 'password'],
    ['e2', 2, 'account-linked', LONG, ''],
  ] as const
  for (const [id, at, kind, subject, reason] of rows)
    await query(
      server,
      `insert into security_events (id, at, kind, subject, user_id, reason, client_address)
        select ?, ?, ?, ?, id, ?, '192.0.2.7' from users`,
      [id, Date.now() - at * 60_000, kind, subject, reason],
    )
}

const wider = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Expects that no row is higher than its buttons, and that the page is no wider than the window. */
async function expectOneLineEach(page: Page, rows: Locator, most = 60): Promise<void> {
  expect(await wider(page)).toBe(0)
  for (const row of await rows.all()) expect((await row.boundingBox())?.height).toBeLessThan(most)
}

/** Opens a panel by its button with the keyboard and closes it with Escape; the focus moves in and back. */
async function expectPanel(page: Page, button: Locator, name: string | RegExp): Promise<void> {
  const address = page.url()
  await button.press('Enter')
  const panel = page.getByRole('dialog', { name })
  await expect(panel).toBeVisible()
  await expect(panel.locator(':focus')).toHaveCount(1)
  await expectNoViolationsInBothColours(page)
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(button).toBeFocused()
  expect(page.url()).toBe(address)
}

test('the members table has one-line rows, a select-all box, sortable headings and an action menu', async ({
  page,
  server,
}) => {
  await addMembers(server, ['Grace', 'Edsger', LONG])
  await page.goto('/team')
  const table = page.getByRole('table', { name: 'Members' })
  const all = table.getByRole('columnheader').getByRole('checkbox', { name: 'Select all on this page' })
  await expect(all).not.toBeChecked()
  await table.getByRole('checkbox', { name: 'Select Grace' }).click()
  await expect(all).toBeChecked({ indeterminate: true })
  await expect(page.getByRole('region', { name: 'Selected rows' })).toContainText('1 selected')
  await expectNoViolationsInBothColours(page)
  await all.press('Space')
  await expect(all).toBeChecked()
  await expect(page.getByText('3 selected')).toBeVisible()
  await all.press('Space')
  await expect(page.getByRole('region', { name: 'Selected rows' })).toHaveCount(0)

  const heading = table.getByRole('columnheader', { name: 'Name' })
  await heading.getByRole('button').click()
  await expect(heading).toHaveAttribute('aria-sort', 'ascending')
  await heading.getByRole('button').press('Enter')
  await expect(heading).toHaveAttribute('aria-sort', 'descending')
  // A row that moves closes its menu.
  await expect(table.getByRole('row').last()).toContainText('Ada')

  const actions = table.getByRole('button', { name: 'Actions for Grace' })
  await actions.press('Enter')
  await expect(page.getByRole('menuitem')).toHaveText(['Show in the audit log', 'Change role', 'Remove Grace'])
  await expectNoViolationsInBothColours(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(actions).toBeFocused()
  await actions.press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /^Remove Grace/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  for (const width of [768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expectOneLineEach(page, table.getByRole('row'))
  }
  await expect(table.getByTitle(new RegExp(`^${LONG} · .*@example.test$`))).toBeVisible()
  await page.setViewportSize({ width: 375, height: 800 })
  await expect(page.getByRole('checkbox', { name: 'Select all on this page' })).toBeVisible()
  expect(await wider(page)).toBe(0)
})

test('the audit log has one-line rows and shows all details of an entry in a side panel', async ({ page, origin }) => {
  await runAction(page, origin, 'create-note', { title: `The will of ${LONG}`, text: '' })
  await runAction(page, origin, 'create-note', { title: 'Weekly metrics', text: '' })
  await page.goto('/audit?range=7d')
  const rows = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
  await expect(rows).toHaveCount(2)
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
  for (const width of [768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expectOneLineEach(page, rows)
  }
  await page.setViewportSize({ width: 375, height: 800 })
  await expectOneLineEach(page, rows, 80)
  await page.getByRole('button', { name: /^Show details: Ada created The will/ }).click()
  await expect(page.getByRole('dialog')).toBeInViewport({ ratio: 1 })
  await expectNoViolationsInBothColours(page)
})

test('security events show people by name in one-line rows and all details in a side panel', async ({
  page,
  server,
}) => {
  await addEvents(server)
  await page.goto('/security')
  const table = page.getByRole('table', { name: 'Events' })
  const rows = table.getByRole('row')
  await expect(rows.filter({ hasText: 'Sign-in failed' }).getByRole('cell', { name: 'Ada' })).toBeVisible()
  await expect(table.getByText('ada@example.test')).toHaveCount(0)
  await expectPanel(page, table.getByRole('button', { name: 'Show details: Sign-in failed' }), 'Sign-in failed')
  await rows.filter({ hasText: 'Sign-in failed' }).getByRole('cell').last().click()
  const panel = page.getByRole('dialog', { name: 'Sign-in failed' })
  for (const text of ['ada@example.test', '192.0.2.7', 'password']) await expect(panel.getByText(text)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  for (const width of [768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expectOneLineEach(page, rows)
  }
  await expect(table.getByTitle(`Account linked: ${LONG}`, { exact: true })).toBeVisible()
  await page.setViewportSize({ width: 375, height: 800 })
  const cards = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  await expect(cards.first()).toContainText('Ada')
  await expectOneLineEach(page, cards, 80)
  await expectNoViolationsInBothColours(page)
})
