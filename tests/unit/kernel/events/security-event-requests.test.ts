import { describe, expect, it } from 'vitest'
import type { OwnEventPage, SecurityEventPage } from '#fairway/shared/schemas/security-event'
import { createBrowser, sessionOf, type TestBrowser, userAgents } from '../../../support/http'
import { query } from '../../../support/query'
import { borrowServer } from '../../../support/server'
import { useServer } from '../../../support/use-server'
import { createTeamWorld, PASSWORD } from '../../../support/team'

const OPERATOR = 'operator@example.test'
const server = useServer({ env: { FW_OPERATORS: OPERATOR } })
const world = createTeamWorld(server)

const mine = async (browser: TestBrowser, query = ''): Promise<OwnEventPage> =>
  (await browser.get(`/_fw/security-events/mine${query}`)).json()
const kindsOf = async (browser: TestBrowser) => (await mine(browser)).events.map(({ kind }) => kind)
const tryPassword = (email: string, password: string, headers: Record<string, string> = {}) =>
  createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json: { email, password }, headers })

describe('GET /_fw/security-events/mine', () => {
  it('lists wrong passwords with the device and address that they came from', async () => {
    const ada = await world.person()
    await tryPassword(ada.email, 'not the password', { 'user-agent': userAgents.safariOnPhone })
    await expect.poll(() => kindsOf(ada.browser)).toEqual(['sign-in-failed'])
    const [event] = (await mine(ada.browser)).events
    expect(event).toMatchObject({
      outcome: 'failed',
      reason: 'password',
      device: 'Safari on iOS',
      clientAddress: '127.0.0.1',
    })
  })

  it('lists new devices, revoked sessions and password changes with pagination', async () => {
    const ada = await world.person()
    await tryPassword(ada.email, PASSWORD, { 'user-agent': userAgents.safariOnPhone })
    await expect.poll(() => kindsOf(ada.browser)).toEqual(['new-device'])
    await ada.browser.request('/_fw/sessions', { method: 'DELETE' })
    await expect.poll(() => kindsOf(ada.browser)).toEqual(['sessions-revoked', 'new-device'])
    const changed = { currentPassword: PASSWORD, newPassword: 'copper meadow 19 violin' }
    expect((await ada.browser.post('/_fw/auth/change-password', { json: changed })).status).toBe(200)
    await expect.poll(() => kindsOf(ada.browser)).toEqual(['password-changed', 'sessions-revoked', 'new-device'])
    expect(await mine(ada.browser, '?itemsPerPage=1&page=2')).toMatchObject({
      totalItems: 3,
      events: [{ kind: 'sessions-revoked' }],
    })
  })

  it('returns only the caller’s own events, without client ids', async () => {
    const [ada, bob] = [await world.person(), await world.person()]
    await query(
      server,
      `insert into security_events (id, at, kind, subject, user_id, reason) values ('e1', 1, 'refresh-token-replayed', 'a-client-id', ?, 'token of 12 s')`,
      [ada.userId],
    )
    expect((await mine(ada.browser)).events).toMatchObject([
      { kind: 'refresh-token-replayed', subject: null, reason: null },
    ])
    expect(await mine(bob.browser)).toEqual({ events: [], totalItems: 0 })
    expect((await createBrowser(server.origin).get('/_fw/security-events/mine')).status).toBe(401)
  })
})

describe('sign-in events', () => {
  it('contain no unknown address, and at most one row per minute for blocked attempts', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const people = createTeamWorld(limited)
    const ada = await people.person()
    for (let tries = 0; tries < 9; tries++)
      await createBrowser(limited.origin).post('/_fw/auth/sign-in/email', {
        json: { email: ada.email, password: 'not the password' },
        headers: { 'x-forwarded-for': '192.0.2.7' },
      })
    await createBrowser(limited.origin).post('/_fw/auth/sign-in/email', {
      json: { email: 'stranger@example.test', password: 'not the password' },
    })
    const rows = async () => query(limited, 'select kind, user_id, reason, subject from security_events order by at')
    await expect.poll(async () => (await rows()).map(({ reason }) => reason)).toContain('unknown-address')
    expect(JSON.stringify(await rows())).not.toContain('stranger')
    const blocked = (await rows()).filter(({ kind }) => kind === 'sign-in-blocked')
    expect(blocked.length).toBeLessThanOrEqual(1)
    const lines = limited
      .log()
      .split('\n')
      .filter(line => line.includes('sign-in-failed'))
    expect(lines.every(line => JSON.parse(line).level === 'info')).toBe(true)
    await limited.stop()
  })
})

describe('GET /_fw/security-events', () => {
  it('is available only to operators, who are marked in their session', async () => {
    const operator = await world.person({ email: OPERATOR })
    const ada = await world.person()
    expect(await sessionOf(operator.browser)).toMatchObject({ isOperator: true })
    expect(await sessionOf(ada.browser)).not.toHaveProperty('isOperator')
    expect((await ada.browser.get('/_fw/security-events')).status).toBe(404)
    await tryPassword(ada.email, 'not the password')
    const list = async (filter: string): Promise<SecurityEventPage> =>
      (await operator.browser.get(`/_fw/security-events?${filter}`)).json()
    await expect.poll(async () => (await list(`person=${ada.email}`)).totalItems).toBe(1)
    expect((await list(`person=${ada.email}`)).events).toMatchObject([{ kind: 'sign-in-failed', email: ada.email }])
    expect((await list(`person=${ada.email}&outcome=done`)).totalItems).toBe(0)
    expect((await list(`person=${ada.email}&group=sign-in&outcome=failed`)).totalItems).toBe(1)
    expect((await list('person=nobody@example.test')).totalItems).toBe(0)
    expect(((await list('group=nonsense')) as unknown as { code: string }).code).toBe('invalid-input')
  })
})
