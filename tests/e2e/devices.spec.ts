import type { Page } from '@playwright/test'
import { AUTH_PREFIX, SESSIONS_PATH } from '#fairway/shared/paths'
import { expect, test } from '../support/e2e'
import { aPerson, signUp } from '../support/people'
import { userAgents } from '../support/http'

const { email, password } = aPerson()
const section = (page: Page) => page.getByRole('region', { name: 'Devices' })

/** Signs the same person in on another device, which shows a page. */
async function elsewhere(page: Page, origin: string, userAgent: string): Promise<Page> {
  const context = await page.context().browser()?.newContext({ userAgent, baseURL: origin })
  if (!context) throw new Error('no browser')
  const other = await context.newPage()
  await other.request.post(`${AUTH_PREFIX}/sign-in/email`, { data: { email, password }, headers: { origin } })
  await other.goto('/notes')
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Notes')
  return other
}

/** Returns the focus to the window. The script fails when the live connection has already made the page leave. */
const comeBack = (page: Page) =>
  page.evaluate(() => void window.dispatchEvent(new Event('focus'))).catch(() => undefined)

test.beforeEach(async ({ page, origin }) => signUp(page, origin).then(() => undefined))

test('the email link opens the devices, which are loaded only then', async ({ page }) => {
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.goto('/settings', { waitUntil: 'networkidle' })
  expect(asked).not.toContain(SESSIONS_PATH)
  await page.goto('/about')
  await page.goto('/settings/security#devices')
  await expect(section(page)).toBeInViewport()
  await expect(section(page).getByText('You’re not signed in on any other device.')).toBeVisible()
  await expect(section(page).getByRole('listitem')).toHaveCount(1)
  await expect(section(page).getByRole('listitem')).toContainText(/on Linux.*This device.*With a password/s)
})

test('a device is revoked with a second press and signed out when it regains focus', async ({ page, origin }) => {
  const phone = await elsewhere(page, origin, userAgents.safariOnPhone)
  await page.goto('/settings/security#devices')
  const row = section(page).getByRole('listitem').filter({ hasText: 'Safari on iOS' })
  await row.getByRole('button', { name: 'Revoke the session of Safari on iOS' }).click()
  await expect(row.getByRole('button', { name: 'Revoke now' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(row.getByRole('button', { name: 'Revoke the session of Safari on iOS' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Safari on iOS has been signed out.', { exact: true }).first()).toBeVisible()
  await expect(section(page).getByText('You’re not signed in on any other device.')).toBeVisible()
  await comeBack(phone)
  await phone.waitForURL('**/sign-in?**')
})

test('a double click revokes no session', async ({ page, origin }) => {
  await elsewhere(page, origin, userAgents.safariOnPhone)
  await page.goto('/settings/security#devices')
  await section(page).getByRole('button', { name: 'Revoke the session of Safari on iOS' }).dblclick()
  await expect(section(page).getByRole('listitem')).toHaveCount(2)
  await page.reload()
  await expect(section(page).getByRole('listitem')).toHaveCount(2)
})

test('all other devices are revoked at once, and the confirmation states their number', async ({ page, origin }) => {
  const others = [
    await elsewhere(page, origin, userAgents.safariOnPhone),
    await elsewhere(page, origin, userAgents.edgeOnWindows),
  ]
  await page.goto('/settings/security#devices')
  await expect(section(page).getByRole('listitem')).toHaveCount(3)
  await section(page).getByRole('button', { name: 'Revoke others' }).click()
  await section(page).getByRole('button', { name: 'Revoke 2 others now' }).click()
  await expect(page.getByText('2 other devices have been signed out.', { exact: true }).first()).toBeVisible()
  await expect(section(page).getByRole('listitem')).toHaveCount(1)
  for (const other of others) {
    await comeBack(other)
    await other.waitForURL('**/sign-in?**')
  }
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
})

test('revoking a session that has already ended reports success', async ({ page, origin }) => {
  await elsewhere(page, origin, userAgents.safariOnPhone)
  await page.goto('/settings/security#devices')
  await expect(section(page).getByRole('listitem')).toHaveCount(2)
  await page.request.delete(SESSIONS_PATH, { headers: { origin } })
  await section(page).getByRole('button', { name: 'Revoke the session of Safari on iOS' }).click()
  await section(page).getByRole('button', { name: 'Revoke now' }).click()
  await expect(page.getByText('Safari on iOS has been signed out.', { exact: true }).first()).toBeVisible()
})
