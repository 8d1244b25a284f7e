import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

test.beforeEach(async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/settings')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
})

test('settings sections have URLs, and the former anchors redirect to them', async ({ page }) => {
  const list = page.getByRole('navigation', { name: 'Settings' })
  await expect(list.getByRole('link')).toHaveText(['Profile', 'Security', 'Connected apps', 'Appearance', 'Data'])
  await list.getByRole('link', { name: 'Appearance' }).click()
  await expect(page).toHaveURL(/\/settings\/appearance$/)
  await expect(list.getByRole('link', { name: 'Appearance' })).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Edit name' })).toBeVisible()
  for (const [former, place] of [
    ['#devices', '/settings/security#devices'],
    ['#factors', '/settings/security#factors'],
    ['#connected-apps', '/settings/apps'],
  ] as const) {
    await page.goto('/about')
    await page.goto(`/settings${former}`)
    await page.waitForURL(`**${place}`)
  }
})

test('settings have no email section when the application has no email topics', async ({ page }) => {
  // Excludes the response to the previous page.
  await page.waitForLoadState('networkidle')
  const listed = page.waitForResponse('**/_fw/account/mail?*')
  await page.reload()
  expect(await (await listed).json()).toEqual({ topics: [] })
  await expect(page.getByRole('heading', { name: 'Emails', exact: true })).toHaveCount(0)
})

test('an unknown settings section returns 404', async ({ page }) => {
  expect((await page.goto('/settings/nowhere'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no page at this address')
  await page.goto('/settings/desktop')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no page at this address')
})

test('changing the name updates it everywhere on the page', async ({ page }) => {
  await page.getByRole('button', { name: 'Edit name' }).click()
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.getByRole('textbox', { name: 'Name' }).fill('Nobody')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', { name: 'Edit name' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Ada')
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Account Ada Lovelace/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Email address' })).toContainText('ada@example.test')
})

test('the theme is kept on this device', async ({ page }) => {
  await page.goto('/settings/appearance')
  await page.getByRole('radio', { name: 'Dark' }).click()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await page.reload()
  await expect(page.locator('html')).toHaveClass(/dark/)
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
})

test('the language is kept on this device, for server pages in a cookie that contains only the language', async ({
  page,
  context,
}) => {
  await page.goto('/settings/appearance')
  const before = await context.cookies()
  await page.getByRole('radio', { name: 'Deutsch' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Einstellungen')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Einstellungen')
  await page.goto('/about')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ihre Arbeit, mit den Personen und Tools Ihrer Wahl')
  const known = before.map(({ name }) => name)
  const added = (await context.cookies()).filter(({ name }) => !known.includes(name))
  expect(added.map(({ name, value }) => [name, value])).toEqual([['fw-language', 'de']])
})

test('the folded sidebar is kept on this device', async ({ page }) => {
  await page.getByRole('button', { name: 'Fold the sidebar' }).click()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Unfold the sidebar' })).toBeVisible()
  const box = await page.getByRole('complementary').boundingBox()
  expect(box?.width).toBe(64)
})

test('changing the password ends the other sessions', async ({ page, browser, origin }) => {
  const elsewhere = await browser.newPage({ baseURL: origin })
  const { email, password } = { email: 'ada@example.test', password: 'quiet harbour lantern 42' }
  await elsewhere.request.post('/_fw/auth/sign-in/email', { data: { email, password }, headers: { origin } })
  await elsewhere.goto('/notes')
  await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Notes')

  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('a slow river under stone 7')
  await expect(page.getByRole('checkbox', { name: 'Revoke connected apps and tokens' })).toBeChecked()
  await page.getByRole('button', { name: 'Save password' }).click()
  await expect(page.getByText('Your password has been changed.', { exact: true }).first()).toBeVisible()
  await expect(page.getByLabel('Current password')).toHaveCount(0)

  // It may have heard of the change already, and be on its way.
  await elsewhere.evaluate(() => window.dispatchEvent(new Event('focus'))).catch(() => undefined)
  await elsewhere.waitForURL('**/sign-in?**')
  await elsewhere.close()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
})

test('a refused password shows the reason at the field', async ({ page }) => {
  await page.goto('/settings/security')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password').fill('not my password')
  await page.getByLabel('New password').fill('a slow river under stone 7')
  await page.getByRole('button', { name: 'Save password' }).click()
  await expect(page.getByText('This is not your current password.')).toBeVisible()

  await page.getByLabel('Current password').fill('quiet harbour lantern 42')
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Save password' }).click()
  await expect(page.getByText('The password is too short.')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('New password')).toHaveValue('')
  await expect(page.getByText('The password is too short.')).toHaveCount(0)
})
