import type { Page } from '@playwright/test'
import { expect, test as base } from '../support/e2e'
import { aPerson, signUp } from '../support/people'

/** Private pages in tests/fixtures/author. They and their layouts log to the console when they are set up and mounted. */
const PRIVATE = ['/gate/bare', '/gate/own', '/gate/plain'] as const

const test = base.extend<{ told: string[] }>({
  told: async ({ page }, use) => {
    const told: string[] = []
    page.on('console', message => told.push(message.text()))
    page.on('pageerror', error => told.push(error.message))
    await use(told)
  },
})
test.use({ application: 'author' })

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const endSession = (page: Page, origin: string) => page.request.delete('/_fw/session', { headers: { origin } })
const signIn = (page: Page, origin: string, name?: string) => signUp(page, origin, aPerson(name))

const layoutOf = { '/gate/bare': [], '/gate/own': ['layout telling'], '/gate/plain': [] } as const
const all = (path: (typeof PRIVATE)[number]) =>
  [path, ...layoutOf[path]].flatMap(name => [`setup ${name}`, `mounted ${name}`]).toSorted()

test('a private page is never set up for a signed-out visitor who opens it', async ({ page, told }) => {
  for (const path of PRIVATE) {
    await page.goto(`${path}?x=1#top`)
    await page.waitForURL('**/sign-in?**')
    expect(new URL(page.url()).searchParams.get('return')).toBe(`${path}?x=1#top`)
  }
  expect(told).toEqual([])
})

test('a private page is never set up for a signed-out visitor who follows a link to it', async ({ page, told }) => {
  await page.goto('/gate/hello')
  for (const path of PRIVATE) {
    await expect.poll(() => told).toContain('mounted /gate/hello')
    await page.getByRole('link', { name: path }).click()
    await page.waitForURL('**/sign-in?**')
    expect(new URL(page.url()).searchParams.get('return')).toBe(`${path}?x=1#top`)
    expect(told.splice(0)).toEqual(['setup /gate/hello', 'mounted /gate/hello'])
    await page.goBack()
    await expect(page).toHaveURL(/\/gate\/hello$/)
  }
})

test('a private page is mounted once when a signed-in visitor opens it or follows a link to it', async ({
  page,
  origin,
  told,
}) => {
  await signIn(page, origin)
  for (const path of PRIVATE) {
    await page.goto(path)
    await expect(heading(page)).toBeVisible()
    await expect.poll(() => told.toSorted()).toEqual(all(path))
    await page.goto('/gate/hello')
    await expect.poll(() => told).toContain('mounted /gate/hello')
    told.length = 0
    await page.getByRole('link', { name: path }).click()
    await expect(page).toHaveURL(`${origin}${path}?x=1#top`)
    await expect(heading(page)).not.toHaveText('Hello')
    await expect.poll(() => told.toSorted()).toEqual(all(path))
    told.length = 0
  }
})

test('a session that ended on a public page no longer opens private pages', async ({ page, origin, told }) => {
  await signIn(page, origin)
  await page.goto('/gate/plain')
  await page.getByRole('link', { name: 'Hello' }).click()
  await expect(heading(page)).toHaveText('Hello')
  await endSession(page, origin)
  told.length = 0
  await page.getByRole('link', { name: '/gate/bare' }).click()
  await page.waitForURL('**/sign-in?**')
  expect(told).toEqual([])
})

test('a page without a layout is remounted for another person and left when the session ends', async ({
  page,
  origin,
  told,
}) => {
  await signIn(page, origin)
  await page.goto('/gate/bare')
  await expect(heading(page)).toHaveText('Bare')
  told.length = 0
  await signIn(page, origin, 'Grace')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect.poll(() => told).toEqual(all('/gate/bare').toReversed())
  await endSession(page, origin)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.waitForURL('**/sign-in?return=%2Fgate%2Fbare')
})

test('a page without a layout is not set up while the server cannot be reached', async ({ page, origin, told }) => {
  await signIn(page, origin)
  await page.goto('/gate/hello')
  await page.route('**/_fw/session', route => route.abort())
  await page.getByRole('link', { name: '/gate/bare' }).click()
  await expect(heading(page)).toHaveText('Could not reach the server')
  expect(told).not.toContain('setup /gate/bare')
  await page.unroute('**/_fw/session')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading(page)).toHaveText('Bare')
})

test('a public page is hydrated in its own layout and requests no session', async ({ page, told }) => {
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  for (const [path, layout] of [
    ['/gate/hello', []],
    ['/gate/framed', ['layout telling']],
  ] as const) {
    told.length = 0
    await page.goto(path, { waitUntil: 'networkidle' })
    const all = [path, ...layout].flatMap(name => [`setup ${name}`, `mounted ${name}`]).toSorted()
    await expect.poll(() => told.toSorted()).toEqual(all)
  }
  expect(asked.filter(path => path.startsWith('/_fw'))).toEqual([])
})
