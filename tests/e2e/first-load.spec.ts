import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { pageHeading, runAction, signUp } from '../support/people'

/** The gzipped script bytes of each page plus one percent. They include the stream of changes on pages that use it. */
const mostBytes = {
  '/': 159_000,
  '/notes': 166_400,
  '/settings': 162_900,
  '/about': 148_400,
  '/connect': 154_000,
  '/tools': 160_100,
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

for (const [path, most] of Object.entries(mostBytes)) {
  test(`${path} stays within its JavaScript limit, loads nothing external, logs nothing, does not shift and fits 320 px`, async ({
    page,
    origin,
  }) => {
    await signUp(page, origin)
    await runAction(page, origin, 'create-note', { title: 'Unbreakable'.repeat(15), text: 'word '.repeat(50) })
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
    await page.goto(path, { waitUntil: 'networkidle' })
    await expect(pageHeading(page)).toBeVisible()
    expect(await moved(page)).toEqual([])
    const bytes = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(most)
    // A page's scripts load together with the common ones, and none of them twice.
    const html = await (await page.request.get(path, { headers: { accept: 'text/html' } })).text()
    const early = [...html.matchAll(/<link rel="modulepreload"[^>]* href="([^"]*)"/g)].map(([, href]) => href)
    expect(asked.slice(0, early.length).toSorted()).toEqual(early.toSorted())
    expect(early.length).toBeGreaterThan(1)
    expect(asked).toEqual([...new Set(asked)])
    expect(elsewhere).toEqual([])
    expect(complaints).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
}

const SECTIONS = [
  '/team',
  '/team/invitations',
  '/team/roles',
  '/team/sign-in',
  '/team/general',
  '/audit',
  '/connections',
].concat(['/settings/security', '/settings/apps', '/settings/appearance', '/settings/data', '/', '/notes', '/tools'])

for (const width of [375, 1280])
  test(`pages do not shift after they are shown, at ${width} px`, async ({ page, origin }) => {
    await page.setViewportSize({ width, height: 800 })
    await signUp(page, origin)
    await runAction(page, origin, 'create-note', { title: 'Groceries', text: 'word '.repeat(50) })
    await watchMoves(page)
    const jumping: unknown[] = []
    for (const path of SECTIONS) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await expect(pageHeading(page)).toBeVisible()
      const moves = await moved(page)
      if (moves.length > 0) jumping.push({ path, moves })
    }
    expect(jumping).toEqual([])
  })
