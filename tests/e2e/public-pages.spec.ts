import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'

test('the landing page leads to account creation', async ({ page }) => {
  await page.goto('/welcome')
  await page.getByRole('main').getByRole('link', { name: 'Create account' }).first().click()
  await expect(page).toHaveURL(/\/sign-in\?return=%2F#sign-up$/)
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible()
  const form = page.locator('#sign-up')
  await form.locator('[name=name]').fill('Maria Ortiz')
  await form.locator('[name=email]').fill('maria@example.test')
  await form.locator('[name=password]').fill('zebra quilt 7 lantern')
  await form.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /Maria Ortiz/ })).toBeVisible()
})

test('public pages fit phones and desktops in every language and have no accessibility violation', async ({ page }) => {
  test.setTimeout(120_000)
  for (const path of ['/welcome', '/contact'])
    for (const query of ['', '?lang=de', '?lang=ar']) {
      await page.goto(path + query)
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 800 })
        const wider = () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        await expect.poll(wider, `${path + query} at ${width}`).toBe(0)
      }
      await expectNoViolationsInBothColours(page)
    }
  await test.step('also the contact form with its errors', async () => {
    await page.getByRole('main').locator('[type=submit]').click()
    await expect(page.locator('[aria-invalid=true]')).toHaveCount(3)
    await expectNoViolationsInBothColours(page)
  })
})

test.describe('in a browser that prefers German', () => {
  test.use({ locale: 'de-DE' })

  test('the URL sets the language, and a chosen language is kept on the device', async ({ page }) => {
    const faults: string[] = []
    page.on('console', message => {
      if (message.type() === 'error' || /hydration/i.test(message.text())) faults.push(message.text())
    })
    await page.goto('/welcome?lang=ar')
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
    await page.waitForLoadState('networkidle')
    await expect(page.getByRole('main').getByRole('link', { name: 'إنشاء حساب' }).first()).toBeVisible()
    await page.getByRole('link', { name: 'English' }).click()
    await expect(page).toHaveURL(/\/welcome\?lang=en$/)
    await expect(page.getByRole('main').getByRole('link', { name: 'Create account' }).first()).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await page.goto('/about')
    await page.waitForLoadState('networkidle')
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    expect(faults).toEqual([])
  })
})
