import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../support/accessibility'
import { freePort } from '../support/server'

const root = fileURLToPath(new URL('../..', import.meta.url))
const START_LIMIT_IN_MS = 120_000

interface EmptyApplication {
  origin: string
  write(path: string, text: string): void
  stop(): Promise<void>
}

/** An application of one file in development. It lies in the repository, where packages are found. */
async function startEmptyApplication(): Promise<EmptyApplication> {
  mkdirSync(join(root, 'test-results'), { recursive: true })
  const folder = mkdtempSync(join(root, 'test-results/empty-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('nuxt.config.ts', `export default defineNuxtConfig({ extends: ['../../layers/fairway'] })\n`)
  mkdirSync(join(folder, 'app'))
  mkdirSync(join(folder, 'server'))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'development',
    NUXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    FW_BASE_URL: origin,
    FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-empty-')),
  }
  const args = [join(root, 'node_modules/nuxt/bin/nuxt.mjs'), 'dev', '--port', String(port), '--host', 'localhost']
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (written += String(chunk)))
  await untilReady(child, origin, () => written)
  return {
    origin,
    write,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function untilReady(child: ChildProcess, origin: string, written: () => string): Promise<void> {
  const limit = performance.now() + START_LIMIT_IN_MS
  for (;;) {
    if (child.exitCode !== null || performance.now() > limit) throw new Error(`it did not start:\n${written()}`)
    const answer = await fetch(`${origin}/_fw/health/ready`).catch(() => undefined)
    if (answer?.status === 200) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

let application: EmptyApplication
test.beforeAll(async () => {
  test.setTimeout(START_LIMIT_IN_MS + 10_000)
  application = await startEmptyApplication()
})
test.afterAll(() => application.stop())

test('an empty application shows what comes next, in both languages and colours, and its action works as it stands there', async ({
  page,
  context,
}) => {
  test.setTimeout(START_LIMIT_IN_MS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(application.origin, { timeout: 60_000 })
  await expect(page.getByRole('heading', { name: 'What happened' })).toBeVisible({ timeout: 60_000 })
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await expectNoViolationsInBothColours(page)
  }
  await page.getByRole('button', { name: 'Search or run' }).click()
  await expect(page.getByRole('option', { name: 'list-members' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Copy the action' }).click()
  application.write('server/actions/say-hello.ts', await page.evaluate(() => navigator.clipboard.readText()))
  // The server begins anew meanwhile.
  const greet = () =>
    page.request.get(`${application.origin}/_fw/actions/say-hello?name=Ada`).then(
      answer => answer.json(),
      () => 'no answer',
    )
  await expect.poll(greet, { timeout: 60_000 }).toEqual({ result: { greeting: 'Hello, Ada' } })

  await page.evaluate(() => localStorage.setItem('fairway-language', 'de'))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Was geschah' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('heading', { name: 'Eine Aktion deklarieren' })).toBeVisible({ timeout: 30_000 })
  await page.setViewportSize({ width: 375, height: 800 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
})
