import { describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { borrowServer, startServer } from '../support/server'
import { useServer } from '../support/use-server'

const password = 'zebra quilt 7 lantern'
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', accept: 'text/html' }
const PAGE = '/embed/notes'
const server = useServer({ env: { FW_EMBED_ANCESTORS: 'https://host.example.test, https://*.example.org' } })

let count = 0
async function signedIn() {
  const email = `embed${++count}@example.test`
  const browser = createBrowser(server.origin)
  await signUp(browser, { email, password, name: 'Person' })
  return { browser, email }
}

const ask = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, server.origin), { redirect: 'manual', ...init })
const go = (path: string, init: { method?: string; headers?: Record<string, string> } = { headers: NAVIGATION }) =>
  plainRequest(new URL(path, server.origin).href, init)
const bearer = (token: string, headers: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...headers },
})

async function ticketOf(browser: TestBrowser, path = PAGE): Promise<string> {
  const answer = await browser.post('/_fw/embed/tickets', { json: { path } })
  expect(answer.status).toBe(201)
  return (await answer.json()).url
}

async function open(url: string): Promise<string> {
  const answer = await go(url)
  expect(answer.status).toBe(303)
  return (
    new URLSearchParams(new URL(answer.headers.get('location') ?? '', server.origin).hash.slice(1)).get(
      'embed_token',
    ) ?? ''
  )
}

async function tokenOf(browser: TestBrowser, path = PAGE): Promise<string> {
  return open(await ticketOf(browser, path))
}

const statusOf = async (token: string) => (await ask('/_fw/embed/session', bearer(token))).status

describe('POST /_fw/embed/tickets', () => {
  it('returns a URL that works for five minutes and stores its secret as a hash', async () => {
    const { browser } = await signedIn()
    const answer = await browser.post('/_fw/embed/tickets', { json: { path: `${PAGE}?view=1` } })
    const { url, expiresAt } = await answer.json()
    expect(url).toMatch(new RegExp(`^${server.origin}/_fw/embed/start\\?ticket=[\\w-]{43}$`))
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(4.9)
    expect(minutes).toBeLessThanOrEqual(5)
    const rows = JSON.stringify(await query(server, 'select * from fw_one_time'))
    expect(rows).not.toContain(new URL(url).searchParams.get('ticket'))
  })

  it('returns 401 without a session, even with the token of an embed page', async () => {
    const { browser } = await signedIn()
    const token = await tokenOf(browser)
    const json = { method: 'POST', body: JSON.stringify({ path: PAGE }) }
    const headers = { 'content-type': 'application/json' }
    expect((await ask('/_fw/embed/tickets', { ...json, headers })).status).toBe(401)
    expect((await ask('/_fw/embed/tickets', { ...json, ...bearer(token, headers) })).status).toBe(401)
  })

  it.each([
    '/sign-in',
    '/_fw/sign-in',
    '/sign-in?return=/embed/notes',
    '//evil.test/embed/notes',
    '/\\evil.test',
    'https://evil.test/embed/notes',
    '/embed/notes#embed_token=x',
    '/embed/../notes',
    '/notes',
    '/about',
    '/no/such/page',
    '/_fw/session',
    'embed/notes',
    '/embed%2fnotes',
    '/embed/notes%0d%0aset-cookie:a=b',
    'javascript:alert(1)',
  ])('returns 400 for the path %s', async path => {
    const { browser } = await signedIn()
    const answer = await browser.post('/_fw/embed/tickets', { json: { path } })
    expect(await statusAndCode(answer)).toEqual([400, 'not-an-embed-page'])
  })
})

