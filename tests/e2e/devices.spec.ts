import type { Page } from '@playwright/test'
import { AUTH_PREFIX } from '#fairway/shared/paths'
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

test('all other devices are revoked at once, the confirmation states their number, and each is signed out when it regains focus', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  const others = [
    await elsewhere(page, origin, userAgents.safariOnPhone),
    await elsewhere(page, origin, userAgents.edgeOnWindows),
  ]
  await page.goto('/settings/security#devices')
  await expect(section(page)).toBeInViewport()
  await expect(section(page).getByRole('listitem')).toHaveCount(3)
  await test.step('a double click revokes no session', async () => {
    await section(page).getByRole('button', { name: 'Revoke the session of Safari on iOS' }).dblclick()
    await expect(section(page).getByRole('listitem')).toHaveCount(3)
    await page.reload()
    await expect(section(page).getByRole('listitem')).toHaveCount(3)
  })
  await section(page).getByRole('button', { name: 'Revoke others' }).click()
  await section(page).getByRole('button', { name: 'Revoke 2 others now' }).click()
  await expect(page.getByText('2 other devices have been signed out.', { exact: true }).first()).toBeVisible()
  await expect(section(page).getByRole('listitem')).toHaveCount(1)
  for (const other of others) {
    await comeBack(other)
    await other.waitForURL('**/sign-in?**')
  }
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Security')
})
