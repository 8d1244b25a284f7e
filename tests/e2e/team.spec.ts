import type { Browser, Page } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { invitationPath } from '../support/mail'
import { query } from '../support/query'
import { aPerson, pageHeading, runAction, signUp } from '../support/people'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
})

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

async function openTeam(page: Page): Promise<void> {
  await page.goto('/team')
  await expect(pageHeading(page)).toHaveText('Team')
  await expect(section(page, /member/).getByText('ada@example.test')).toBeVisible()
}

async function invite(page: Page, addresses: string, button: string): Promise<void> {
  await page.getByRole('button', { name: 'Invite people' }).first().click()
  await page.getByRole('textbox', { name: 'Email addresses' }).fill(addresses)
  await page.getByRole('button', { name: button }).click()
}

/** Opens the pending invitations from the list of sections. */
async function openInvitations(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Team' }).getByRole('link', { name: 'Invitations' }).click()
}

/** Opens a second browser in which another person is signed in. */
async function elsewhere(browser: Browser, origin: string, name: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signUp(page, origin, aPerson(name))
  return page
}

test('an invited person joins in another browser, becomes admin and is removed, and the owner receives their notes', async ({
  page,
  browser,
  origin,
  server,
}) => {
  await openTeam(page)
  await invite(page, 'grace@example.test', 'Invite 1 person')
  await expect(page.getByText('1 person was invited.').first()).toBeVisible()
  await openInvitations(page)
  await expect(page).toHaveURL(/\/team\/invitations$/)
  await expect(section(page, 'Pending invitations').getByText('grace@example.test')).toBeVisible()
  await expectNoViolationsInBothColours(page)

  const grace = await elsewhere(browser, origin, 'Grace')
  await grace.goto(invitationPath(server.dataDir, 'grace@example.test'))
  await expect(grace.getByRole('heading', { name: /^Join Ada/ })).toBeVisible()
  await expectNoViolationsInBothColours(grace)
  await grace.getByRole('button', { name: /^Join Ada/ }).click()
  await expect(grace.getByRole('heading', { name: /^You joined Ada/ })).toBeVisible()
  await expect(grace.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()
  await grace.getByRole('link', { name: 'View members' }).click()
  await expect(section(grace, '2 members').getByText('ada@example.test')).toBeVisible()
  await expect(grace.getByRole('button', { name: 'Invite people' })).toHaveCount(0)
  await expect(grace.getByRole('link', { name: 'Invitations' })).toHaveCount(0)
  await expect(grace.getByRole('columnheader', { name: 'Last active' })).toHaveCount(0)
  await grace.goto('/team/invitations')
  await expect(grace.getByRole('heading', { name: "You don't have access to this section" })).toBeVisible()
  await expectNoViolationsInBothColours(grace)
  await grace.getByRole('link', { name: 'See owners and admins' }).click()
  await expect(grace.getByText('ada@example.test')).toBeVisible()
  await expect(section(grace, 'Members').getByText('grace@example.test')).toHaveCount(0)

  await page.reload()
  await expect(page.getByText('No pending invitations')).toBeVisible()
  await page.goto('/team')
  await expect(section(page, '2 members').getByText('grace@example.test')).toBeVisible()
  await expectNoViolationsInBothColours(page)

  await page.getByRole('button', { name: 'Role of Grace: Member' }).click()
  await page.getByRole('menuitemcheckbox', { name: /^Admin/ }).click()
  await expect(page.getByRole('button', { name: 'Role of Grace: Admin' })).toBeVisible()

  await runAction(grace, origin, 'create-note', { title: 'Of Grace' })
  await page.getByRole('button', { name: 'Actions for Grace' }).click()
  await page.getByRole('menuitem', { name: 'Remove Grace' }).click()
  const dialog = page.getByRole('dialog', { name: /^Remove Grace from Ada/ })
  await expect(dialog).toContainText('They lose access to Ada')
  await expect(dialog.getByRole('list').filter({ hasText: '1 row in notes' })).toBeVisible()
  await expectNoViolationsInBothColours(page)
  await dialog.getByRole('button', { name: 'Remove Grace' }).click()
  await expect(page.getByText('Grace was removed.').first()).toBeVisible()
  await expect(section(page, '1 member').getByText('grace@example.test')).toHaveCount(0)
  expect(await query(server, 'select title, owner_email from notes')).toMatchObject([
    { title: 'Of Grace', owner_email: 'ada@example.test' },
  ])
  await grace.context().close()
})

test('a person without an organization accepts an invitation in the banner without a confirmation', async ({
  page,
  browser,
  origin,
}) => {
  const grace = await elsewhere(browser, origin, 'Grace')
  const data = { email: 'grace@example.test' }
  await page.request.post('/_fw/org/invitations', { data, headers: { origin } })
  await grace.goto('/')
  const banner = grace.getByRole('region', { name: 'Waiting for you' })
  await expect(banner).toContainText('Ada invited you to Ada')
  await banner.getByRole('button', { name: /^Accept/ }).click()
  await expect(grace.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()
  await expect(banner).toHaveCount(0)
  await grace.context().close()
})

test('the invitation dialog shows each address once, counts valid ones and explains why one was not invited', async ({
  page,
}) => {
  await openTeam(page)
  await page.getByRole('button', { name: 'Invite people' }).first().click()
  const field = page.getByRole('textbox', { name: 'Email addresses' })
  const list = page.getByRole('list', { name: 'Addresses to invite' })
  await field.fill('Grace Hopper <grace@example.test>, ada@example.test, GRACE@example.test nobody ')
  await expect(list.getByRole('listitem')).toHaveText([
    'grace@example.test',
    'ada@example.test',
    /^nobody\s*is not an email address\.$/,
  ])
  await expect(field).toHaveValue('')
  await field.fill('grace@example.test')
  await page.getByRole('button', { name: 'Invite 2 people' }).click()
  const alert = page.getByRole('alert')
  await expect(alert.getByText('1 address was not invited.')).toBeVisible()
  await expect(alert).toContainText('ada@example.test – already belongs to this organization.')
  await expect(alert).not.toContainText('already-a-member')
  await expect(list.getByRole('listitem')).toHaveText(['ada@example.test', /^nobody/])
  await expectNoViolationsInBothColours(page)
  await page.getByRole('button', { name: 'Remove ada@example.test' }).click()
  await page.getByRole('button', { name: 'Invite people' }).last().click()
  await expect(page.getByText('None of these is a valid email address.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove nobody' }).click()
  await field.fill(Array.from({ length: 51 }, (_, index) => `p${index}@example.test`).join(' '))
  await page.getByRole('button', { name: 'Invite 51 people' }).click()
  await expect(page.getByText('You can invite up to 50 people at once. You entered 51.')).toBeVisible()
})

test('an invitation is resent and revoked, and the revoked link says so', async ({ page, browser, origin, server }) => {
  await openTeam(page)
  await invite(page, 'grace@example.test', 'Invite 1 person')
  await openInvitations(page)
  const actions = page.getByRole('button', { name: 'Actions for grace@example.test' })
  await actions.click()
  await expectNoViolationsInBothColours(page)
  await page.getByRole('menuitem', { name: 'Resend' }).click()
  await expect(page.getByText('A new link was sent to grace@example.test.').first()).toBeVisible()
  await actions.click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await expect(page.getByText('No pending invitations')).toBeVisible()

  const grace = await elsewhere(browser, origin, 'Grace')
  await grace.goto(invitationPath(server.dataDir, 'grace@example.test'))
  await expect(grace.getByRole('heading', { name: 'This invitation was revoked' })).toBeVisible()
  await expectNoViolationsInBothColours(grace)
  await grace.goto('/invitation?id=unknown&token=unknown')
  await expect(grace.getByRole('heading', { name: 'There is no invitation at this link' })).toBeVisible()
  await expect(grace.getByRole('main').getByRole('paragraph')).toHaveCount(1)
  await expectNoViolationsInBothColours(grace)
  await grace.context().close()
})

test('an invitation link for another address asks the person to sign out and returns to the link', async ({
  page,
  server,
}) => {
  await openTeam(page)
  await invite(page, 'grace@example.test', 'Invite 1 person')
  await expect(page.getByText('1 person was invited.').first()).toBeVisible()
  await page.goto(invitationPath(server.dataDir, 'grace@example.test'))
  await expect(page.getByRole('heading', { name: 'This invitation is for grace@example.test' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out and continue' }).click()
  await page.waitForURL(
    url => url.pathname === '/sign-in' && url.searchParams.get('return')?.startsWith('/invitation') === true,
  )
})

test('members are found by search, and the organization’s name is changed', async ({ page }) => {
  await openTeam(page)
  await page.getByRole('searchbox').fill('zebra')
  await expect(page.getByText('No results for “zebra”.')).toBeVisible()
  await page.getByRole('button', { name: 'Show everyone' }).click()
  await expect(section(page, '1 member').getByText('ada@example.test')).toBeVisible()
  await page.goto('/team/general')
  await page.getByRole('button', { name: 'Edit name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Harbour Works')
  await page.getByRole('button', { name: 'Save name' }).click()
  await expect(page.getByRole('button', { name: 'Organization Harbour Works' })).toBeVisible()
  await expectNoViolationsInBothColours(page)
  await page.goto('/team/sign-in')
  await page.getByRole('button', { name: 'Edit domain' }).click()
  await page.getByRole('textbox', { name: 'Domain' }).fill('gmail.com')
  await page.getByRole('button', { name: 'Save domain' }).click()
  await expect(page.getByText('Anyone can have an address at this domain.')).toBeVisible()
})

test('inviting works with the keyboard alone', async ({ page }) => {
  await openTeam(page)
  await page.getByRole('button', { name: 'Invite people' }).first().focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Email addresses' })).toBeFocused()
  await page.keyboard.type('grace@example.test')
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press('Tab')
    const button = page.getByRole('button', { name: 'Invite 1 person' })
    if (await button.evaluate(node => node === document.activeElement)) break
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await openInvitations(page)
  await expect(section(page, 'Pending invitations').getByText('grace@example.test')).toBeVisible()
})
