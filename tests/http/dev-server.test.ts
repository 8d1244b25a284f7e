import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { plainRequest } from '../support/http'
import { SECRET } from '../support/secrets'
import { freePort } from '../support/server'

const START_LIMIT_IN_MS = 120_000

let stop: () => Promise<void>
let origin: string

beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    // What is given at the command line outranks it.
    PORT: '1',
    BETTER_AUTH_SECRET: SECRET,
    FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-dev-')),
    FW_ALLOWED_HOSTS: 'preview.example',
    NUXT_TELEMETRY_DISABLED: '1',
  }
  const child = spawn(process.execPath, ['scripts/dev.mjs', '--port', String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (written += String(chunk)))
  stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  const limit = performance.now() + START_LIMIT_IN_MS
  for (;;) {
    if (child.exitCode !== null || performance.now() > limit) throw new Error(`it did not start:\n${written}`)
    const answer = await send('/_fw/health/ready').catch(() => undefined)
    if (answer?.status === 200) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}, START_LIMIT_IN_MS + 5000)
afterAll(() => stop())

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  plainRequest(origin, { path, headers, method })

/** Addresses that Vite, Nuxt, the files and our own server answer. */
const paths = [
  '/',
  '/sign-in',
  '/_fw/session',
  '/mcp',
  '/favicon.svg',
  '/_nuxt/@vite/client',
  '/_nuxt/app/app.vue',
  '/_vfs',
]

it.each(['evil.example', 'localhost.evil.example:3000', '10.1.2.3'])(
  'a name that is none of ours gets 421 from the development server, whoever would answer: %s',
  async host => {
    for (const path of paths)
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect([path, method, (await send(path, { host }, method)).status]).toEqual([path, method, 421])
    expect(await statusAndCode(await send('/sign-in', { host }))).toEqual([421, 'misdirected-request'])
  },
)

it.each(['localhost', '127.0.0.1:3000', '[::1]', 'preview.example'])(
  'the development server answers to %s, with its files',
  async host => {
    for (const path of ['/_fw/session', '/favicon.svg', '/_nuxt/@vite/client'])
      expect([path, (await send(path, { host })).status]).toEqual([path, 200])
  },
)

it('the development account signs in under our own name, and under no other', async () => {
  const foreign = await send('/sign-in', { host: 'evil.example' })
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([421, []])
  const own = await send('/sign-in')
  expect([own.status, own.headers.getSetCookie().length]).toEqual([302, 1])
})
