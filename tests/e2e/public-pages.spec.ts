import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { readOutbox } from '../support/mail'

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

test.describe('the contact form', () => {
  test('is sent with the keyboard, validates its fields, confirms the message and can be sent again', async ({
    page,
    server,
  }) => {
    const mails = () => (existsSync(join(server.dataDir, 'outbox')) ? readOutbox(server.dataDir) : [])
    await page.goto('/contact')
    await page.waitForLoadState('networkidle')
    await page.getByRole('button', { name: 'Send message' }).press('Enter')
    await expect(page.getByText('Enter a value.')).toHaveCount(3)
    await expect(page.getByLabel('Name')).toBeFocused()
    await expectNoViolationsInBothColours(page)
    await page.keyboard.type('Maria Ortiz')
    await page.keyboard.press('Tab')
    await page.keyboard.type('not an address')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Could you show us the product?')
    // Tab skips the hidden field.
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Send message' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByText('Enter an email address.')).toBeVisible()
    expect(mails()).toEqual([])
    await page.getByLabel('Email').fill('maria@example.com')
    await page.getByLabel('Email').press('Enter')
    await expect(page.getByRole('heading', { name: 'Message sent' })).toBeVisible()
    await expect(page.getByRole('status').filter({ hasText: 'Message sent' })).toBeFocused()
    await expect.poll(() => mails().map(({ subject }) => subject)).toEqual(['Message from Maria Ortiz'])
    await page.getByRole('button', { name: 'Send another message' }).click()
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('')
  })

  test('reports a failure in the language of the page', async ({ page }) => {
    await page.goto('/contact?lang=de')
    await page.waitForLoadState('networkidle')
    await page.route('**/_fw/form-ticket', route => route.abort())
    await page.reload()
    await page.waitForLoadState('networkidle')
    await page.getByLabel('Name').fill('Maria Ortiz')
    await page.getByLabel('E-Mail').fill('maria@example.com')
    await page.getByLabel('Nachricht').fill('Guten Tag')
    await page.getByRole('button', { name: 'Nachricht senden' }).click()
    await expect(page.getByText('Ihre Nachricht wurde nicht gesendet')).toBeVisible()
    await expect(page.getByLabel('Nachricht')).toHaveValue('Guten Tag')
  })
})
