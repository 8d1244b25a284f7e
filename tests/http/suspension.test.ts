import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenToChanges } from '../support/changes'
import { statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf } from '../support/http'
import { newestMail } from '../support/mail'
import { listTools } from '../support/mcp'
import { query } from '../support/query'
import { databaseOf, startServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

const PEOPLE = '/_fw/operator/people'
const OPERATOR = 'operator@example.test'
let server: TestServer
let beside: TestServer
let operator: TeamPerson
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  const env = { FW_OPERATORS: OPERATOR, FW_RATE_LIMITS: 'off' }
  server = await startServer({ env })
  beside = await startServer({ database: databaseOf(server), env: { ...env, FW_BASE_URL: server.origin } })
  world = createTeamWorld(server)
  operator = await world.person({ email: OPERATOR })
})
afterAll(async () => {
  await Promise.all([server.stop(), beside.stop()])
})

const pathOf = ({ userId }: TeamPerson) => `${PEOPLE}/${userId}`
const suspend = (who: TeamPerson, json: object = { reason: 'Unusual activity' }) =>
  operator.browser.post(`${pathOf(who)}/suspension`, { json })
const reactivate = (who: TeamPerson) => operator.browser.request(`${pathOf(who)}/suspension`, { method: 'DELETE' })
const signIn = (email: string, password = PASSWORD) =>
  createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json: { email, password } })

async function tokenOf({ browser }: TeamPerson): Promise<string> {
  const json = { name: 'Script', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 30 }
  return (await (await browser.post('/_fw/tokens', { json })).json()).token
}

describe('suspended person', () => {
  it('loses sessions, MCP calls, tokens and open streams on every instance immediately', async () => {
    const ada = await world.person()
    const token = await tokenOf(ada)
    const streams = await Promise.all([server, beside].map(({ origin }) => listenToChanges(origin, ada.browser)))
    const calls = () => Promise.all([server, beside].map(({ origin }) => listTools(`${origin}/mcp`, token)))
    expect((await calls()).map(({ status }) => status)).toEqual([200, 200])

    expect((await suspend(ada)).status).toBe(204)
    const cookie = ada.browser.cookieHeader()
    for (const { origin } of [server, beside]) {
      const answer = await fetch(`${origin}/_fw/session`, { headers: { cookie } })
      expect(await answer.json()).toEqual({ session: null })
    }
    for (const answer of await calls()) expect(answer.status).toBe(403)
    const called = await fetch(`${beside.origin}/_fw/actions/list-notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await statusAndCode(called)).toEqual([403, 'account-suspended'])
    await Promise.all(streams.map(stream => stream.until(({ event }) => event === 'end')))

    expect((await reactivate(ada)).status).toBe(204)
    expect((await calls()).map(({ status }) => status)).toEqual([200, 200])
    expect(await sessionOf(ada.browser)).toBeNull()
    expect((await signIn(ada.email)).status).toBe(200)
  })

  it('sees the reason and end date after the right password, but not after a wrong one', async () => {
    const ada = await world.person()
    const until = '2100-01-01T00:00:00.000Z'
    await suspend(ada, { reason: 'Chargeback', until })
    const refused = await signIn(ada.email)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'account-suspended', reason: 'Chargeback', until })
    expect(await statusAndCode(await signIn(ada.email, 'not the password'))).toEqual([401, 'invalid-credentials'])
    const form = { intent: 'sign-in', email: ada.email, password: PASSWORD }
    const page = await createBrowser(server.origin).post('/sign-in', { form })
    expect(page.status).toBe(403)
    expect(await page.text()).toMatch(/This account is suspended\..*Chargeback/s)
    const german = await createBrowser(server.origin).post('/sign-in?lang=de', { form })
    expect(await german.text()).toMatch(/Dieses Konto ist gesperrt\..*Grund: Chargeback/s)
  })

  it('is notified by email, and the audit log names the operator', async () => {
    const ada = await world.person()
    await suspend(ada)
    await expect.poll(() => newestMail(server.dataDir, ada.email).text).toMatch(/suspended[^]*Unusual activity/)
    const [row] = await query(
      server,
      "select user_email, input from audit_log where action = 'suspend-person' order by rowid desc",
    )
    expect(row?.user_email).toBe(OPERATOR)
    expect(JSON.parse(String(row?.input))).toMatchObject({ personId: ada.userId, reason: 'Unusual activity' })
    await reactivate(ada)
    await expect
      .poll(() => newestMail(server.dataDir, ada.email).text)
      .toMatch(/works again|suspension of your account/)
  })
})

describe('operator endpoints for people', () => {
  it('return 404 to everyone else and protect operators from suspension', async () => {
    const ada = await world.person()
    for (const path of [PEOPLE, pathOf(operator)])
      expect(await statusAndCode(await ada.browser.get(path))).toEqual([404, 'not-found'])
    const tried = await ada.browser.post(`${pathOf(operator)}/suspension`, { json: { reason: 'x' } })
    expect(await statusAndCode(tried)).toEqual([404, 'not-found'])
    expect(await statusAndCode(await suspend(operator))).toEqual([409, 'cannot-suspend'])
  })

  it('list and show a person with sign-in methods, sessions, organizations and second factor', async () => {
    const { member } = await world.team()
    const listed = await (await operator.browser.get(`${PEOPLE}?search=${member.email}`)).json()
    expect(listed).toMatchObject({ people: [{ id: member.userId, suspension: null }], cursor: null })
    await member.browser.get('/_fw/account/export').then(answer => answer.text())
    await expect
      .poll(async () => (await (await operator.browser.get(pathOf(member))).json()).lastExportAt)
      .toEqual(expect.any(String))
    expect(await (await operator.browser.get(pathOf(member))).json()).toMatchObject({
      person: { email: member.email, emailVerified: true, lastSignInAt: expect.any(String) },
      waysIn: [{ provider: 'password' }],
      sessions: { count: 1 },
      organizations: expect.arrayContaining([expect.objectContaining({ role: 'member' })]),
      secondFactor: { since: null, backupCodesLeft: 0, passkeys: 0 },
    })
  })

  it('sign a person out everywhere, including streams, and let them sign in again', async () => {
    const ada = await world.person()
    const stream = await listenToChanges(beside.origin, ada.browser)
    const answer = await operator.browser.post(`${pathOf(ada)}/sign-out`)
    expect(await answer.json()).toEqual({ ended: 1 })
    await stream.until(({ event }) => event === 'end')
    expect(await sessionOf(ada.browser)).toBeNull()
    expect((await signIn(ada.email)).status).toBe(200)
  })
})
