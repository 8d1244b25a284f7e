import { gzipSync } from 'node:zlib'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

/** What each page loads, with the stream of changes where it listens to one, and one per cent more. */
const mostBytes = {
  '/': 140_200,
  '/notes': 147_800,
  '/settings': 147_500,
  '/about': 129_000,
  '/connect': 134_400,
  '/tools': 139_500,
}

for (const [path, most] of Object.entries(mostBytes)) {
  test(`${path} stays within its limit of JavaScript, from here only, with an empty console, keeps its place and fits 320 px`, async ({
    page,
    origin,
  }) => {
    await signUp(page, origin)
    await runAction(page, origin, 'create-note', { title: 'Unbreakable'.repeat(15), text: 'word '.repeat(50) })
    const scripts: Promise<number>[] = []
    const elsewhere: string[] = []
    const complaints: string[] = []
    page.on('response', response => {
      const url = new URL(response.url())
      if (url.origin !== origin && url.protocol !== 'data:') elsewhere.push(url.href)
      if (url.pathname.endsWith('.js')) scripts.push(response.body().then(body => gzipSync(body, { level: 9 }).length))
    })
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    await page.addInitScript(() => {
      const moved = { sum: 0 }
      Object.assign(window, { moved })
      new PerformanceObserver(list => {
        for (const { value } of list.getEntries() as unknown as { value: number }[]) moved.sum += value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto(path, { waitUntil: 'networkidle' })
    await expect(pageHeading(page)).toBeVisible()
    expect(await page.evaluate(() => Reflect.get(window, 'moved').sum)).toBeLessThan(0.1)
    const bytes = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(most)
    expect(elsewhere).toEqual([])
    expect(complaints).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
}
