import type { Page } from '@playwright/test'
import { ORG_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, pageHeading, signInAgain, signUp } from '../support/people'
import { query } from '../support/query'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/team')
  await pageHeading(page).waitFor()
})

const switcher = (page: Page) => page.getByRole('button', { name: /^Organization / })

/** Creates another organization through the API; the person then works in it. */
async function create(page: Page, origin: string, name: string): Promise<void> {
  const answer = await page.request.post(origin + ORG_PATH, { data: { name, confirm: true }, headers: { origin } })
  expect(answer.status()).toBe(201)
}

test('creating another organization shows a warning first', async ({ page }) => {
  await switcher(page).click()
  await expect(page.getByRole('menuitemcheckbox', { name: /^Ada.*Owner/ })).toBeChecked()
  await expectNoViolations(page)
  await page.getByRole('menuitem', { name: 'Create organization' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create organization' }).click()
  await expect(dialog.getByText('Enter a name.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Second Office')
  await dialog.getByRole('button', { name: 'Create organization' }).click()
  await expect(dialog.getByRole('alert')).toContainText(/You already belong to Ada/)
  await expect(dialog.getByRole('alert')).toContainText('separate members and credentials')
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: 'Create anyway' }).click()
  await expect(page.getByRole('button', { name: 'Organization Second Office' })).toBeVisible()
  await page.goto('/team/general')
  await expect(page.getByRole('region', { name: 'Organization', exact: true })).toContainText('Second Office')
})

test('switching organization is immediate with undo, and asks first only when credentials are left behind', async ({
  page,
  origin,
}) => {
  await create(page, origin, 'Second Office')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Organization Second Office' })).toBeVisible()
  await switcher(page).click()
  await page.getByRole('menuitemcheckbox', { name: /^Ada/ }).click()
  await expect(page.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: 'Organization Second Office' })).toBeVisible()
  await page.evaluate(() =>
    fetch('/_fw/org/vault/openai', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value: 'sk-1234567890' }),
    }),
  )
  await switcher(page).click()
  await page.getByRole('menuitemcheckbox', { name: /^Ada/ }).click()
  const dialog = page.getByRole('dialog', { name: /^Switch to Ada/ })
  await expect(dialog).toContainText('You leave Second Office')
  await expect(dialog.getByRole('listitem')).toHaveText(['openai'])
  await expectNoViolations(page)
  await dialog.getByRole('button', { name: /^Switch to Ada/ }).click()
  await expect(page.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()

  await switcher(page).click()
  await page.getByRole('menuitemcheckbox', { name: /^Personal/ }).click()
  await expect(page.getByRole('heading', { name: 'You work without an organization' })).toBeVisible()
  await expectNoViolations(page)
})

test('the organization switcher has a search when there are many organizations', async ({ page, origin }) => {
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta', 'Zeta', 'Eta', 'Epsilon']) await create(page, origin, name)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Organization Epsilon' })).toHaveAttribute('aria-haspopup', 'dialog')
  await switcher(page).click()
  await page.getByRole('dialog').getByRole('textbox').fill('gam')
  await expectNoViolations(page)
  await page.getByRole('option', { name: /Gamma/ }).click()
  await expect(page.getByRole('button', { name: 'Organization Gamma' })).toBeVisible()
})

test('an organization is deleted after its name is typed and can be restored', async ({ page, origin, server }) => {
  await create(page, origin, 'Second Office')
  await query(server, 'update sessions set created_at = created_at - 960000')
  await page.goto('/team/danger')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const confirm = page.getByRole('button', { name: 'Delete organization' })
  await expect(confirm).toBeDisabled()
  await expect(page.getByText('1 person loses access.')).toBeVisible()
  await page.getByRole('textbox', { name: /^Type/ }).fill('Second Office')
  await confirm.click()
  await signInAgain(page)
  await confirm.click()
  await expect(page.getByText('Second Office was deleted.').first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Organization Ada/ })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('button', { name: 'Invite people' }).click()
  await expect(page.getByRole('textbox', { name: 'Email addresses' })).toBeFocused()
  await page.keyboard.press('Escape')
  await switcher(page).click()
  await page.getByRole('menuitem', { name: /^Restore Second Office/ }).click()
  await expect(page.getByText('Second Office was restored.').first()).toBeVisible()
  await switcher(page).click()
  await expect(page.getByRole('menuitemcheckbox', { name: /^Second Office/ })).toBeVisible()
})

test('the only owner cannot leave and sees the reason', async ({ page }) => {
  await page.goto('/team/danger')
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave organization' }).click()
  await expect(page.getByRole('alert')).toContainText('An organization needs an owner.')
})

test('the organization search finds organizations to join', async ({ page, origin, server, browser }) => {
  const context = await browser.newContext({ baseURL: origin })
  const grace = await context.newPage()
  await signUp(grace, origin, aPerson('Grace'))
  const answer = await grace.request.post(`${origin}${ORG_PATH}/invitations`, {
    data: { email: 'ada@example.test' },
    headers: { origin },
  })
  expect(answer.status()).toBe(201)
  await context.close()
  await query(server, 'update users set email_verified = 1')
  await page.reload()
  await switcher(page).click()
  await page.getByRole('menuitem', { name: 'Find organizations' }).click()
  await expectNoViolations(page)
  await page.getByRole('option', { name: /^Join Grace.*Invited as Member/ }).click()
  await page
    .getByRole('dialog', { name: /^Join Grace/ })
    .getByRole('button', { name: 'Join and switch' })
    .click()
  await expect(page.getByRole('button', { name: /^Organization Grace/ })).toBeVisible()
})
