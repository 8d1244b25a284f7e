import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { invitationPath } from '../support/mail'
import { query } from '../support/query'
import { aPerson, browserOf, runAction, signUp } from '../support/people'
import { addMember } from '../support/team'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
})

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

/** Opens the dialog for inviting people on the page of members. */
async function openDialog(page: Page): Promise<void> {
  await page.goto('/team')
  await page.getByRole('button', { name: 'Invite people' }).press('Enter')
  await expect(page.getByRole('textbox', { name: 'Email addresses' })).toBeFocused()
}

/** Opens the pending invitations from the list of sections. */
async function openInvitations(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Team' }).getByRole('link', { name: 'Invitations' }).click()
  await expect(page).toHaveURL(/\/team\/invitations$/)
  await expect(section(page, 'Invitations').getByText('grace@example.test')).toBeVisible()
}

test('an invited person joins in another browser, becomes admin and is removed, and the owner receives their notes', async ({
  page,
  browser,
  origin,
  server,
}) => {
  await test.step('the owner invites', async () => {
    await openDialog(page)
    await page
      .getByRole('textbox', { name: 'Email addresses' })
      .fill('grace@example.test edsger@example.test ada@example.test')
    await page.getByRole('button', { name: 'Invite 3 people' }).click()
    await expect(page.getByRole('alert')).toContainText('ada@example.test')
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    await openInvitations(page)
    await page.getByRole('checkbox', { name: 'Select grace@example.test' }).click()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expectNoViolations(page)
  })

  const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce' })
  const grace = await context.newPage()
  await test.step('the invited person joins and sees what members see', async () => {
    await signUp(grace, origin, aPerson('Grace'))
    await grace.goto(invitationPath(server.dataDir, 'grace@example.test'))
    await expect(grace.getByRole('heading', { name: /^Join Ada/ })).toBeVisible()
    await expectNoViolations(grace)
    await grace.getByRole('button', { name: /^Join Ada/ }).click()
    await expect(grace.getByRole('heading', { name: /^You joined Ada/ })).toBeVisible()
    await expect(grace.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()
    await grace.getByRole('link', { name: 'View members' }).click()
    await expect(section(grace, 'Members').getByText('ada@example.test')).toBeVisible()
    await expect(grace.getByRole('button', { name: 'Invite people' })).toHaveCount(0)
    await expect(grace.getByRole('link', { name: 'Invitations' })).toHaveCount(0)
    await expect(grace.getByRole('columnheader', { name: 'Last active' })).toHaveCount(0)
    await grace.goto('/audit')
    await expect(grace.getByRole('list', { name: 'Owners and admins' })).toContainText('ada@example.test')
    await expectNoViolations(grace)
    await grace.goto('/team/invitations')
    await expect(grace.getByRole('heading', { name: "You don't have access to this section" })).toBeVisible()
    await expectNoViolations(grace)
    await grace.getByRole('link', { name: 'See owners and admins' }).click()
    await expect(grace.getByText('ada@example.test')).toBeVisible()
    await expect(section(grace, 'Members').getByText('grace@example.test')).toHaveCount(0)
  })

  await page.reload()
  await expect(section(page, 'Invitations').getByText('edsger@example.test')).toBeVisible()
  await expect(section(page, 'Invitations').getByText('grace@example.test')).toHaveCount(0)
  await page.goto('/team')
  await expect(section(page, 'Members').getByText('grace@example.test')).toBeVisible()
  await page.getByRole('button', { name: 'Role of Grace: Member' }).click()
  await page.getByRole('menuitemcheckbox', { name: /^Admin/ }).click()
  await expect(page.getByRole('button', { name: 'Role of Grace: Admin' })).toBeVisible()

  await runAction(grace, origin, 'create-note', { title: 'Of Grace' })
  await page.getByRole('button', { name: 'Actions for Grace' }).click()
  await page.getByRole('menuitem', { name: 'Remove Grace' }).click()
  const dialog = page.getByRole('dialog', { name: /^Remove Grace from Ada/ })
  await expect(dialog).toContainText('They lose access to Ada')
  await expect(dialog.getByRole('list').filter({ hasText: '1 note' })).toBeVisible()
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Remove Grace' }).click()
  await expect(section(page, 'Members').getByText('ada@example.test')).toBeVisible()
  await expect(page.getByText('grace@example.test')).toHaveCount(0)
  expect(await query(server, 'select title, owner_email from notes')).toMatchObject([
    { title: 'Of Grace', owner_email: 'ada@example.test' },
  ])
  await context.close()
})

test('inviting works with the keyboard alone', async ({ page }) => {
  await openDialog(page)
  await page.keyboard.type('grace@example.test')
  const button = page.getByRole('button', { name: 'Invite 1 person' })
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press('Tab')
    if (await button.evaluate(node => node === document.activeElement)) break
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await openInvitations(page)
})

test('twenty members fit a phone as cards', async ({ page, origin, server }) => {
  const owner = await browserOf(page, origin)
  for (let index = 10; index < 30; index++) await addMember(server, owner, `Member Number ${index}`)
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto('/team')
  await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(20)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2500)
})
