import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerTokenRequest, authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import { isInside } from '#fairway/server/domains/organizations/session-policy'
import { isNetwork, toNetwork } from '#fairway/server/domains/organizations/set-session-policy'
import { findOrgContext } from '#fairway/server/domains/organizations/org-context'
import { touchSession } from '#fairway/server/domains/people'
import { findCookieSession } from '#fairway/server/domains/sessions/cookie-session'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf, statusAndCode } from '../../../support/error-code'
import { sessionOf } from '../../../support/http'
import { useServer } from '../../../support/use-server'
import { aMember, anotherOrg, signInAs } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const MINUTE_IN_MS = 60_000
const HOUR_IN_MS = 60 * MINUTE_IN_MS
const OFFICE = '192.0.2.7'

describe('networks', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.7', true],
    ['192.0.2.0/24', '::ffff:192.0.2.7', true],
    ['192.0.2.0/24', '192.0.3.7', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['2001:db8::/32', '2001:db8:1::7', true],
    ['2001:db8::/32', '192.0.2.7', false],
    ['2001:db8::7', '2001:db8::8', false],
  ])('%s has %s: %s', (network, address, isThere) => {
    expect(isNetwork(network)).toBe(true)
    expect(isInside(address, [toNetwork(network)])).toBe(isThere)
  })

  it.each([
    '1',
    '127.1',
    '010.1.1.1',
    '192.0.2.0/33',
    '192.0.2.0/0',
    '::/0',
    'fe80::1%eth0',
    'example.com',
    '',
    '192.0.2.0/24/8',
  ])('%j is no network', typed => expect(isNetwork(typed)).toBe(false))

  it('has nobody inside without a valid address', () => expect(isInside('unknown', ['192.0.2.0/24'])).toBe(false))
})

describe('the session policy of an organization', () => {
  let test: TestApp
  let app: App
  let owner: Session
  let cookie: string
  let now: number
  beforeEach(async () => {
    test = await createTestApp()
    now = Date.now()
    app = { ...test.app, now: () => new Date(now) }
    owner = await aMember(app)
    cookie = (await signInAs(app, owner)).split(';', 1)[0] ?? ''
  })
  afterEach(() => test.close())

  const set = (policy: Record<string, number | string>) =>
    query(
      app,
      `update organizations set ${Object.keys(policy)
        .map(name => `${name} = ?`)
        .join(', ')} where id = ?`,
      [...Object.values(policy), owner.orgId],
    )
  const open = async (address = OFFICE) => (await findCookieSession(app, cookie, { address: () => address }))?.session
  const reason = async (address?: string) => (await open(address))?.closedOrg?.reason

  /** A request of the person now, which counts as use. */
  async function use(): Promise<void> {
    const found = await findCookieSession(app, cookie, { address: () => OFFICE })
    if (found) touchSession(app, found.row, () => OFFICE)
    await backgroundDone(app)
  }

  it('closes it when the sign-in is too old, however much the session is used', async () => {
    await set({ session_max_hours: 8 })
    for (let hour = 0; hour < 8; hour++) {
      expect((await open())?.orgId).toBe(owner.orgId)
      now += HOUR_IN_MS
      await use()
    }
    const closed = await open()
    expect(closed).toMatchObject({
      orgId: null,
      closedOrg: { id: owner.orgId, reason: 'age', signIn: '/sign-in?again=1' },
    })
    expect(await refusalOf(Promise.resolve().then(() => checkOrgOpens(closed ?? null)))).toBe('session-policy')
  })

  it('closes it after a pause, and stays closed until the next sign-in', async () => {
    await set({ session_idle_minutes: 30 })
    now += 29 * MINUTE_IN_MS
    expect(await reason()).toBeUndefined()
    await use()
    now += 29 * MINUTE_IN_MS
    expect(await reason()).toBeUndefined()
    now += MINUTE_IN_MS
    expect(await reason()).toBe('idle')
    // Using another organization in this session does not open this one again.
    await use()
    expect(await reason()).toBe('idle')
    cookie = (await signInAs(app, owner)).split(';', 1)[0] ?? ''
    expect(await reason()).toBeUndefined()
  })

  it('closes it outside its networks at once, and opens it again inside', async () => {
    await set({ session_networks: JSON.stringify(['192.0.2.0/24']) })
    expect([await reason(), await reason('198.51.100.1'), await reason()]).toEqual([undefined, 'network', undefined])
    expect((await open('198.51.100.1'))?.closedOrg?.signIn).toBeNull()
  })

  it('leaves other organizations open', async () => {
    await set({ session_networks: JSON.stringify(['192.0.2.0/24']) })
    const second = await anotherOrg(app, owner)
    expect((await open('198.51.100.1'))?.orgId).toBe(second.orgId)
  })

  it('asks connected apps only where it says so', async () => {
    const { access_token: token } = await answerTokenRequest(app, { form: await approve(app, owner) })
    const closedFor = async (clientAddress: string) =>
      withRun({ app, session: null, clientAddress }, async () => {
        const access = await authenticateAccessToken(app, token)
        return access?.session.closedOrg?.reason
      })
    await set({ session_networks: JSON.stringify(['192.0.2.0/24']) })
    expect(await closedFor('198.51.100.1')).toBeUndefined()
    await set({ session_policy_apps: 1 })
    expect([await closedFor('198.51.100.1'), await closedFor(OFFICE)]).toEqual(['network', undefined])
  })

  it('is not asked of a program without a session and an address', async () => {
    await set({ session_max_hours: 1, session_networks: JSON.stringify(['192.0.2.0/24']) })
    expect((await findOrgContext(app, { ...owner, provider: 'static-token' })).orgId).toBe(owner.orgId)
  })
})

