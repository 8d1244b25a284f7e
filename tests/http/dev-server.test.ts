import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DevServer, startDevServer } from '../support/dev-server'
import { statusAndCode } from '../support/error-code'
import { plainRequest } from '../support/http'
import { SECRET } from '../support/secrets'
import { freePort } from '../support/server'

const START_LIMIT_IN_MS = 125_000

let server: DevServer
let port: number

beforeAll(async () => {
  port = await freePort()
  server = await startDevServer(['--port', String(port)], {
    env: {
      // What is given at the command line outranks it.
      PORT: '1',
      BETTER_AUTH_SECRET: SECRET,
      FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-dev-')),
      FW_ALLOWED_HOSTS: 'preview.example',
      NUXT_TELEMETRY_DISABLED: '1',
    },
  })
}, START_LIMIT_IN_MS)
afterAll(() => server.stop())

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  plainRequest(server.origin, { path, headers, method })
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

it('its port is the one that was given, and its addresses follow from it', async () => {
  expect(server.origin).toBe(`http://localhost:${port}`)
  const metadata = await (await send('/.well-known/oauth-authorization-server')).json()
  expect(metadata).toMatchObject({ issuer: server.origin })
})
