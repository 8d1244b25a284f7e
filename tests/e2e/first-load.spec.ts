import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

/** The gzipped script bytes of each page, rounded up to 500. They include the stream of changes on pages that use it. */
const mostBytes = {
  '/': 154_500,
  '/notes': 162_500,
  '/settings': 158_000,
  '/about': 145_000,
  '/connect': 149_000,
  '/tools': 158_000,
}

/** The layout shift above which a page counts as jumping. */
const MOST_MOVED = 0.02

/** Records the layout shifts of every page that opens from now on, with the elements that moved. */
const watchMoves = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const moves: { value: number; what: string[] }[] = []
    Object.assign(window, { moves })
    new PerformanceObserver(list => {
      for (const { value, sources } of list.getEntries() as unknown as Shift[])
        moves.push({
          value,
          what: sources.map(({ node }) => (node instanceof Element ? node.outerHTML : '').slice(0, 120)),
        })
    }).observe({ type: 'layout-shift', buffered: true })
  })

interface Shift {
  value: number
  sources: { node: Node | null }[]
}

/** The shifts on the current page; empty below the visible limit. */
async function moved(page: Page): Promise<Shift[]> {
  const moves: { value: number }[] = await page.evaluate(() => Reflect.get(window, 'moves'))
  return moves.reduce((sum, { value }) => sum + value, 0) > MOST_MOVED ? (moves as Shift[]) : []
}

const SECTIONS = ['/', '/notes', '/tools', '/audit', '/connections']
  .concat(['', '/invitations', '/roles', '/sign-in', '/general'].map(path => `/team${path}`))
  .concat(['/security', '/apps', '/appearance', '/data'].map(path => `/settings${path}`))

test('pages stay within their JavaScript limits, load nothing external and log nothing', async ({
  page,
  context,
  origin,
}) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Unbreakable'.repeat(15), text: 'word '.repeat(50) })
  const client = await context.newCDPSession(page)
  const scripts: Promise<number>[] = []
  const asked: string[] = []
  const elsewhere: string[] = []
  const complaints: string[] = []
  page.on('response', response => {
    const url = new URL(response.url())
    if (url.origin !== origin && url.protocol !== 'data:') elsewhere.push(url.href)
    if (!url.pathname.endsWith('.js')) return
    asked.push(url.pathname)
    scripts.push(response.body().then(body => gzipSync(body, { level: 9 }).length))
  })
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await watchMoves(page)
  for (const [path, most] of Object.entries(mostBytes))
    await test.step(path, async () => {
      // Nothing of the page before counts, and nothing of it is in the cache.
      await page.goto('about:blank')
      await client.send('Network.clearBrowserCache')
      scripts.length = asked.length = 0
      const document = await page.goto(path, { waitUntil: 'networkidle' })
      await expect(pageHeading(page)).toBeVisible()
      expect(await moved(page)).toEqual([])
      const bytes = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0)
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThan(most)
      // A page's scripts load together with the common ones, and none of them twice.
      const html = (await document?.text()) ?? ''
      const early = [...html.matchAll(/<link rel="modulepreload"[^>]* href="([^"]*)"/g)].map(([, href]) => href)
      expect(asked.slice(0, early.length).toSorted()).toEqual(early.toSorted())
      expect(early.length).toBeGreaterThan(1)
      expect(asked).toEqual([...new Set(asked)])
    })
  expect(elsewhere).toEqual([])
  expect(complaints).toEqual([])
})

test('pages do not shift after they are shown, at 375 and 1280 px', async ({ page, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Groceries', text: 'word '.repeat(50) })
  await watchMoves(page)
  const jumping: unknown[] = []
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const path of SECTIONS) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await expect(pageHeading(page)).toBeVisible()
      const moves = await moved(page)
      if (moves.length > 0) jumping.push({ width, path, moves })
    }
  }
  expect(jumping).toEqual([])
})
