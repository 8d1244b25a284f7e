import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DevServer, joinChanges, startDevServer } from '../support/dev-server'
import { statusAndCode } from '../support/error-code'
import { plainRequest } from '../support/http'
import { SECRET } from '../support/secrets'
import { freePort } from '../support/server'

const START_LIMIT_IN_MS = 125_000

let server: DevServer
let port: number
const dataDir = mkdtempSync(join(tmpdir(), 'fw-dev-'))

beforeAll(async () => {
  port = await freePort()
  server = await startDevServer(['--port', String(port)], {
    env: {
      // The command-line option takes precedence.
      PORT: '1',
      BETTER_AUTH_SECRET: SECRET,
      FW_DATA_DIR: dataDir,
      FW_ALLOWED_HOSTS: 'preview.example',
      NUXT_TELEMETRY_DISABLED: '1',
    },
  })
}, START_LIMIT_IN_MS)
afterAll(() => server.stop())

const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  plainRequest(server.origin, { path, headers, method })
/** Addresses that Vite, Nuxt, the static files and our server serve. */
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
  'returns 421 on every path for the unknown host name %s',
  async host => {
    for (const path of paths)
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect([path, method, (await send(path, { host }, method)).status]).toEqual([path, method, 421])
    expect(await statusAndCode(await send('/sign-in', { host }))).toEqual([421, 'misdirected-request'])
  },
)

it.each(['localhost', '127.0.0.1:3000', '[::1]', 'preview.example'])(
  'serves its files for the host name %s',
  async host => {
    for (const path of ['/_fw/session', '/favicon.svg', '/_nuxt/@vite/client'])
      expect([path, (await send(path, { host })).status]).toEqual([path, 200])
  },
)

const MODULE = '/_nuxt/@vite/client'
/** Addresses that show sources, rows or mails, or act on the developer's machine. */
const TOOLS = [
  '/_vfs',
  '/_vfs.json',
  '/__open-in-editor',
  '/_nuxt/__open-in-editor',
  '/_NUXT/../_nuxt/__Open-in-editor',
]
const signedIn = async (headers: Record<string, string>) => {
  const answer = await send('/sign-in', headers)
  return [answer.status, answer.headers.getSetCookie().length]
}

describe('Request to the development server', () => {
  it.each([
    ['forwarded', 'for=127.0.0.1'],
    ['via', '1.1 localhost'],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-proto', 'http'],
    ['x-forwarded-port', '3000'],
    ['x-real-ip', '203.0.113.9'],
    ['cf-connecting-ip', '203.0.113.9'],
    ['true-client-ip', '203.0.113.9'],
  ])('gets no modules, tools, outbox or development account with %s: %s', async (name, value) => {
    // A client cannot set the header that the front server adds.
    const headers = { [name]: value, 'x-fairway-sent-from': 'this machine' }
    for (const path of [MODULE, ...TOOLS, '/_fw/devtools/requests'])
      expect([path, (await send(path, headers)).status]).toEqual([path, 403])
    expect((await send('/_fw/dev/outbox', headers)).status).toBe(404)
    expect(await signedIn(headers)).toEqual([200, 0])
    await expect(joinChanges(server.origin, { headers })).rejects.toThrow()
    expect((await send('/favicon.svg', headers)).status).toBe(200)
  })

  it('gets modules, tools and the outbox from this machine', async () => {
    for (const path of [MODULE, '/_vfs.json', '/_fw/devtools/requests', '/_fw/dev/outbox']) {
      const answer = await send(path, { origin: server.origin })
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 200, null])
    }
    const changes = await joinChanges(server.origin)
    expect(await changes.answerTo('getBuiltins')).toMatchObject({ result: expect.any(Array) })
    const secret = join(dataDir, 'development-secret')
    writeFileSync(secret, 'the secret of a former start')
    for (const query of ['?raw', '?vue&src=true&type=custom&import'])
      expect(await changes.answerTo('fetchModule', `${secret}${query}`)).toMatchObject({ error: expect.anything() })
    changes.close()
  })

  it.each<Record<string, string>>([
    { origin: 'http://localhost:9999' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
  ])('gets no modules or tools from a page of another origin: %j', async headers => {
    for (const path of [MODULE, '/_nuxt/..//_nuxt/@vite/client', '/_nuxt/@fs/etc/hostname', ...TOOLS])
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await send(path, headers, method)
        expect([path, method, answer.status]).toEqual([path, method, 403])
        expect([...answer.headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([])
      }
    await expect(joinChanges(server.origin, { headers })).rejects.toThrow()
  })

  it('gets modules of pages but no tools under a name from FW_ALLOWED_HOSTS', async () => {
    const headers = { host: 'preview.example', 'x-forwarded-for': '203.0.113.9' }
    expect((await send(MODULE, headers)).status).toBe(200)
    for (const path of [...TOOLS, '/_fw/devtools/requests'])
      expect([path, (await send(path, headers)).status]).toEqual([path, 403])
    expect((await send('/_fw/dev/outbox', headers)).status).toBe(404)
    expect(await signedIn(headers)).toEqual([200, 0])
  })
})

it('signs in the development account only under its own host name', async () => {
  const foreign = await send('/sign-in', { host: 'evil.example' })
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([421, []])
  const own = await send('/sign-in')
  expect([own.status, own.headers.getSetCookie().length]).toEqual([302, 1])
})

it('uses the given port and derives its addresses from it', async () => {
  expect(server.origin).toBe(`http://localhost:${port}`)
  const metadata = await (await send('/.well-known/oauth-authorization-server')).json()
  expect(metadata).toMatchObject({ issuer: server.origin })
})
