// One application in development: from a start that fails to an empty application and on.
import { tmpdir } from 'node:os'
import { test as base, expect } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { type AuthorProject, writeProject } from '../support/author-project'
import { type DevServer, startDevServer } from '../support/dev-server'
import { oncePerFile } from '../support/e2e'

/** The server rebuilds or restarts in between, possibly on a busy machine. */
const NOTICED = { timeout: 60_000 }

const ACTION = `import { z } from 'zod'
import { defineAction } from '#fw'
export default defineAction({ description: 'Greets.', input: z.object({}), run: () => null })
`
const BROKEN = ACTION.replace('description:', 'descripton:')
const PAGE = `<script setup lang="ts">
definePageMeta({ public: true })
</script>
<template><p>Greetings</p></template>
`

interface Development {
  application: AuthorProject
  server: DevServer
  stop(): Promise<unknown>
}

const test = base.extend<object, { development: Development }>({
  development: oncePerFile(async () => {
    const application = writeProject({ 'server/actions/greet.ts': BROKEN, 'app/pages/hello.vue': PAGE })
    const server = await startDevServer([application.dir], { cwd: tmpdir(), isReady: false })
    return { application, server, stop: () => server.stop() }
  }),
})

test.describe.configure({ mode: 'serial', timeout: 180_000 })

test('a broken declaration at startup shows file, line and reason until it is fixed', async ({
  page,
  request,
  development: { application, server },
}) => {
  const asked = await request.get(`${server.origin}/hello`, { headers: { accept: 'application/json' } })
  expect([asked.status(), asked.headers()['content-type']]).toEqual([503, 'application/problem+json'])
  expect(await asked.json()).toMatchObject({
    status: 503,
    detail: expect.stringContaining('Unrecognized key: "descripton"'),
    place: expect.stringMatching(/^server\/actions\/greet\.ts:3:\d+$/),
  })

  const answer = await page.goto(`${server.origin}/hello`)
  expect(answer?.status()).toBe(503)
  await expect(page.locator('code')).toHaveText(/^server\/actions\/greet\.ts:3:\d+$/)
  await expect(page.locator('pre').first()).toContainText('Unrecognized key: "descripton"')
  await expect(page.locator('pre').last()).toContainText('3 | export default defineAction({ descripton')

  application.write('server/actions/greet.ts', ACTION)
  await expect(page.getByText('Greetings')).toBeVisible(NOTICED)
})

test('an empty application shows next steps in both languages and color modes, and its example action works unchanged', async ({
  page,
  context,
  development: { application, server },
}) => {
  // Only a page remains, which is not in the navigation.
  application.remove('server/actions/greet.ts')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(server.origin, { timeout: 60_000 })
  await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible({ timeout: 60_000 })
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await expectNoViolationsInBothColours(page)
  }
  await page.getByRole('button', { name: 'Search or run' }).click()
  await expect(page.getByRole('option', { name: 'List the members' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Copy the action' }).click()
  application.write('server/actions/say-hello.ts', await page.evaluate(() => navigator.clipboard.readText()))
  // The server restarts in the meantime.
  const greet = () =>
    page.request.get(`${server.origin}/_fw/actions/say-hello?name=Ada`).then(
      answer => answer.json(),
      () => 'no answer',
    )
  await expect.poll(greet, NOTICED).toEqual({ result: { greeting: 'Hello, Ada' } })

  // The page reloads itself when the server is back, which can interrupt these steps.
  await expect(async () => {
    await page.evaluate(() => localStorage.setItem('fairway-language', 'de'))
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Aktivität' })).toBeVisible()
  }).toPass(NOTICED)
  await expect(page.getByRole('heading', { name: 'Aktion deklarieren' })).toBeVisible({ timeout: 30_000 })
  await page.setViewportSize({ width: 375, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
})

test('a broken declaration covers the open page with the terminal’s reason, which the terminal reports once', async ({
  page,
  development: { application, server },
}) => {
  await page.goto(`${server.origin}/hello`)
  await expect(page.getByText('Greetings')).toBeVisible(NOTICED)
  const before = server.output().length
  const tellings = () => server.output().slice(before).split('Unrecognized key: "descripton"').length - 1

  application.write('server/actions/greet.ts', BROKEN)
  const overlay = page.locator('vite-error-overlay')
  await expect(overlay).toContainText('Unrecognized key: "descripton"', NOTICED)
  await expect(overlay).toContainText('server/actions/greet.ts:3')
  // The terminal can be slower than the page.
  await expect.poll(tellings, NOTICED).toBe(1)
  // The server still runs the last good build.
  expect((await page.request.get(`${server.origin}/_fw/health/ready`)).status()).toBe(200)

  application.write('server/actions/greet.ts', ACTION)
  await expect(overlay).toHaveCount(0, NOTICED)
  await expect(page.getByText('Greetings')).toBeVisible(NOTICED)
  expect(tellings()).toBe(1)
})

test('an icon that a page uses for the first time is shown', async ({ page, development: { application, server } }) => {
  await page.goto(`${server.origin}/hello`)
  await expect(page.getByText('Greetings')).toBeVisible(NOTICED)
  application.write(
    'app/pages/hello.vue',
    PAGE.replace('Greetings', '<UIcon name="i-lucide-rocket" data-testid="icon" />'),
  )
  const shape = () => page.getByTestId('icon').evaluate(element => getComputedStyle(element).maskImage)
  await expect.poll(() => shape().catch(() => ''), NOTICED).toMatch(/^url\("data:image\/svg/)
})

test('a page that fails in the browser names the cause in its console and in the terminal', async ({
  page,
  development: { application, server },
}) => {
  const plugin = `export default defineNuxtPlugin(({ vueApp }) => {
  const install = () => Object.defineProperty(vueApp.config.globalProperties, '$twice', { get: () => 1 })
  install()
  install()
})
`
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  application.write('app/plugins/twice.client.ts', plugin)
  await expect(async () => {
    await page.goto(server.origin)
    await expect(page.getByText('page-failed')).toBeVisible()
  }).toPass(NOTICED)
  expect(errors).toContain('Cannot redefine property: $twice')
  await expect.poll(() => server.output()).toMatch(/Cannot redefine property: \$twice[^]*plugins\/twice\.client\.ts:\d/)
})
