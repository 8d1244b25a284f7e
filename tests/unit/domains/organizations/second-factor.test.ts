import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compilePages } from '#fairway/modules/pages/page-files'
import { answerTokenRequest, authenticateAccessToken, makePersonalToken } from '#fairway/server/domains/oauth-server'
import { checkOrgOpens, setSecondFactorPolicy } from '#fairway/server/domains/organizations'
import { listWithoutSecondFactor } from '#fairway/server/domains/organizations/second-factor'
import { requireOrg } from '#fairway/server/domains/organizations/org-context'
import { createTicket, findEmbedSession, openTicket } from '#fairway/server/domains/pages'
import { actAs } from '#fairway/server/domains/sessions'
import { findCookieSession } from '#fairway/server/domains/sessions/cookie-session'
import { resetTwoFactor } from '#fairway/server/domains/sign-in/two-factor/setup'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember, sessionNow, signInAs } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { countRows, query } from '../../../support/query'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const tests: TestApp[] = []
let app: App
let owner: Session
let now: number

async function open(env: Record<string, string> = {}): Promise<App> {
  const test = await createTestApp(env)
  tests.push(test)
  now = Date.now()
  return { ...test.app, now: () => new Date(now) }
}

beforeEach(async () => {
  app = await open()
  owner = await aMember(app)
})
afterEach(() => Promise.all(tests.splice(0).map(test => test.close())))

const require = (graceDays = 7, isRequired = true) =>
  setSecondFactorPolicy(app, requireOrg(owner, 'set-auth-provider'), { isRequired, graceDays })
const cookieFor = async (person: Session, provider = 'password', provedSecondFactor = false) =>
  (await signInAs(app, { ...person, provider, provedSecondFactor })).split(';', 1)[0] ?? ''
const sessionOf = async (cookie: string) => (await findCookieSession(app, cookie))?.session
async function requireSessionOf(cookie: string) {
  const session = await sessionOf(cookie)
  if (!session) throw new Error('there is no session')
  return session
}
const turnOn = (userId: string) =>
  query(app, 'insert into two_factor (user_id, secret, active_at, last_step, created_at) values (?, ?, ?, 0, ?)', [
    userId,
    'sealed',
    now,
    now,
  ])
const addPasskey = (userId: string) =>
  query(
    app,
    `insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, backed_up, created_at)
      values (?, ?, 'Key', ?, '', 0, '', 0, ?)`,
    [`key-${userId}`, userId, `credential-${userId}`, now],
  )
const refusal = (session: Session | undefined) =>
  refusalOf(Promise.resolve().then(() => checkOrgOpens(session ?? null)))

