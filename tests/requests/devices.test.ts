import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Device } from '#fairway/shared/schemas/account'
import { createBrowser, sessionOf, signUp, type TestBrowser, userAgents } from '../support/http'
import { readOutbox } from '../support/mail'
import { query } from '../support/query'
import { useServer } from '../support/use-server'

const password = 'zebra quilt 7 lantern'
const server = useServer()

let count = 0
async function someone(): Promise<{ email: string; browser: TestBrowser }> {
  const email = `owner${++count}@example.test`
  const browser = createBrowser(server.origin)
  await signUp(browser, { email, password, name: 'Owner' })
  return { email, browser }
}

async function signIn(email: string, userAgent: string): Promise<TestBrowser> {
  const browser = createBrowser(server.origin)
  const answer = await browser.post('/_fw/auth/sign-in/email', {
    json: { email, password },
    headers: { 'user-agent': userAgent },
  })
  if (!answer.ok) throw new Error(await answer.text())
  return browser
}

const devicesOf = async (browser: TestBrowser): Promise<Device[]> =>
  (await (await browser.get('/_fw/sessions')).json()).sessions
const isSignedIn = async (browser: TestBrowser): Promise<boolean> => (await sessionOf(browser)) !== null
const end = (browser: TestBrowser, id: string) => browser.request(`/_fw/sessions/${id}`, { method: 'DELETE' })
const mailsTo = (email: string) =>
  existsSync(join(server.dataDir, 'outbox')) ? readOutbox(server.dataDir).filter(({ to }) => to === email) : []

describe('GET /_fw/sessions', () => {
  it('lists the sessions of the account by last use and never returns a token', async () => {
    const { email, browser } = await someone()
    await signIn(email, userAgents.safariOnPhone)
    await signIn(email, 'curl/8.5.0')
    await someone()
    const answer = await browser.get('/_fw/sessions')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const text = await answer.text()
    const tokens = await query(server, 'select token from sessions')
    for (const { token } of tokens) expect(text).not.toContain(String(token))
    const { sessions } = JSON.parse(text) as { sessions: Device[] }
    expect(sessions.map(({ browser: name, system, current }) => [name, system, current])).toEqual([
      [null, null, true],
      [null, null, false],
      ['Safari', 'iOS', false],
    ])
    const [row] = await query(server, 'select id from sessions where user_agent = ?', [userAgents.safariOnPhone])
    expect(sessions[2]).toEqual({
      id: row?.id,
      browser: 'Safari',
      system: 'iOS',
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      provider: 'password',
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: sessions[2]?.createdAt,
      expiresAt: expect.stringMatching(/Z$/),
      current: false,
    })
  })

  it('omits expired sessions', async () => {
    const { email, browser } = await someone()
    await signIn(email, userAgents.safariOnPhone)
    await query(server, 'update sessions set expires_at = ? where user_agent = ?', [
      Date.now() - 1,
      userAgents.safariOnPhone,
    ])
    expect(await devicesOf(browser)).toHaveLength(1)
  })
})

