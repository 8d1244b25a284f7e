import { beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { useServer } from '../support/use-server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const EVIL = 'https://evil.example'

const server = useServer()
let browser: TestBrowser

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
})

const send = (path: string, init: Parameters<typeof plainRequest>[1] = {}) =>
  plainRequest(server.origin, { path, ...init })

const withAndWithout = (): Record<string, string>[] => [{}, { cookie: browser.cookieHeader() }]

describe('unsafe request from another site', () => {
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: EVIL },
    { origin: 'null' },
    { origin: EVIL, 'sec-fetch-site': 'same-origin' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { origin: EVIL, 'sec-fetch-site': 'none' },
  ]
  const endpoints: [method: string, path: string][] = [
    ['POST', '/_fw/actions/create-note'],
    ['POST', '/_fw/org'],
    ['DELETE', '/_fw/session'],
    ['PUT', '/_fw/vault/x'],
    ['PATCH', '/_fw/org'],
    ['POST', '/_fw/auth/sign-in/email'],
    ['POST', '/_fw/identity/token'],
    ['POST', '/_fw/desktop/ceremonies'],
    ['POST', '/_fw/desktop/ceremonies/none'],
    ['POST', '/_fw/passkeys/registration'],
    ['DELETE', '/_fw/sessions'],
    ['POST', '/_fw/claim'],
    ['POST', '/mcp/oauth/authorize'],
    ['POST', '/device'],
    ['POST', '/notes'],
    ['POST', '/nothing'],
  ]

  it.each(endpoints)('returns 403 with and without cookies: %s %s', async (method, path) => {
    for (const headers of foreign)
      for (const cookie of withAndWithout()) {
        const answer = await send(path, { method, headers: { 'content-type': JSON_TYPE, ...headers, ...cookie } })
        expect([headers, answer.status]).toEqual([headers, 403])
      }
  })

  it('is accepted where a bearer credential is the only identity', async () => {
    const headers = {
      origin: EVIL,
      'sec-fetch-site': 'cross-site',
      cookie: browser.cookieHeader(),
      'content-type': FORM,
    }
    const ask = async (path: string) => (await send(path, { method: 'POST', headers, body: 'token=x' })).status
    expect(await ask('/mcp/oauth/token')).toBe(400)
    expect(await ask('/mcp/oauth/revoke')).toBe(200)
    expect(await ask('/mcp/oauth/register')).toBe(415)
  })

  it('is not assumed for programs that send no origin headers and no cookie', async () => {
    const signIn = async (headers: Record<string, string>) => {
      const body = JSON.stringify(ada)
      const sent = { method: 'POST', headers: { 'content-type': JSON_TYPE, ...headers }, body }
      return (await send('/_fw/auth/sign-in/email', sent)).status
    }
    expect(await signIn({})).toBe(200)
    expect(await signIn({ cookie: browser.cookieHeader() })).toBe(403)
  })
})
