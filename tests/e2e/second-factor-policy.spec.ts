import { expect, test } from '../support/e2e'
import { expectNoViolations } from '../support/accessibility'
import { aPerson, pageHeading, runAction, signUp } from '../support/people'

test('an organization requires a second factor, announces the deadline and then asks for it', async ({
  page,
  origin,
}) => {
  await signUp(page, origin, aPerson())
  await page.goto(`${origin}/team/sign-in`)
  const required = page.getByRole('switch', { name: 'Require two-factor authentication' })
  await required.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Require it', exact: true }).click()
  await expect(page.getByText('Two-factor authentication is required.').first()).toBeVisible()
  await expect(required).toBeChecked()
  await page.reload()
  await expect(page.getByText('Two-factor authentication is required from')).toBeVisible()
  await expectNoViolations(page)
  await runAction(page, origin, 'create-note', { title: 'Berths' })
  // A phone, and 1280 × 800 px at 200 % zoom: the first rows are in view below the banner.
  for (const [width, height] of [
    [375, 800],
    [640, 400],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/notes')
    await expect(page.getByText('Berths').first()).toBeInViewport({ ratio: 1 })
    await page.goto('/team')
    await expect(page.getByTitle(/ada@example\.test/).first()).toBeInViewport({ ratio: 1 })
  }
  await page.setViewportSize({ width: 1280, height: 720 })
  const ended = { isRequired: true, graceDays: 0 }
  await page.request.put('/_fw/org/second-factor', { data: ended, headers: { origin } })
  await page.goto(origin)
  await expect(pageHeading(page)).toHaveText('Set up two-factor authentication')
  await expectNoViolations(page)
  await page.locator('main').getByRole('link', { name: 'Set it up' }).click()
  await expect(page).toHaveURL(/\/settings\/security#factors$/)
  await expect(page.getByRole('heading', { name: /passkeys/i }).first()).toBeVisible()
})