describe('GET /_fw/embed/start', () => {
  it('passes the token in the fragment without a cookie and keeps it out of the log', async () => {
    const { browser } = await signedIn()
    const url = await ticketOf(browser, `${PAGE}?view=1`)
    const answer = await go(url)
    expect(answer.headers.get('location')).toMatch(/^\/embed\/notes\?view=1#embed_token=fwe_[\w-]{43}$/)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ])
    expect(server.log()).not.toMatch(/fwe_|ticket=/)
    expect(JSON.stringify(await query(server, 'select * from embed_tokens'))).not.toContain('fwe_')
  })

  it('returns 410 with a page that can be framed for a used, expired or unknown ticket', async () => {
    const { browser, email } = await signedIn()
    const used = await ticketOf(browser)
    await open(used)
    const late = await ticketOf(browser)
    await query(
      server,
      `update fw_one_time set expires_at = ? where subject = (select id from users where email = ?)`,
      [Date.now() - 1, email],
    )
    for (const url of [used, late, '/_fw/embed/start?ticket=nothing', '/_fw/embed/start']) {
      const answer = await go(url)
      expect([answer.status, answer.headers.get('location')]).toEqual([410, null])
      expect(await answer.text()).toContain('This view cannot be opened')
      expect(answer.headers.get('content-security-policy')).toContain(
        `frame-ancestors 'self' https://host.example.test https://*.example.org`,
      )
      expect(answer.headers.get('x-frame-options')).toBeNull()
    }
  })

  it('accepts one of twenty concurrent requests', async () => {
    const { browser } = await signedIn()
    const url = await ticketOf(browser)
    const answers = await Promise.all(Array.from({ length: 20 }, () => go(url)))
    expect(answers.map(answer => answer.status).toSorted()).toEqual([303, ...Array(19).fill(410)])
  })

  it.each([
    ['a HEAD request', { method: 'HEAD', headers: NAVIGATION }],
    ['a mail scanner', { headers: { accept: 'text/html' } }],
    ['a script', { headers: { 'sec-fetch-mode': 'cors' } }],
    ['a prefetch', { headers: { ...NAVIGATION, 'sec-purpose': 'prefetch' } }],
    ['a prerender', { headers: { ...NAVIGATION, 'sec-purpose': 'prefetch;prerender' } }],
    ['a preview', { headers: { ...NAVIGATION, purpose: 'preview' } }],
  ])('keeps the ticket usable after %s, which gets a page with a button', async (_name, init) => {
    const { browser } = await signedIn()
    const url = await ticketOf(browser)
    const looked = await go(url, init)
    expect([looked.status, looked.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const page = await looked.text()
    if (!('method' in init)) expect(page).toContain('<form method="post" action="start">')
    const ticket = new URL(url).searchParams.get('ticket') ?? ''
    const opened = await ask('/_fw/embed/start', { method: 'POST', body: new URLSearchParams({ ticket }) })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, expect.stringContaining('#embed_token=')])
  })
})

describe('Embed token', () => {
  it('returns its page, person, organization and expiry', async () => {
    const { browser, email } = await signedIn()
    const { session } = await (await browser.get('/_fw/session')).json()
    const answer = await ask('/_fw/embed/session', bearer(await tokenOf(browser)))
    const body = await answer.json()
    expect(body).toEqual({ path: PAGE, email, orgId: session.orgId, expiresAt: expect.any(String) })
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(60 * 60 * 1000)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('runs actions that name its page, as the person in the token’s organization', async () => {
    const { browser } = await signedIn()
    await browser.post('/_fw/actions/create-note', { json: { title: 'Framed' } })
    const token = await tokenOf(browser)
    for (const init of [bearer(token), { method: 'POST', ...bearer(token) }]) {
      const answer = await ask('/_fw/actions/list-notes', init)
      expect([answer.status, (await answer.json()).result.notes]).toEqual([
        200,
        [expect.objectContaining({ title: 'Framed' })],
      ])
    }
    await browser.post('/_fw/org', { json: { name: 'Second', confirm: true } })
    expect((await (await browser.get('/_fw/actions/list-notes')).json()).result.notes).toEqual([])
    expect((await (await ask('/_fw/actions/list-notes', bearer(token))).json()).result.notes).toHaveLength(1)
  })

  it('creates no session and returns 401 for other requests, with or without a cookie', async () => {
    const { browser } = await signedIn()
    const token = await tokenOf(browser)
    const cookie = { cookie: browser.cookieHeader(), 'sec-fetch-site': 'same-origin' }
    for (const extra of [{}, cookie]) {
      const session = await ask('/_fw/session', bearer(token, extra))
      expect([session.status, await session.json()]).toEqual([200, { session: null }])
      for (const [method, path] of [
        ['GET', '/_fw/actions/get-note?id=x'],
        ['GET', '/_fw/actions/search-notes?query=x'],
        ['GET', '/_fw/actions/list-members'],
        ['POST', '/_fw/actions/create-note'],
        ['POST', '/_fw/actions/get-browser-connection'],
        ['GET', '/_fw/org'],
        ['GET', '/_fw/org/members'],
      ] as const) {
        const answer = await ask(path, { method, ...bearer(token, extra) })
        expect([path, answer.status]).toEqual([path, 401])
      }
    }
  })

  it('returns 401 for actions that name another page', async () => {
    const { browser } = await signedIn()
    const token = await tokenOf(browser)
    await query(server, 'update embed_tokens set page = ?', ['/embed/other'])
    expect((await ask('/_fw/actions/list-notes', bearer(token))).status).toBe(401)
  })

  it('returns 401 when it is wrong, altered, expired or sent differently, even with a session cookie', async () => {
    const { browser, email } = await signedIn()
    const token = await tokenOf(browser)
    const cookie = { cookie: browser.cookieHeader() }
    for (const wrong of ['fwe_', 'fwe_x', token.slice(0, -1), `${token}a`, token.toUpperCase()]) {
      expect((await ask('/_fw/embed/session', bearer(wrong, cookie))).status).toBe(401)
      expect((await ask('/_fw/actions/list-notes', bearer(wrong, cookie))).status).toBe(401)
    }
    expect((await ask('/_fw/embed/session', { headers: cookie })).status).toBe(401)
    expect((await ask(`/_fw/embed/session?embed_token=${token}`)).status).toBe(401)
    expect((await ask('/_fw/embed/session', { headers: { cookie: `embed_token=${token}` } })).status).toBe(401)
    await query(
      server,
      'update embed_tokens set expires_at = ? where user_id = (select id from users where email = ?)',
      [Date.now(), email],
    )
    const late = await ask('/_fw/embed/session', bearer(token))
    expect(await statusAndCode(late)).toEqual([401, 'embed-token-ended'])
  })

  it('ends on sign-out, when the session expires and when it is revoked', async () => {
    const first = await signedIn()
    const token = await tokenOf(first.browser)
    const waiting = await ticketOf(first.browser)
    expect(await statusOf(token)).toBe(200)
    await first.browser.request('/_fw/session', { method: 'DELETE' })
    expect(await statusOf(token)).toBe(401)
    expect((await go(waiting)).status).toBe(410)

    const second = await signedIn()
    const other = await tokenOf(second.browser)
    await query(server, 'update sessions set expires_at = ? where user_id = (select id from users where email = ?)', [
      Date.now() - 1,
      second.email,
    ])
    expect(await statusOf(other)).toBe(401)

    const third = await signedIn()
    const given = await tokenOf(third.browser)
    expect((await ask('/_fw/embed/session', { method: 'DELETE', ...bearer(given) })).status).toBe(204)
    expect(await statusOf(given)).toBe(401)
    expect((await ask('/_fw/embed/session', { method: 'DELETE', ...bearer(given) })).status).toBe(204)
  })

  it('ends with the membership and with the account', async () => {
    const owner = await signedIn()
    const member = await signedIn()
    const token = await tokenOf(member.browser)
    const { session } = await (await member.browser.get('/_fw/session')).json()
    const { session: other } = await (await owner.browser.get('/_fw/session')).json()
    await query(server, 'update embed_tokens set org_id = ? where user_id = ?', [other.orgId, session.userId])
    expect(await statusOf(token)).toBe(401)
    await query(server, 'insert into org_members (org_id, user_id, role, joined_at) values (?, ?, ?, ?)', [
      other.orgId,
      session.userId,
      'member',
      0,
    ])
    expect(await statusOf(token)).toBe(200)
    const removed = await owner.browser.request(`/_fw/org/members/${member.email}`, { method: 'DELETE' })
    expect(removed.status).toBe(200)
    expect(await statusOf(token)).toBe(401)

    const gone = await signedIn()
    const last = await tokenOf(gone.browser)
    await query(server, 'delete from users where email = ?', [gone.email])
    expect(await statusOf(last)).toBe(401)
  })
})

describe('Embed page', () => {
  it('is identical for every visitor and can be framed by the configured origins', async () => {
    const { browser } = await signedIn()
    const token = await tokenOf(browser)
    const variants: Record<string, string>[] = [
      {},
      { cookie: browser.cookieHeader() },
      { authorization: `Bearer ${token}` },
    ]
    const answers = await Promise.all(variants.map(headers => ask(`${PAGE}?x=marker`, { headers })))
    const bodies = await Promise.all(answers.map(answer => answer.text()))
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).not.toMatch(/marker|fwe_|example\.test/)
    expect(bodies[0]).toContain('Notes')
    for (const answer of answers) {
      expect(answer.headers.get('cache-control')).toContain('s-maxage=600')
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(answer.headers.get('content-security-policy')).toContain(
        `frame-ancestors 'self' https://host.example.test https://*.example.org`,
      )
    }
    for (const path of ['/notes', '/about'])
      expect((await ask(path)).headers.get('content-security-policy')).toMatch(/frame-ancestors 'self'$/)
    expect((await ask('/sign-in')).headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
  })

  it('can be framed only by its own origin by default, and an invalid setting prevents the start', async () => {
    const plain = await borrowServer()
    expect((await fetch(plain.origin + PAGE)).headers.get('content-security-policy')).toMatch(/frame-ancestors 'self'$/)
    await plain.stop()
    for (const value of [
      '*',
      'host.example.test',
      'https://host.example.test/path',
      "https://a.test; script-src 'unsafe-inline'",
    ])
      await expect(startServer({ env: { FW_EMBED_ANCESTORS: value } })).rejects.toThrow(/FW_EMBED_ANCESTORS/)
  })
})
