import type { Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'
import { query } from '../support/query'
import type { TestServer } from '../support/server'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/')
  await pageHeading(page).waitFor()
})

/** Adds people with these names to Ada's organization; every third is an admin. */
async function addMembers(server: TestServer, names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const id = `member-${index}`
    await query(
      server,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`,
      [id, name, `${name.toLowerCase().replaceAll(' ', '.')}@example.test`],
    )
    await query(
      server,
      `insert into org_members (org_id, user_id, role, joined_at) select m.org_id, ?, ?, ? from org_members m
        join users u on u.id = m.user_id where u.email = 'ada@example.test'`,
      [id, index % 3 === 2 ? 'admin' : 'member', Date.now() + index],
    )
  }
}

const names = (page: Page) =>
  page.getByRole('table', { name: 'Members' }).getByRole('row').locator('td:nth-child(2) p:first-child')
const rolesOf = (server: TestServer) =>
  query(
    server,
    `select u.name as name, m.role as role from org_members m join users u on u.id = m.user_id order by u.name`,
  )

test('members are sorted, filtered by role and exported', async ({ page, server, origin }) => {
  await addMembers(server, ['Grace', 'Edsger', 'Barbara'])
  await page.goto('/team')
  await expect(names(page)).toHaveText([/^Ada/, 'Grace', 'Edsger', 'Barbara'])
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await expect(names(page)).toHaveText([/^Ada/, 'Barbara', 'Edsger', 'Grace'])
  await expect(page).toHaveURL(/members-sort=name/)
  await page.getByRole('button', { name: 'Last active', exact: true }).click()
  await expect(names(page).first()).toHaveText(/^Ada/)
  await expect(page.getByRole('cell', { name: 'Signed out' })).toHaveCount(3)
  await expectNoViolationsInBothColours(page)

  await page.getByRole('combobox', { name: 'Filter by role' }).selectOption('Owners and admins')
  await expect(names(page)).toHaveText([/^Ada/, 'Barbara'])
  await page.getByRole('combobox', { name: 'Filter by role' }).selectOption('Admins')
  await expect(names(page)).toHaveText(['Barbara'])
  const href = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')
  const text = await (await page.request.get(`${origin}${href}`)).text()
  expect(text.trimEnd().split('\r\n')).toEqual([
    '\uFEFFname,email,role,joinedAt,lastActiveAt',
    expect.stringMatching(/^Barbara,barbara@example.test,admin,/),
  ])
})

test('several members change role or are removed at once, and each unchanged member is named with the reason', async ({
  page,
  server,
}) => {
  await addMembers(server, ['Grace', 'Edsger', 'Barbara'])
  await page.goto('/team')
  await page.getByRole('checkbox', { name: 'Select Grace' }).click()
  await page.getByRole('checkbox', { name: 'Select Edsger' }).click()
  await expect(page.getByText('2 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Change role', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Admin', exact: true }).click()
  await expectNoViolationsInBothColours(page)
  await dialog.getByRole('button', { name: 'Make Admin' }).click()
  await expect(page.getByText('2 people are now Admin.').first()).toBeVisible()
  expect(await rolesOf(server)).toMatchObject([
    { name: 'Ada', role: 'owner' },
    { name: 'Barbara', role: 'admin' },
    { name: 'Edsger', role: 'admin' },
    { name: 'Grace', role: 'admin' },
  ])

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await expect(page.getByText('3 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(3)
  const remove = dialog.getByRole('button', { name: 'Remove 3 people' })
  // The dialog has counted the data to delete by then.
  await expect(remove).toBeEnabled()
  await query(server, `delete from org_members where user_id = 'member-1'`)
  await remove.click()
  await expect(dialog.getByRole('alert')).toHaveText('1 person was not changed:')
  await expect(dialog.getByRole('listitem')).toContainText('edsger@example.test')
  await expect(dialog.getByRole('listitem')).not.toContainText('not-found')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: '1 member' })).toBeVisible()
  expect(await rolesOf(server)).toMatchObject([{ name: 'Ada' }])
})

test('a changed role can be undone with one press', async ({ page, server }) => {
  await addMembers(server, ['Grace'])
  await page.goto('/team')
  await page.getByRole('button', { name: 'Role of Grace: Member' }).click()
  await page.getByRole('menuitemcheckbox', { name: /^Admin/ }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: 'Role of Grace: Member' })).toBeVisible()
  expect(await rolesOf(server)).toMatchObject([{ name: 'Ada' }, { name: 'Grace', role: 'member' }])
})

test('members appear on a phone as cards with all actions, twenty per page', async ({ page, server }) => {
  await page.setViewportSize({ width: 375, height: 800 })
  await addMembers(
    server,
    Array.from({ length: 29 }, (_, index) => `Member Number ${String.fromCodePoint(97 + (index % 26))}${index}`),
  )
  await page.goto('/team')
  const cards = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
  await expect(cards).toHaveCount(20)
  await expect(cards.nth(1).getByRole('button', { name: /^Actions for Member Number/ })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2500)
  await expectNoViolationsInBothColours(page)
  await cards
    .nth(1)
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Change role' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Admin', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make Admin' }).click()
  await expect(cards.nth(1)).toContainText('Admin')
})

test('a copied invitation link works only for the invited address and keeps the emailed link valid', async ({
  page,
  context,
  browser,
  origin,
  server,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.request.post('/_fw/org/invitations', { data: { email: 'grace@example.test' }, headers: { origin } })
  const [before] = await query(server, 'select token_hash as hash from org_invitations')
  await page.goto('/team/invitations')
  await page.getByRole('button', { name: 'Copy link of the invitation to grace@example.test' }).click()
  await expect(page.getByText('It works only for grace@example.test').first()).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(/\/invitation\?id=[^&]+$/)
  expect(await query(server, 'select token_hash as hash from org_invitations')).toEqual([before])

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This invitation isn’t for ada@example.test' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign out and continue' })).toBeVisible()
  await expectNoViolationsInBothColours(page)

  const elsewhere = await browser.newContext({ baseURL: origin })
  const grace = await elsewhere.newPage()
  await signUp(grace, origin, { name: 'Grace', email: 'grace@example.test', password: 'quiet harbour lantern 42' })
  await query(server, 'update users set email_verified = 1')
  await grace.goto(link)
  await grace.getByRole('button', { name: /^Join Ada/ }).click()
  await expect(grace.getByRole('heading', { name: /^You joined Ada/ })).toBeVisible()
  await elsewhere.close()
})

test('several invitations are revoked at once', async ({ page, origin, server }) => {
  const invitations = ['a', 'b', 'c'].map(name => ({ email: `${name}@example.test` }))
  await page.request.post('/_fw/org/invitations', { data: { invitations }, headers: { origin } })
  await page.goto('/team/invitations')
  await page.getByRole('checkbox', { name: 'Select a@example.test' }).click()
  await page.getByRole('checkbox', { name: 'Select b@example.test' }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expectNoViolationsInBothColours(page)
  await page.getByRole('button', { name: 'Revoke 2 invitations' }).click()
  await expect(page.getByText('2 invitations were revoked.').first()).toBeVisible()
  expect(await query(server, `select email from org_invitations where status = 'pending'`)).toMatchObject([
    { email: 'c@example.test' },
  ])
})

test('every team section has a URL, and an unknown section is not found', async ({ page }) => {
  for (const [path, heading] of [
    ['/team/roles', 'Roles in the organization'],
    ['/team/sign-in', 'Allowed domain'],
    ['/team/vault', /^Credentials of Ada/],
    ['/team/apps', 'Connected apps'],
    ['/team/general', 'About this organization'],
    ['/team/danger', 'Danger zone'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 2, name: heading })).toBeVisible()
    await expectNoViolationsInBothColours(page)
  }
  await page.getByRole('navigation', { name: 'Team' }).getByRole('link', { name: 'Audit log' }).click()
  await expect(page).toHaveURL(/\/audit$/)
  await page.goto('/team/nowhere')
  await expect(page.getByRole('heading', { name: 'There is no page at this address' })).toBeVisible()
})

test('ownership is transferred to a member found by name, with the keyboard alone', async ({ page, server }) => {
  await addMembers(server, ['Grace Hopper', 'Grace Kelly'])
  await page.goto('/team/danger')
  await page.getByRole('button', { name: 'Transfer', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Transfer Ada/ })
  const field = dialog.getByRole('combobox', { name: 'New owner' })
  await expect(dialog.getByRole('button', { name: 'Transfer ownership' })).toBeDisabled()
  await field.focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option')).toHaveText([/Grace Hopper/, /Grace Kelly/])
  await page.keyboard.type('kel')
  await expect(page.getByRole('option')).toHaveText([/Grace Kelly.*grace\.kelly@example\.test/])
  await expectNoViolationsInBothColours(page)
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('Grace Kelly')
  await dialog.getByRole('button', { name: 'Transfer ownership' }).press('Enter')
  await expect(page.getByText('Grace Kelly is now the owner.').first()).toBeVisible()
  expect(await rolesOf(server)).toMatchObject([
    { name: 'Ada', role: 'admin' },
    { name: 'Grace Hopper', role: 'member' },
    { name: 'Grace Kelly', role: 'owner' },
  ])
})

test('member search keeps known results visible while the response is slow and reuses them next time', async ({
  page,
  server,
}) => {
  await addMembers(server, ['Grace', 'Edsger'])
  await page.goto('/team/roles')
  await page.getByRole('button', { name: 'Assign role' }).click()
  const field = page.getByRole('combobox', { name: 'Member' })
  await field.click()
  await expect(page.getByRole('option')).toHaveCount(3)
  await page.route(/\/team-members\?/, () => undefined)
  await field.fill('gra')
  await expect(page.getByRole('option')).toHaveText([/Grace/])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: 'Assign role' }).click()
  await page.getByRole('combobox', { name: 'Member' }).click()
  await expect(page.getByRole('option')).toHaveCount(3)
  await page.unroute(/\/team-members\?/)
  await page.getByRole('combobox', { name: 'Member' }).fill('zebra')
  await expect(page.getByText('No member matches.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Member' }).fill('edsger@')
  await page.getByRole('option', { name: /Edsger/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'reader' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Assign role' }).click()
  await expect(page.getByText('Edsger is now reader.').first()).toBeVisible()
  expect(await query(server, 'select user_id as id, role from app_member_roles')).toMatchObject([
    { id: 'member-1', role: 'reader' },
  ])
})
