import { join } from 'node:path'
import { type Page, test as base } from '@playwright/test'
import { runNuxt, writeProject } from '../support/author-project'
import { expect, oncePerFile } from '../support/e2e'
import { aPerson, signUp } from '../support/people'
import { type OwnServer, startServer } from '../support/server'

/** A page or layout that tells the console when it is set up and mounted. */
const telling = (name: string, meta: string, template: string): string =>
  `<script setup lang="ts">
${meta && `definePageMeta(${meta})`}
console.info('setup ${name}')
onMounted(() => console.info('mounted ${name}'))
</script>

<template>${template}</template>
`

const PRIVATE = ['/bare', '/own', '/plain'] as const

const files = {
  'app/layouts/own.vue': telling('layout own', '', '<div><p>Own frame</p><slot /></div>'),
  'app/layouts/default.vue': telling('layout default', '', '<div><p>My default</p><slot /></div>'),
  'app/pages/bare.vue': telling('/bare', '{ layout: false }', '<h1>Bare</h1>'),
  'app/pages/own.vue': telling('/own', `{ layout: 'own' }`, '<h1>Own</h1>'),
  'app/pages/plain.vue': telling('/plain', '', '<div><h1>Plain</h1><NuxtLink to="/hello">Hello</NuxtLink></div>'),
  'app/pages/hello.vue': telling(
    '/hello',
    '{ public: true }',
    `<div><h1>Hello</h1>${PRIVATE.map(path => `<NuxtLink to="${path}?x=1#top">${path}</NuxtLink>`).join(' ')}</div>`,
  ),
  'app/pages/framed.vue': telling('/framed', `{ public: true, layout: 'own' }`, '<h1>Framed</h1>'),
}

const test = base.extend<{ origin: string; told: string[] }, { application: OwnServer }>({
  application: [
    oncePerFile(async () => {
      const project = writeProject(files)
      await runNuxt(project, 'build')
      const server = await startServer({ output: join(project.dir, '.output') })
      const stop = async () => {
        const ended = await server.stop()
        project.remove()
        return ended
      }
      return { ...server, stop }
    })[0],
    { scope: 'worker', timeout: 600_000 },
  ],
  origin: async ({ application }, use) => use(application.origin),
  baseURL: async ({ application }, use) => use(application.origin),
  told: async ({ page }, use) => {
    const told: string[] = []
    page.on('console', message => told.push(message.text()))
    page.on('pageerror', error => told.push(error.message))
    await use(told)
  },
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const endSession = (page: Page, origin: string) => page.request.delete('/_fw/session', { headers: { origin } })
let people = 0
const signIn = (page: Page, origin: string) => signUp(page, origin, aPerson(`Person${++people}`))

const layoutOf = { '/bare': [], '/own': ['layout own'], '/plain': ['layout default'] } as const
const all = (path: (typeof PRIVATE)[number]) =>
  [path, ...layoutOf[path]].flatMap(name => [`setup ${name}`, `mounted ${name}`]).toSorted()

for (const path of PRIVATE) {
  test(`${path} is never set up for a signed-out visitor who opens it`, async ({ page, told }) => {
    await page.goto(`${path}?x=1#top`)
    await page.waitForURL('**/sign-in?**')
    expect(new URL(page.url()).searchParams.get('return')).toBe(`${path}?x=1#top`)
    expect(told).toEqual([])
  })

  test(`${path} is never set up for a signed-out visitor who follows a link to it`, async ({ page, told }) => {
    await page.goto('/hello')
    await expect.poll(() => told).toContain('mounted /hello')
    await page.getByRole('link', { name: path }).click()
    await page.waitForURL('**/sign-in?**')
    expect(new URL(page.url()).searchParams.get('return')).toBe(`${path}?x=1#top`)
    expect(told).toEqual(['setup /hello', 'mounted /hello'])
    await page.goBack()
    await expect(page).toHaveURL(/\/hello$/)
  })

  test(`${path} is mounted once for a signed-in visitor, opened or followed`, async ({ page, origin, told }) => {
    await signIn(page, origin)
    await page.goto(path)
    await expect(heading(page)).toBeVisible()
    await expect.poll(() => told.toSorted()).toEqual(all(path))
    await page.goto('/hello')
    await expect.poll(() => told).toContain('mounted /hello')
    told.length = 0
    await page.getByRole('link', { name: path }).click()
    await expect(page).toHaveURL(`${origin}${path}?x=1#top`)
    await expect(heading(page)).not.toHaveText('Hello')
    await expect.poll(() => told.toSorted()).toEqual(all(path))
  })
}

test('a session that ended while a public page was open opens no private page', async ({ page, origin, told }) => {
  await signIn(page, origin)
  await page.goto('/plain')
  await page.getByRole('link', { name: 'Hello' }).click()
  await expect(heading(page)).toHaveText('Hello')
  await endSession(page, origin)
  told.length = 0
  await page.getByRole('link', { name: '/bare' }).click()
  await page.waitForURL('**/sign-in?**')
  expect(told).toEqual([])
})

test('a page without a layout is left when the session ends, and begins anew for another person', async ({
  page,
  origin,
  told,
}) => {
  await signIn(page, origin)
  await page.goto('/bare')
  await expect(heading(page)).toHaveText('Bare')
  told.length = 0
  await signIn(page, origin)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect.poll(() => told).toEqual(all('/bare').toReversed())
  await endSession(page, origin)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.waitForURL('**/sign-in?return=%2Fbare')
})

test('a page without a layout is not set up while the server cannot be reached', async ({ page, origin, told }) => {
  await signIn(page, origin)
  await page.goto('/hello')
  await page.route('**/_fw/session', route => route.abort())
  await page.getByRole('link', { name: '/bare' }).click()
  await expect(heading(page)).toHaveText('Could not reach the server')
  expect(told).not.toContain('setup /bare')
  await page.unroute('**/_fw/session')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading(page)).toHaveText('Bare')
})

test('a public page is hydrated in the layout that it names, and asks for no session', async ({ page, told }) => {
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  for (const [path, layout] of [
    ['/hello', []],
    ['/framed', ['layout own']],
  ] as const) {
    told.length = 0
    await page.goto(path, { waitUntil: 'networkidle' })
    expect(told.toSorted()).toEqual([path, ...layout].flatMap(name => [`setup ${name}`, `mounted ${name}`]).toSorted())
  }
  expect(asked.filter(path => path.startsWith('/_fw'))).toEqual([])
})
