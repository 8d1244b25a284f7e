import { expect, test } from '../support/e2e'
import { expectNoViolations } from '../support/accessibility'
import { aPerson, pageHeading, signUp } from '../support/people'
import { query } from '../support/query'

test('an organization requires a second factor, announces the deadline and then asks for it', async ({
  page,
  server,
  origin,
}) => {
  await signUp(page, origin, aPerson())
  await page.goto(`${origin}/team/sign-in`)
  const required = page.getByRole('switch', { name: 'Require a second factor' })
  await required.click()
  await expect(page.getByText('A second factor is required.').first()).toBeVisible()
  await expect(required).toBeChecked()
  await page.reload()
  await expect(page.getByText('Set up a second factor by')).toBeVisible()
  await expectNoViolations(page)
  await query(server, 'update organizations set second_factor_since = 0, second_factor_grace_days = 0')
  await query(server, 'update org_members set joined_at = 0')
  await page.goto(origin)
  await expect(pageHeading(page)).toHaveText('Set up a second factor')
  await expectNoViolations(page)
  await page.locator('main').getByRole('link', { name: 'Set up a second factor' }).click()
  await expect(page).toHaveURL(/\/settings\/security#factors$/)
  await expect(page.getByRole('heading', { name: /passkeys/i }).first()).toBeVisible()
})