describe('DELETE /_fw/sessions/{id}', () => {
  it('ends another session of the account, which fails on its next request', async () => {
    const { email, browser } = await someone()
    const phone = await signIn(email, userAgents.safariOnPhone)
    const other = await signIn(email, userAgents.edgeOnWindows)
    const [id = ''] = (await devicesOf(browser)).filter(({ system }) => system === 'iOS').map(device => device.id)
    const answer = await end(browser, id)
    expect([answer.status, await answer.text(), answer.headers.get('set-cookie')]).toEqual([204, '', null])
    expect([await isSignedIn(phone), await isSignedIn(other), await isSignedIn(browser)]).toEqual([false, true, true])
    expect((await end(browser, id)).status).toBe(404)
  })

  it('ends the current session and removes its cookie', async () => {
    const { browser } = await someone()
    const stolen = browser.cookieHeader()
    const [device] = await devicesOf(browser)
    const answer = await end(browser, device?.id ?? '')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('set-cookie')).toMatch(/^fw\.session_token=;.*Max-Age=0/)
    const replay = await fetch(`${server.origin}/_fw/session`, { headers: { cookie: stolen } })
    expect((await replay.json()).session).toBeNull()
  })

  it('returns 404 for sessions of other people and for invalid ids, and ends none', async () => {
    const mine = await someone()
    const theirs = await someone()
    const [device] = await devicesOf(theirs.browser)
    const ids = [device?.id ?? '', 'x', '%00', "' or 1=1 --", '..%2fsessions', '0'.repeat(5000)]
    for (const id of ids) {
      const answer = await end(mine.browser, encodeURIComponent(id))
      expect([id.slice(0, 20), answer.status]).toEqual([id.slice(0, 20), 404])
      expect(await answer.json()).toMatchObject({ code: 'not-found' })
    }
    expect(await isSignedIn(theirs.browser)).toBe(true)
  })

  it('returns 204 once and 404 nine times for ten concurrent requests', async () => {
    const { email, browser } = await someone()
    await signIn(email, userAgents.safariOnPhone)
    const [id = ''] = (await devicesOf(browser)).filter(({ current }) => !current).map(device => device.id)
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await end(browser, id)).status))
    expect(statuses.toSorted()).toEqual([204, ...Array(9).fill(404)])
  })
})

describe('DELETE /_fw/sessions', () => {
  it('ends all other sessions and returns how many were active', async () => {
    const { email, browser } = await someone()
    const bystander = await someone()
    const others = await Promise.all([
      signIn(email, userAgents.safariOnPhone),
      signIn(email, userAgents.edgeOnWindows),
      signIn(email, userAgents.chromeOnAndroid),
    ])
    await query(server, 'update sessions set expires_at = ? where user_agent = ?', [
      Date.now() - 1,
      userAgents.chromeOnAndroid,
    ])
    const answer = await browser.request('/_fw/sessions', { method: 'DELETE' })
    expect([answer.status, await answer.json()]).toEqual([200, { ended: 2 }])
    for (const other of others) expect(await isSignedIn(other)).toBe(false)
    expect([await isSignedIn(browser), await isSignedIn(bystander.browser)]).toEqual([true, true])
    expect(await (await browser.request('/_fw/sessions', { method: 'DELETE' })).json()).toEqual({ ended: 0 })
  })
})

describe('Email about a new device', () => {
  it('is sent once per device, from the second device of the account on', async () => {
    const email = `mail${++count}@example.test`
    const first = createBrowser(server.origin)
    await first.post('/_fw/auth/sign-up/email', {
      json: { email, password, name: 'Mail' },
      headers: { 'user-agent': userAgents.firefoxOnLinux },
    })
    await signIn(email, userAgents.firefoxOnLinux)
    await Promise.all(Array.from({ length: 6 }, () => signIn(email, userAgents.safariOnPhone)))
    await expect.poll(() => mailsTo(email).length).toBe(1)
    const [mail] = mailsTo(email)
    expect(mail?.text).toMatch(/Device: Safari on iOS\s+IP address: (127\.0\.0\.1|::1)\s+How: by password/)
    expect(mail?.text).toContain(`${server.origin}/settings/security#devices`)
    await signIn(email, userAgents.edgeOnWindows)
    await expect.poll(() => mailsTo(email).length).toBe(2)
    expect(mailsTo(email)[1]?.text).toContain('Microsoft Edge on Windows')
    const known = await query(
      server,
      'select device from known_devices where user_id = (select id from users where email = ?) order by first_seen_at',
      [email],
    )
    expect(known.map(({ device }) => device)).toEqual([
      'Firefox on Linux',
      'Safari on iOS',
      'Microsoft Edge on Windows',
    ])
  })

  it('is not sent for a wrong password', async () => {
    const { email } = await someone()
    await createBrowser(server.origin).post('/_fw/auth/sign-in/email', {
      json: { email, password: 'wrong password here' },
      headers: { 'user-agent': userAgents.safariOnPhone },
    })
    await signIn(email, userAgents.edgeOnWindows)
    await expect.poll(() => mailsTo(email).length).toBe(1)
    expect(mailsTo(email)[0]?.text).not.toContain('Safari')
  })
})
