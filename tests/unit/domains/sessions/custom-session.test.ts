import { afterEach, describe, expect, it } from 'vitest'
import { type H3Event, defineEventHandler } from 'h3'
import { z } from 'zod'
import { answerActionRequest, defineAction } from '#fairway/server/domains/actions'
import { registerClient } from '#fairway/server/domains/oauth-server/clients/registration'
import { type CustomSession, defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import enter from '#fairway/server/middleware/10.enter'
import authRoute from '#fairway/server/routes/_fw/auth/[...path]'
import claimRoute from '#fairway/server/routes/_fw/claim'
import operationRoute from '#fairway/server/mounted/operation'
import authorizeRoute from '#fairway/server/routes/mcp/oauth/authorize'
import sessionRoute from '#fairway/server/routes/_fw/session'
import signInRoute from '#fairway/server/routes/sign-in'
import { setAuthProvider, requireOrg } from '#fairway/server/domains/organizations'
import { accounts, orgMembers, sessions, users } from '#fairway/server/schema'
import { createTestApp, type TestApp } from '../../../support/app'
import { statusAndCode } from '../../../support/error-code'
import { signInAs } from '../../../support/members'
import { query } from '../../../support/query'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const whoAmI = defineAction({
  description: 'Says who calls.',
  readOnly: true,
  input: z.object({}),
  run: (_input, { session, orgId }) => ({ email: session.email, orgId }),
})

interface Setup {
  answer?: (event: H3Event) => unknown
  env?: Record<string, string>
  signInUrl?: string
  endSession?: (event: H3Event) => unknown
  signedInAt?: (event: H3Event) => Date | null
}

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

async function start({ answer = () => null, env = {}, signInUrl, endSession, signedInAt }: Setup) {
  const origin = `http://localhost:${await freePort()}`
  const test: TestApp = await createTestApp(
    { FW_BASE_URL: origin, ...env },
    { getSession: answer as (event: H3Event) => CustomSession | null, signInUrl, endSession, signedInAt },
  )
  open.push(test.close)
  const actions = new Map([['who-am-i', whoAmI as never]])
  const server = await serveHandlers(test.app, {
    middleware: [enter],
    routes: {
      '/_fw/session': sessionRoute,
      '/_fw/claim': claimRoute,
      '/sign-in': signInRoute,
      '/_fw/passkeys/registration': operationRoute,
      '/mcp/oauth/authorize': authorizeRoute,
      '/_fw/auth/**:path': authRoute,
      '/_fw/actions/who-am-i': defineEventHandler(event =>
        answerActionRequest(event, 'who-am-i', actions.get('who-am-i')),
      ),
    },
  })
  open.push(server.stop)
  const ask = (path: string, init: RequestInit = {}) => fetch(server.origin + path, { redirect: 'manual', ...init })
  const session = async (init: RequestInit = {}) => (await (await ask('/_fw/session', init)).json()).session
  return { ...test, origin: server.origin, ask, session }
}

describe('a custom getSession', () => {
  it('creates an account with an organization on the first visit, and finds it again', async () => {
    const { app, session, ask } = await start({
      answer: event => {
        const email = event.node.req.headers['x-person']
        return email ? { email, name: 'Ada Lovelace', ignored: 1 } : null
      },
    })
    expect(await session()).toBeNull()
    const first = await session({ headers: { 'x-person': ' Ada@Example.test' } })
    expect(first).toMatchObject({
      email: 'ada@example.test',
      name: 'Ada Lovelace',
      emailVerified: true,
      provider: 'custom',
      orgName: "Ada Lovelace's organization",
      orgRole: 'owner',
    })
    const result = await ask('/_fw/actions/who-am-i', { headers: { 'x-person': 'ada@example.test' } })
    expect(await result.json()).toEqual({ result: { email: 'ada@example.test', orgId: first.orgId } })
    expect(await app.db.orm.select().from(users)).toHaveLength(1)
    expect((await ask('/_fw/actions/who-am-i')).status).toBe(401)
  })

  it('creates one account for twenty concurrent first requests', async () => {
    const { app, session } = await start({ answer: () => ({ email: 'ada@example.test' }) })
    const found = await Promise.all(Array.from({ length: 20 }, () => session()))
    expect(new Set(found.map(({ userId, orgId }) => `${userId} ${orgId}`)).size).toBe(1)
    expect(await app.db.orm.select().from(users)).toHaveLength(1)
    expect(await app.db.orm.select().from(orgMembers)).toHaveLength(1)
  })

  it('updates a changed name, and keeps values that its result omits', async () => {
    const answers = [{ name: 'Ada' }, { name: 'Ada King', image: '/ada.png' }, {}]
    const { session } = await start({ answer: () => ({ email: 'ada@example.test', ...answers.shift() }) })
    expect((await session()).name).toBe('Ada')
    expect(await session()).toMatchObject({ name: 'Ada King', image: '/ada.png' })
    expect(await session()).toMatchObject({ name: 'Ada King', image: '/ada.png' })
  })

  it.each([
    ['nothing', undefined],
    ['false', false],
    ['true', true],
    ['a text', 'ada@example.test'],
    ['a list', []],
    ['no address', { name: 'Ada' }],
    ['an address that is none', { email: 'ada' }],
    ['two addresses', { email: 'ada@example.test, eve@example.test' }],
    ['an address with a look-alike of k', { email: '\u212aate@example.test' }],
    ['a name of the wrong kind', { email: 'ada@example.test', name: 7 }],
    ['a word for confirmed', { email: 'ada@example.test', emailVerified: 'yes' }],
  ])('returns 500 when its result is %s, and logs the reason without the value', async (_name, answer) => {
    const { app, ask, lines } = await start({ answer: () => answer })
    const response = await ask('/_fw/session')
    expect(await statusAndCode(response)).toEqual([500, 'internal'])
    expect((await ask('/_fw/actions/who-am-i')).status).toBe(500)
    expect(await app.db.orm.select().from(users)).toHaveLength(0)
    const log = JSON.stringify(lines())
    expect(log).toContain('getSession of fw.config.ts')
    expect(log).not.toContain('example.test')
  })

  it('returns 500 without details when it throws', async () => {
    const { ask } = await start({
      answer: () => {
        throw new Error('the directory is down')
      },
    })
    const response = await ask('/_fw/session')
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('directory')])
  })

  it('is signed out after the expiry in its result', async () => {
    const times = ['2020-01-01T00:00:00Z', new Date(Date.now() + 60_000)]
    const { session } = await start({ answer: () => ({ email: 'ada@example.test', expiresAt: times.shift() }) })
    expect(await session()).toBeNull()
    expect(await session()).toMatchObject({ email: 'ada@example.test' })
  })

  it('replaces the built-in sign-in: session cookie, endpoints and development account give no access', async () => {
    const { app, ask, session } = await start({ env: { NODE_ENV: 'development' } })
    const now = app.now()
    const person = { id: 'u1', name: 'Ada', email: 'ada@example.test', createdAt: now, updatedAt: now }
    await app.db.orm.insert(users).values(person)
    const cookie = (await signInAs(app, { userId: 'u1', email: person.email })).split(';')[0] ?? ''
    expect(await session({ headers: { cookie } })).toBeNull()
    expect((await ask('/_fw/auth/sign-in/email', { method: 'POST' })).status).toBe(404)
    expect(app.config.devAccount).toBe('off')
    const page = await ask('/sign-in?return=%2Fnotes')
    expect([page.status, page.headers.get('set-cookie'), await page.text()]).toEqual([
      200,
      null,
      expect.stringContaining('You sign in through another service'),
    ])
    const posted = await ask('/sign-in', { method: 'POST', body: new URLSearchParams({ intent: 'dev' }) })
    expect(await statusAndCode(posted)).toEqual([403, 'sign-in-elsewhere'])
  })

  it('starts an account review for a previously used account when it verifies the address', async () => {
    let emailVerified = false
    const { app, ask, session } = await start({ answer: () => ({ email: 'ada@example.test', emailVerified }) })
    const { userId } = await session()
    await query(
      app,
      `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at) values ('a', ?, ?, 'credential', 'hash', 0, 0)`,
      [userId, userId],
    )
    emailVerified = true
    expect(await session()).toMatchObject({ userId, mayClaim: true })
    emailVerified = false
    expect((await session()).mayClaim).toBeUndefined()
    const decide = () =>
      ask('/_fw/claim?return=/notes', { method: 'POST', body: new URLSearchParams({ decision: 'only-me' }) })
    expect((await decide()).status).toBe(403)
    emailVerified = true
    expect(await (await ask('/_fw/claim?return=/notes')).text()).toContain('A password is set')
    expect((await decide()).headers.get('location')).toBe('/notes')
    expect(await query(app, 'select id from accounts')).toEqual([])
    expect((await session()).mayClaim).toBeUndefined()
  })

  it('redirects only to the configured sign-in URL, with a return address on this origin', async () => {
    const { ask, origin } = await start({ signInUrl: 'https://portal.example.test/in?app=7' })
    const location = async (query: string) => new URL((await ask(`/sign-in${query}`)).headers.get('location') ?? '')
    const right = await location('?return=%2Fnotes%3Fa%3D1')
    expect(right.origin + right.pathname).toBe('https://portal.example.test/in')
    expect(Object.fromEntries(right.searchParams)).toEqual({ app: '7', return: `${origin}/notes?a=1` })
    expect((await location('?return=https%3A%2F%2Fevil.test')).searchParams.get('return')).toBe(`${origin}/`)
  })

  it.each([
    ['does not say', undefined, 403],
    ['cannot tell', () => null, 403],
    ['says a moment long ago', () => new Date(Date.now() - 16 * 60_000), 403],
    ['says a moment that is still to come', () => new Date(Date.now() + 60_000), 403],
    ['says what is no moment', () => 'just now' as never, 403],
    ['says a moment ago', () => new Date(Date.now() - 60_000), 200],
  ])('counts as a recent sign-in only when the application says so: it %s', async (_what, signedInAt, status) => {
    const { ask } = await start({ answer: () => ({ email: 'ada@example.test' }), signedInAt })
    const answer = await ask('/_fw/passkeys/registration', { method: 'POST' })
    expect(answer.status).toBe(status)
    if (status === 403) expect(await statusAndCode(answer)).toEqual([403, 'fresh-session-required'])
  })

  it('returns login_required to an app that requests a new sign-in when the sign-in time is unknown', async () => {
    const { ask, app } = await start({ answer: () => ({ email: 'ada@example.test' }) })
    const client = await registerClient(app, { redirect_uris: ['https://host.example.com/cb'] }, '203.0.113.7')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: 'https://host.example.com/cb',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
      prompt: 'login',
    })
    const answer = await ask(`/mcp/oauth/authorize?${query}`)
    const location = new URL(answer.headers.get('location') ?? '')
    expect([location.host, location.searchParams.get('error')]).toEqual(['host.example.com', 'login_required'])
  })

  it('ends the session through endSession, or returns 409 without it', async () => {
    const ended: string[] = []
    const withEnd = await start({
      answer: () => ({ email: 'ada@example.test' }),
      endSession: event => ended.push(event.method),
    })
    expect((await withEnd.ask('/_fw/session', { method: 'DELETE' })).status).toBe(204)
    expect(ended).toEqual(['DELETE'])
    const without = await start({ answer: () => ({ email: 'ada@example.test' }) })
    const refused = await without.ask('/_fw/session', { method: 'DELETE' })
    expect(await statusAndCode(refused)).toEqual([409, 'sign-out-elsewhere'])
  })

  it('reuses an unconfirmed account, and marks it for a review by its owner', async () => {
    const { app, session } = await start({ answer: () => ({ email: 'ada@example.test' }) })
    const now = app.now()
    const times = { createdAt: now, updatedAt: now }
    await app.db.orm.insert(users).values({ id: 'u1', name: 'Squatter', email: 'ada@example.test', ...times })
    await app.db.orm
      .insert(accounts)
      .values({ id: 'a1', userId: 'u1', accountId: 'u1', providerId: 'credential', password: 'hash', ...times })
    await app.db.orm.insert(sessions).values({ id: 's1', userId: 'u1', token: 't', expiresAt: now, ...times })
    expect(await session()).toMatchObject({ userId: 'u1', emailVerified: true })
    expect(await app.db.orm.select().from(accounts)).toHaveLength(1)
    expect(await app.db.orm.select().from(sessions)).toHaveLength(1)
    expect(await app.db.orm.select({ since: users.claimSince }).from(users)).toEqual([{ since: expect.any(Date) }])
  })

  it('opens an organization with a required provider only for that provider, and otherwise continues without it', async () => {
    let provider = 'google'
    const { app, session, ask } = await start({ answer: () => ({ email: 'ada@example.test', provider }) })
    const { orgId, ...ada } = await session()
    await setAuthProvider(app, requireOrg({ orgId, ...ada }, 'set-auth-provider'), { provider: 'google' })
    expect(await session()).toMatchObject({ provider: 'google', orgId })
    provider = 'custom'
    expect(await session()).toMatchObject({
      email: 'ada@example.test',
      orgId: null,
      closedOrg: { id: orgId, provider: 'google', signIn: '/sign-in', isOwnProvider: false },
    })
    expect(await statusAndCode(await ask('/_fw/actions/who-am-i'))).toEqual([403, 'provider-required'])
    provider = 'google'
    expect((await ask('/_fw/actions/who-am-i')).status).toBe(200)
    const other = setAuthProvider(app, requireOrg({ orgId, ...ada }, 'set-auth-provider'), {
      provider: 'github',
      confirm: true,
    })
    await expect(other).rejects.toMatchObject({ code: 'provider-not-configured' })
  })

  it('can read its own bearer token, but is not called for embed tokens', async () => {
    const { session } = await start({
      answer: event => (event.node.req.headers.authorization ? { email: 'ada@example.test' } : null),
    })
    expect(await session({ headers: { authorization: 'Bearer mine' } })).toMatchObject({ email: 'ada@example.test' })
    expect(await session({ headers: { authorization: 'Bearer fwe_abc' } })).toBeNull()
  })
})

describe('defineFwConfig', () => {
  it.each(['/sign-in', '/sign-in?a', '/_fw/sign-in', '//evil.test', '/\\evil.test', 'javascript:alert(1)', 'portal'])(
    'refuses the sign-in URL %s',
    signInUrl => expect(() => defineFwConfig({ getSession: () => null, signInUrl })).toThrow(/signInUrl/),
  )

  it('refuses getSession options without a getSession function', () => {
    expect(() => defineFwConfig({ signInUrl: '/welcome' })).toThrow(/getSession/)
    expect(() => defineFwConfig({ getSession: 'yes' as never })).toThrow(/must be a function/)
  })
})
