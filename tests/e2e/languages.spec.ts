import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'

const PAGES = ['/', '/notes', '/team', '/settings', '/connect', '/connections', '/about', '/no/such/page']

test('pages in Arabic are right-to-left from the first paint, fit phones and desktops, and have no accessibility violation', async ({
  page,
  origin,
}) => {
  test.setTimeout(120_000)
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', {
    title: 'A title that is much longer than a narrow screen is wide',
    text: 'word '.repeat(60),
  })
  await page.addInitScript(() => {
    localStorage.setItem('fairway-language', 'ar')
    const directions = new Set<string>()
    Object.assign(window, { directionsOf: () => [...directions] })
    const note = () => document.body && directions.add(document.documentElement.dir)
    new MutationObserver(note).observe(document, { childList: true, subtree: true, attributes: true })
  })
  for (const path of PAGES) {
    await page.goto(path)
    await expect(page.locator('html')).toHaveAttribute('lang', 'ar')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await expect(page.locator('main').first()).not.toHaveAttribute('aria-busy')
    expect(await page.evaluate('directionsOf()'), path).toEqual(['rtl'])
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 })
      // Scripts adapt to the new width a moment later.
      const wider = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      await expect.poll(wider, `${path} at ${width}`).toBe(0)
    }
    await expectNoViolations(page)
  }
  await test.step('the sidebar and the drawer are on the right', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'الرئيسية' })).toBeVisible()
    const sidebar = await page.getByRole('complementary').boundingBox()
    expect((sidebar?.x ?? 0) + (sidebar?.width ?? 0)).toBe(1280)
    await page.setViewportSize({ width: 375, height: 800 })
    await page.getByRole('button', { name: 'فتح القائمة' }).click()
    const drawer = page.getByRole('dialog')
    await expect.poll(async () => Math.round((await drawer.boundingBox())?.x ?? 0)).toBe(375 - 264)
    await expectNoViolations(page)
  })
  await test.step('an English title stands where the text around it begins', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/')
    const title = page.getByRole('main').getByText('A title that is much longer').first()
    await expect(title).toHaveCSS('direction', 'ltr')
    await expect(title).toHaveCSS('text-align', 'right')
  })
  await test.step('an error has its code left-to-right', async () => {
    const problem = { type: 'about:blank', title: 'x', status: 503, code: 'unavailable', requestId: 'r-1' }
    await page.route('**/_fw/connections', route =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem }),
    )
    await page.goto('/connections')
    const alert = page.getByRole('alert').first()
    await expect(alert).toContainText('الخدمة غير متاحة حاليًا. حاول مرة أخرى بعد قليل.')
    await expect(alert.getByText('unavailable')).toHaveCSS('direction', 'ltr')
  })
})

for (const language of ['en', 'de', 'ar'])
  test.describe(`a browser that prefers ${language}`, () => {
    test.use({ locale: language })

    test('takes over the rendered page without a mismatch, then changes to its language', async ({ page, origin }) => {
      await signUp(page, origin)
      const complaints: string[] = []
      page.on('console', message => {
        if (message.type() === 'error' || /hydrat/i.test(message.text())) complaints.push(message.text())
      })
      for (const path of ['/', '/welcome', '/contact', '/welcome?lang=ar']) {
        await page.goto(path)
        await expect(page.locator('html')).toHaveAttribute('lang', path.includes('lang=') ? 'ar' : language)
        await page.waitForLoadState('networkidle')
        expect(complaints.splice(0), path).toEqual([])
      }
    })
  })
