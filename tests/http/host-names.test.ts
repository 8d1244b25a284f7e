import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { borrowServer, type TestServer } from '../support/server'
import { useServer } from '../support/use-server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
const FORM = 'application/x-www-form-urlencoded'

const server = useServer({ env: { FW_ALLOWED_HOSTS: 'preview.example' } })
let browser: TestBrowser

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
})

const send = (path: string, init: Parameters<typeof plainRequest>[1] = {}, to = server) =>
  plainRequest(to.origin, { path, ...init })
const own = () => ({ origin: server.origin, 'sec-fetch-site': 'same-origin' })
const credentials = new URLSearchParams({ intent: 'sign-in', ...ada }).toString()

describe('Unknown host name', () => {
  const paths = [
    '/',
    '/favicon.svg',
    '/robots.txt',
    '/notes',
    '/about',
    '/sign-in',
    '/mcp',
    '/mcp/oauth/token',
    '/.well-known/oauth-authorization-server',
    '/nothing',
    '/_fw/health/live',
  ]

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', 'evil.example:80'])(
    'returns 421 at every path: %s',
    async host => {
      for (const path of [...paths, await anAsset()])
        for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
          expect([path, method, (await send(path, { method, headers: { host } })).status]).toEqual([path, method, 421])
      const answer = await send('/_fw/session', { headers: { host, cookie: browser.cookieHeader() } })
      expect(await statusAndCode(answer)).toEqual([421, 'misdirected-request'])
    },
  )

  it('creates no session and returns a page to people', async () => {
    const headers = { ...own(), host: 'evil.example', 'content-type': FORM, accept: 'text/html' }
    const answer = await send('/sign-in', { method: 'POST', headers, body: credentials })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([421, []])
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(await answer.text()).not.toContain('evil.example')
  })

  it('does not include the base URL, this machine or the names in FW_ALLOWED_HOSTS', async () => {
    for (const host of [new URL(server.origin).host, 'localhost', '127.0.0.1:1', '[::1]', 'preview.example:8080'])
      expect([host, (await send('/_fw/health/live', { headers: { host } })).status]).toEqual([host, 200])
  })

  it('returns 421 at a public address without sign-in, and is accepted there with sign-in', async () => {
    const env = { NODE_ENV: 'production', FW_BASE_URL: 'https://app.example.test' }
    const open = await borrowServer({ env: { ...env, AUTH_DISABLED: 'true', FW_ALLOW_AUTH_DISABLED: '1' } })
    const guarded = await borrowServer({ env })
    const ask = async (to: TestServer, host: string) => (await send('/_fw/session', { headers: { host } }, to)).status
    expect([await ask(open, 'evil.example'), await ask(open, 'app.example.test')]).toEqual([421, 200])
    expect([await ask(guarded, 'app.internal'), await ask(guarded, 'app.example.test')]).toEqual([200, 200])
    await Promise.all([open.stop(), guarded.stop()])
  })
})

const anAsset = async () => /"(\/_nuxt\/[\w.-]+\.js)"/.exec(await (await send('/notes')).text())?.[1] ?? 'no asset'
