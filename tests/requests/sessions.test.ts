import { describe, expect, it } from 'vitest'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { countRows, query } from '../support/query'
import { useServer } from '../support/use-server'

const password = 'zebra quilt 7 lantern'
const DAY = 24 * 60 * 60 * 1000
const SESSIONS_OF = 'sessions where user_id = (select id from users where email = ?)'
const server = useServer()

let count = 0
async function signedIn(): Promise<{ browser: TestBrowser; email: string }> {
  const email = `person${++count}@example.test`
  const browser = createBrowser(server.origin)
  await signUp(browser, { email, password, name: 'Person' })
  return { browser, email }
}

describe('GET /_fw/session', () => {
  it('returns null without a cookie and with a broken, forged or unsigned one', async () => {
    const { browser } = await signedIn()
    const [row] = await query(server, 'select token from sessions limit 1')
    expect(await sessionOf(browser)).not.toBeNull()
    for (const cookie of [
      '',
      'fw.session_token=',
      'fw.session_token=%zz',
      `fw.session_token=${String(row?.token)}`,
      `fw.session_token=${String(row?.token)}.AAAA`,
      `fw.session_token=.${'A'.repeat(44)}`,
    ]) {
      const answer = await fetch(`${server.origin}/_fw/session`, { headers: cookie ? { cookie } : {} })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ session: null })
    }
  })

  it('returns the session without a token and with Cache-Control no-store', async () => {
    const { browser, email } = await signedIn()
    const answer = await browser.get('/_fw/session')
    const { session } = await answer.json()
    expect(Object.keys(session).toSorted()).toEqual([
      'createdAt',
      'email',
      'emailVerified',
      'expiresAt',
      'image',
      'name',
      'orgId',
      'orgName',
      'orgRole',
      'orgSlug',
      'provider',
      'userId',
    ])
    expect(session.email).toBe(email)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
  })

  it('ignores a token in the query', async () => {
    const { browser } = await signedIn()
    const token = browser.cookieHeader().split('=')[1]
    const answer = await fetch(`${server.origin}/_fw/session?_session=${token}&fw.session_token=${token}`)
    expect((await answer.json()).session).toBeNull()
  })

  it('returns null on the next request after the row is deleted', async () => {
    const { browser, email } = await signedIn()
    await query(server, `delete from ${SESSIONS_OF}`, [email])
    expect(await sessionOf(browser)).toBeNull()
  })

  it('returns null after the session expires', async () => {
    const { browser, email } = await signedIn()
    await query(server, 'update sessions set expires_at = ? where user_id = (select id from users where email = ?)', [
      Date.now() - 1,
      email,
    ])
    expect(await sessionOf(browser)).toBeNull()
  })

  it('renews the session once a day with a new cookie, up to 180 days after sign-in', async () => {
    const { browser, email } = await signedIn()
    const where = 'where user_id = (select id from users where email = ?)'
    expect((await browser.get('/_fw/session')).headers.get('set-cookie')).toBeNull()
    await query(server, `update sessions set updated_at = ?, expires_at = ? ${where}`, [
      Date.now() - 2 * DAY,
      Date.now() + 5 * DAY,
      email,
    ])
    const rolled = await browser.get('/_fw/session')
    expect(rolled.headers.get('set-cookie')).toMatch(/^fw\.session_token=.*Max-Age=2592000/)
    const left = Date.parse((await rolled.json()).session.expiresAt) - Date.now()
    expect(Math.round(left / DAY)).toBe(30)
    await query(server, `update sessions set updated_at = ?, created_at = ?, expires_at = ? ${where}`, [
      Date.now() - 2 * DAY,
      Date.now() - 170 * DAY,
      Date.now() + DAY,
      email,
    ])
    const capped = Date.parse((await sessionOf(browser)).expiresAt) - Date.now()
    expect(Math.round(capped / DAY)).toBe(10)
  })
})

describe('DELETE /_fw/session', () => {
  it('ends the session and deletes the cookie', async () => {
    const { browser, email } = await signedIn()
    const stolen = browser.cookieHeader()
    const answer = await browser.request('/_fw/session', { method: 'DELETE' })
    expect(answer.status).toBe(204)
    expect(await answer.text()).toBe('')
    expect(answer.headers.get('set-cookie')).toMatch(/^fw\.session_token=;.*Max-Age=0/)
    const replay = await fetch(`${server.origin}/_fw/session`, { headers: { cookie: stolen } })
    expect((await replay.json()).session).toBeNull()
    expect(await countRows(server, SESSIONS_OF, [email])).toBe(0)
  })

  it('is rejected as GET and from another site', async () => {
    const { browser } = await signedIn()
    expect((await browser.get('/_fw/auth/sign-out')).status).toBe(405)
    const foreign = await browser.request('/_fw/session', {
      method: 'DELETE',
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(foreign.status).toBe(403)
    expect(await foreign.json()).toMatchObject({ code: 'cross-origin' })
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it('also works as the library’s sign-out endpoint', async () => {
    const { browser } = await signedIn()
    expect((await browser.post('/_fw/auth/sign-out', { json: {} })).status).toBe(200)
    expect(await sessionOf(browser)).toBeNull()
  })

  it('returns 405 with Allow for other methods', async () => {
    const answer = await createBrowser(server.origin).request('/_fw/session', { method: 'PATCH' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE'])
  })
})

describe('sessions per person', () => {
  it('are limited to 25, and the oldest ends', async () => {
    const { browser, email } = await signedIn()
    for (let index = 0; index < 25; index++) {
      await createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json: { email, password } })
    }
    expect(await countRows(server, SESSIONS_OF, [email])).toBe(25)
    expect(await sessionOf(browser)).toBeNull()
  })
})