describe('organization that requires a second factor', () => {
  it('shows the deadline during the grace period, and closes afterwards without a write', async () => {
    const cookie = await cookieFor(owner)
    await require(7)
    const inGrace = await sessionOf(cookie)
    expect(inGrace).toMatchObject({ orgId: owner.orgId, secondFactor: { by: 'organization', isOver: false } })
    expect(inGrace?.secondFactor?.until).toBe(new Date(now + 7 * DAY_IN_MS).toISOString())
    now += 7 * DAY_IN_MS
    const closed = await sessionOf(cookie)
    expect(closed).toMatchObject({ orgId: null, closedOrg: { id: owner.orgId }, secondFactor: { isOver: true } })
    expect(await refusal(closed)).toBe('second-factor-setup-required')
  })

  it('accepts a passkey or a password with two-factor authentication, but no second factor of a provider', async () => {
    await require(0)
    const [password, passkey, google] = await Promise.all(
      ['password', 'passkey', 'google'].map(provider => cookieFor(owner, provider)),
    )
    const opens = async (cookie = '') => (await sessionOf(cookie))?.orgId === owner.orgId
    expect([await opens(password), await opens(passkey), await opens(google)]).toEqual([false, true, false])
    await turnOn(owner.userId)
    const proved = await cookieFor(owner, 'password', true)
    expect([await opens(proved), await opens(passkey), await opens(google)]).toEqual([true, true, false])
    await query(app, 'update organizations set required_auth_provider = ?', ['google'])
    expect([await opens(proved), await opens(google)]).toEqual([false, true])
  })

  it('stays closed to a session, a token and an app that proved only the password before the account turned two factors on', async () => {
    const member = await aMember(app)
    await addTo(app, owner, member, 'member')
    await query(app, 'delete from org_members where user_id = ? and org_id <> ?', [member.userId, owner.orgId])
    const cookie = await cookieFor(member)
    const session = await requireSessionOf(cookie)
    const { token } = await makePersonalToken(app, session, { name: 'Script', scopes: ['mcp:read'], expiresInDays: 30 })
    const host = await answerTokenRequest(app, { form: await approve(app, session, { sessionId: session.id }) })
    const call = async (bearer: string) => (await authenticateAccessToken(app, bearer))?.session
    await turnOn(member.userId)
    await require(0)
    now += 1000
    expect(await sessionOf(cookie)).toMatchObject({ orgId: null, secondFactor: { isOver: true, canProve: true } })
    expect(await refusal(await call(token))).toBe('second-factor-setup-required')
    expect(await refusal(await call(host.access_token))).toBe('second-factor-setup-required')
  })

  it('opens to tokens, apps and embedded pages of a session that proved a second factor', async () => {
    await turnOn(owner.userId)
    await require(0)
    const session = await requireSessionOf(await cookieFor(owner, 'password', true))
    const { token } = await makePersonalToken(app, session, { name: 'Script', scopes: ['mcp:read'], expiresInDays: 30 })
    const { provedSecondFactor, id: sessionId } = session
    const form = await approve(app, session, { sessionId, provedSecondFactor })
    const host = await answerTokenRequest(app, { form })
    for (const bearer of [token, host.access_token])
      expect((await authenticateAccessToken(app, bearer))?.session).toMatchObject({ orgId: owner.orgId })
    const pages = compilePages([{ path: '/embed/notes', meta: { embed: true } }])
    const { url } = await createTicket(app, { path: '/embed/notes', session, sessionId }, pages)
    const opened = await openTicket(app, new URL(url).searchParams.get('ticket') ?? '')
    expect((await findEmbedSession(app, opened.token))?.session.orgId).toBe(owner.orgId)
  })

  it('gives people who join later the whole grace period', async () => {
    await require(7)
    now += 30 * DAY_IN_MS
    const member = await aMember(app)
    await query(app, 'delete from org_members where user_id = ?', [member.userId])
    await addTo(app, owner, member, 'member')
    const session = await sessionOf(await cookieFor(member))
    expect(session).toMatchObject({ orgId: owner.orgId, secondFactor: { isOver: false } })
  })

  it('rejects tokens and programs of people without a second factor after the grace period, until they add one', async () => {
    const tokens = await answerTokenRequest(app, { form: await approve(app, owner) })
    const call = async () => (await authenticateAccessToken(app, tokens.access_token))?.session
    await require(1)
    expect(await refusal(await call())).not.toBe('second-factor-setup-required')
    now += 30 * 60 * 1000
    await query(app, 'update organizations set second_factor_since = ?', [now - 2 * DAY_IN_MS])
    await query(app, 'update org_members set joined_at = ?', [now - 2 * DAY_IN_MS])
    expect(await refusal(await call())).toBe('second-factor-setup-required')
    const cli = await actAs(app, { userId: owner.userId }, { provider: 'cli' })
    expect(cli).toMatchObject({ session: { orgId: null, secondFactor: { isOver: true } } })
    await addPasskey(owner.userId)
    expect(await actAs(app, { userId: owner.userId }, { provider: 'cli' })).toMatchObject({
      session: { orgId: owner.orgId },
    })
  })

  it('keeps its start when the days change, and clears it when the policy ends', async () => {
    await require(7)
    const [before] = await query(app, 'select second_factor_since as since from organizations')
    now += DAY_IN_MS
    await require(3)
    expect(
      await query(app, 'select second_factor_since as since, second_factor_grace_days as days from organizations'),
    ).toEqual([{ since: before?.since, days: 3 }])
    await require(3, false)
    expect((await sessionNow(app, owner)).secondFactor).toBeUndefined()
  })

  it('cannot be set after the role was lost', async () => {
    const actor = requireOrg(owner, 'set-auth-provider')
    await query(app, "update org_members set role = 'member'")
    expect(await refusalOf(setSecondFactorPolicy(app, actor, { isRequired: true, graceDays: 0 }))).toBe('forbidden')
  })
})