describe('PUT /_fw/org/session-policy', () => {
  const server = useServer()
  const world = createTeamWorld(server)
  const put = (who: TeamPerson, json: object, dryRun = '') =>
    who.browser.request(`/_fw/org/session-policy${dryRun}`, { method: 'PUT', json })

  it('is set by owners, and lists in a dry run who would be cut off', async () => {
    const { owner, admin, orgId } = await world.team()
    expect(await statusAndCode(await put(admin, { maxHours: 8 }))).toEqual([403, 'forbidden'])
    await query(server, 'update sessions set created_at = created_at - 32400000 where user_id = ?', [admin.userId])
    const plan = await (await put(owner, { maxHours: 8 }, '?dryRun=true')).json()
    expect(plan).toMatchObject({ maxHours: 8, sessions: 1, people: [admin.email], affectedApps: [] })
    expect((await sessionOf(admin.browser)).orgId).toBe(orgId)
    expect((await put(owner, { maxHours: 8, networks: ['127.0.0.1', '::1'] })).status).toBe(200)
    expect(await sessionOf(admin.browser)).toMatchObject({ orgId: null, closedOrg: { id: orgId, reason: 'age' } })
    const refused = await admin.browser.get('/_fw/org/members')
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'session-policy', reason: 'age', wayBack: '/sign-in?again=1' },
    ])
    expect((await (await owner.browser.get('/_fw/org/session-policy')).json()).networks).toEqual([
      '127.0.0.1/32',
      '::1/128',
    ])
  })

  it('refuses networks without the caller’s own, and values that make no sense', async () => {
    const owner = await world.person()
    expect(await statusAndCode(await put(owner, { networks: ['192.0.2.0/24'] }))).toEqual([409, 'would-lock-you-out'])
    for (const wrong of [{ idleMinutes: 5 }, { maxHours: 0 }, { networks: [] }, { networks: ['0.0.0.0/0'] }]) {
      expect((await put(owner, wrong)).status).toBe(400)
    }
  })

  it('names the apps that call from elsewhere', async () => {
    const { owner, orgId } = await world.team()
    await query(
      server,
      `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, last_used_at, expires_at)
        values ('policy-grant', 'host', 'Claude', ?, ?, ?, 'mcp:read', 'x', 0, 0, 9e12)`,
      [owner.userId, owner.email, orgId],
    )
    const plan = await (await put(owner, { networks: ['127.0.0.1', '::1'], apps: true }, '?dryRun=true')).json()
    expect(plan.affectedApps).toEqual(['Claude'])
  })
})
