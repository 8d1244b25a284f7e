import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'

const inArabic = (page: Page) => page.addInitScript(() => localStorage.setItem('fairway-language', 'ar'))
const PAGES = ['/', '/notes', '/team', '/settings', '/connect', '/connections', '/about', '/no/such/page']

test.describe('Arabic', () => {
  test('pages are right-to-left, fit phones and desktops, and have no accessibility violation', async ({
    page,
    origin,
  }) => {
    test.setTimeout(120_000)
    await signUp(page, origin)
    await runAction(page, origin, 'create-note', {
      title: 'A title that is much longer than a narrow screen is wide',
      text: 'word '.repeat(60),
    })
    await inArabic(page)
    for (const path of PAGES) {
      await page.goto(path)
      await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
      await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await expect(page.locator('main').first()).not.toHaveAttribute('aria-busy')
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 800 })
        // Scripts adapt to the new width a moment later.
        const wider = () =>
          page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        await expect.poll(wider, `${path} at ${width}`).toBe(0)
      }
      await expectNoViolations(page)
    }
  })

  test('pages are right-to-left from the first paint', async ({ page, origin }) => {
    await signUp(page, origin)
    await inArabic(page)
    await page.addInitScript(() => {
      const directions = new Set<string>()
      Object.assign(window, { directionsOf: () => [...directions] })
      const note = () => document.body && directions.add(document.documentElement.dir)
      new MutationObserver(note).observe(document, { childList: true, subtree: true, attributes: true })
    })
    await page.goto('/about')
    await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
    expect(await page.evaluate('directionsOf()')).toEqual(['rtl'])
  })

  test('the sidebar and the drawer are on the right', async ({ page, origin }) => {
    await signUp(page, origin)
    await inArabic(page)
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'الرئيسية' })).toBeVisible()
    const sidebar = await page.getByRole('complementary').boundingBox()
    expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBe(page.viewportSize()?.width)
    await page.setViewportSize({ width: 375, height: 800 })
    await page.getByRole('button', { name: 'فتح القائمة' }).click()
    const drawer = page.getByRole('dialog')
    await expect.poll(async () => Math.round((await drawer.boundingBox())?.x ?? 0)).toBe(375 - 264)
    await expectNoViolations(page)
  })

  test('errors are shown in Arabic with the code left-to-right', async ({ page, origin }) => {
    await signUp(page, origin)
    await inArabic(page)
    await page.route('**/_fw/connections', route =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: 'about:blank', title: 'x', status: 503, code: 'unavailable', requestId: 'r-1' }),
      }),
    )
    await page.goto('/connections')
    const alert = page.getByRole('alert').first()
    await expect(alert).toContainText('الخدمة غير متاحة حاليًا. حاول مرة أخرى بعد قليل.')
    await expect(alert.getByText('unavailable')).toHaveCSS('direction', 'ltr')
  })
})

test('a language chosen in the account menu is kept after a reload', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitemcheckbox', { name: 'العربية' }).click()
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
})

test('server pages offer every language and set its text direction', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'العربية' }).click()
  await expect(page).toHaveURL(/lang=ar/)
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await page.getByRole('button', { name: 'Deutsch' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await expect(page.locator('html')).not.toHaveAttribute('dir')
})