describe('installation that requires a second factor', () => {
  it('starts the grace period once for all instances, then closes organizations until a second factor is set up', async () => {
    app = await open({ FW_REQUIRE_SECOND_FACTOR: 'true' })
    const ada = await aMember(app)
    const cookie = await cookieFor(ada)
    expect((await sessionOf(cookie))?.secondFactor).toMatchObject({ by: 'installation', isOver: false })
    expect(await countRows(app, 'fw_policies')).toBe(1)
    now += 7 * DAY_IN_MS - 1
    expect((await sessionOf(cookie))?.secondFactor).toMatchObject({ isOver: false })
    now += 1
    expect(await sessionOf(cookie)).toMatchObject({ orgId: null, secondFactor: { by: 'installation', isOver: true } })
    await turnOn(ada.userId)
    expect((await sessionOf(cookie))?.secondFactor).toMatchObject({ isOver: true, canProve: true })
    expect((await sessionOf(await cookieFor(ada, 'password', true)))?.secondFactor).toBeUndefined()
  })
})

describe('second factor reset by an operator', () => {
  it('deletes backup codes and sessions, records an event, and requires a new second factor', async () => {
    await turnOn(owner.userId)
    await query(app, "insert into two_factor_backup_codes (user_id, code_hash) values (?, 'hash')", [owner.userId])
    await cookieFor(owner)
    await require(0)
    expect(await resetTwoFactor(app, owner.userId)).toBe(true)
    expect(await resetTwoFactor(app, owner.userId)).toBe(false)
    expect(await refusalOf(resetTwoFactor(app, 'nobody'))).toBe('not-found')
    expect(await countRows(app, 'two_factor_backup_codes')).toBe(0)
    expect(await countRows(app, 'sessions')).toBe(0)
    expect(await query(app, "select kind from security_events where kind = 'two-factor-reset'")).toHaveLength(1)
    expect((await sessionOf(await cookieFor(owner)))?.secondFactor?.isOver).toBe(true)
  })
})

describe('members without a second factor', () => {
  it('are listed by joining, and nobody while a provider is required', async () => {
    const names = ['Grace', 'Edsger', 'Barbara']
    const [grace, edsger] = await Promise.all(
      names.map(async name => {
        const person = await aMember(app, { name })
        await addTo(app, owner, person, 'member')
        return person
      }),
    )
    await aMember(app, { name: 'Elsewhere' })
    await turnOn(grace?.userId ?? '')
    await query(app, 'update users set passkey_since = 1 where id = ?', [edsger?.userId ?? ''])
    const actor = { orgId: owner.orgId ?? '' }
    const missing = await listWithoutSecondFactor(app, actor)
    expect(missing.map(({ name }) => name)).toEqual([owner.name, 'Barbara'])
    expect(missing[0]).toEqual({ id: owner.userId, name: owner.name, email: owner.email, image: null })
    await query(app, "update organizations set required_auth_provider = 'google' where id = ?", [actor.orgId])
    expect(await listWithoutSecondFactor(app, actor)).toEqual([])
  })

  it('who have a passkey, but signed in by password, are told that they have one', async () => {
    await require(0)
    await query(app, 'update users set passkey_since = 1 where id = ?', [owner.userId])
    const session = await sessionOf(await cookieFor(owner))
    expect(session?.secondFactor).toMatchObject({ isOver: true, hasPasskey: true })
    expect(session?.secondFactor).not.toHaveProperty('canProve')
  })
})
