import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { sessionOf } from '../support/http'
import { listTools } from '../support/mcp'
import { query } from '../support/query'
import { borrowServer, databaseOf, startServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const DAY_IN_MS = 24 * 60 * 60 * 1000
let server: TestServer
let strict: TestServer
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  server = await borrowServer()
  // Another instance, after an operator turned the setting on without a grace period.
  const env = { FW_REQUIRE_SECOND_FACTOR: 'at-once', FW_BASE_URL: server.origin }
  strict = await startServer({ database: databaseOf(server), env })
  world = createTeamWorld(server)
})
afterAll(async () => {
  await Promise.all([server.stop(), strict.stop()])
})

const setPolicy = ({ browser }: TeamPerson, json: object) =>
  browser.request('/_fw/org/second-factor', { method: 'PUT', json })
const at = (origin: string, { browser }: TeamPerson, path: string, init: RequestInit = {}) =>
  fetch(origin + path, { ...init, headers: { cookie: browser.cookieHeader(), origin: server.origin, ...init.headers } })
async function tokenOf({ browser }: TeamPerson): Promise<string> {
  const json = { name: 'Script', scopes: ['mcp:read'], expiresInDays: 30 }
  return (await (await browser.post('/_fw/tokens', { json })).json()).token
}
/** Turns two factors on, as if the person had then signed in and connected everything with a code. */
async function turnOn({ userId }: TeamPerson): Promise<void> {
  await query(
    server,
    "insert into two_factor (user_id, secret, active_at, last_step, created_at) values (?, 'sealed', 1, 0, 1)",
    [userId],
  )
  for (const table of ['sessions', 'oauth_grants'])
    await query(server, `update ${table} set proved_second_factor = 1 where user_id = ?`, [userId])
}

describe('PUT /_fw/org/second-factor', () => {
  it('requires the owner or admin role and informs each member during the grace period', async () => {
    const { owner, admin, member } = await world.team()
    expect(await statusAndCode(await setPolicy(member, { isRequired: true }))).toEqual([403, 'forbidden'])
    expect((await setPolicy(admin, { isRequired: true, graceDays: 3 })).status).toBe(204)
    const session = await sessionOf(member.browser)
    expect(session).toMatchObject({ orgRole: 'member', secondFactor: { by: 'organization', isOver: false } })
    const { active } = await (await owner.browser.get('/_fw/org')).json()
    expect(active).toMatchObject({ secondFactorGraceDays: 3, secondFactorSince: expect.any(String) })
    expect((await setPolicy(owner, { isRequired: false })).status).toBe(204)
    expect((await sessionOf(member.browser)).secondFactor).toBeUndefined()
  })

  it('closes sessions, actions, tokens and MCP only to members without a second factor after the grace period', async () => {
    const { owner, member } = await world.team()
    const token = await tokenOf(member)
    await turnOn(owner)
    await setPolicy(owner, { isRequired: true, graceDays: 1 })
    expect((await listTools(server.origin, token)).status).toBe(200)
    const ago = Date.now() - 2 * DAY_IN_MS
    await query(server, 'update organizations set second_factor_since = ?', [ago])
    await query(server, 'update org_members set joined_at = joined_at - ?', [2 * DAY_IN_MS])
    expect(await sessionOf(member.browser)).toMatchObject({ orgId: null, secondFactor: { isOver: true } })
    const refused = [403, 'second-factor-setup-required']
    const action = await member.browser.post('/_fw/actions/list-notes', { json: {} })
    expect(await statusAndCode(action)).toEqual(refused)
    expect(await statusAndCode(await member.browser.get('/_fw/org/members'))).toEqual(refused)
    expect((await listTools(server.origin, token)).status).toBe(403)
    const called = await fetch(`${server.origin}/_fw/actions/list-notes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await statusAndCode(called)).toEqual(refused)
    expect((await owner.browser.get('/_fw/org/members')).status).toBe(200)
    await turnOn(member)
    expect((await listTools(server.origin, token)).status).toBe(200)
    expect((await member.browser.get('/_fw/org/members')).status).toBe(200)
  })
})

describe('FW_REQUIRE_SECOND_FACTOR', () => {
  it('limits a person without a second factor to their account and to setting one up', async () => {
    const ada = await world.person()
    const refused = [403, 'second-factor-setup-required']
    for (const path of ['/_fw/org/members', '/_fw/tokens', '/_fw/activity', '/_fw/grants'])
      expect(await statusAndCode(await at(strict.origin, ada, path)), path).toEqual(refused)
    const authorize = await at(strict.origin, ada, '/mcp/oauth/authorize', { redirect: 'manual' })
    expect([authorize.status, await authorize.text()]).toEqual([403, expect.stringContaining('second factor')])
    for (const path of [
      '/_fw/session',
      '/_fw/two-factor',
      '/_fw/passkeys',
      '/_fw/sessions',
      '/_fw/account',
      '/_fw/org',
    ])
      expect((await at(strict.origin, ada, path)).status, path).toBe(200)
    await turnOn(ada)
    expect((await at(strict.origin, ada, '/_fw/org/members')).status).toBe(200)
    const { session } = await (await at(strict.origin, ada, '/_fw/session')).json()
    expect(session.secondFactor).toBeUndefined()
    expect(session.orgRole).toBe('owner')
  })
})
