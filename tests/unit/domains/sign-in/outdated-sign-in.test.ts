import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  addPasskey,
  signInWithPasskey,
  startPasskeyRegistration,
  startPasskeySignIn,
  activateTwoFactor,
  renewBackupCodes,
  signInWithCode,
  startTwoFactor,
} from '#fairway/server/domains/sign-in'
import {
  readSessionTokens,
  approveWaitingBrowser,
  findEmailLink,
  issueEmailLink,
  suspendPerson,
} from '#fairway/server/domains/people'
import { confirmEmailLink, confirmPasswordReset, continueWaiting } from '#fairway/server/domains/sign-in/open-link'
import { changePassword, signIn } from '#fairway/server/domains/sign-in/password-sign-in'
import { setAuthProvider, requireOrg } from '#fairway/server/domains/organizations'
import { endProviderSignIn, startProviderSignIn } from '#fairway/server/domains/oauth-client'
import { consumeBackupCode } from '#fairway/server/domains/sign-in/two-factor/second-factor'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { createAuthenticator, currentCodes } from '../../../support/authenticator'
import { withInterruption, withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { aMember, signInAs } from '../../../support/members'
import { createIssuer } from '../../../support/provider'
import { countRows, query } from '../../../support/query'

const ORIGIN = 'https://app.example.test'
const OLD = 'zebra quilt 7 lantern'
const NEW = 'copper meadow 19 violin'
const corp = { clientId: 'corp-client', clientSecret: 'corp-secret' }
const request = { clientAddress: '192.0.2.1', userAgent: 'test' }
const payload = { returnPath: '/', ...request }

let test: TestApp
let app: App
let issuer: ReturnType<typeof createIssuer>

beforeEach(async () => {
  const FW_OIDC_PROVIDERS = JSON.stringify([{ id: 'corp', name: 'Corp', issuer: 'https://corp.test', ...corp }])
  test = await createTestApp({ FW_BASE_URL: ORIGIN, FW_OIDC_PROVIDERS })
  app = test.app
  issuer = createIssuer('https://corp.test', corp)
})
afterEach(() => test.close())

const cookieOf = (header: string): string => header.split(';', 1)[0] ?? ''
const isTrue = async (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  )

async function aLink(purpose: 'magic-link' | 'password-reset', email: string) {
  const { href, setCookie } = await issueEmailLink(app, { purpose, email, payload })
  const token = new URL(href).searchParams.get('token') ?? ''
  return { cookieHeader: cookieOf(setCookie), find: () => findEmailLink(app, token, cookieOf(setCookie)) }
}

/** Creates a person with a password, and the reset that will replace it. */
async function aPerson() {
  const member = await aMember(app)
  await confirmPasswordReset(app, await (await aLink('password-reset', member.email)).find(), OLD)
  const link = await (await aLink('password-reset', member.email)).find()
  return { member, email: member.email, reset: () => confirmPasswordReset(app, link, NEW) }
}

type Way = (person: { member: Session; email: string }) => Promise<(on: App) => Promise<unknown>>

async function anAuthenticator(member: Session) {
  const authenticator = createAuthenticator(ORIGIN)
  const { options, setCookie } = await startPasskeyRegistration(app, member, undefined)
  const add = (on: App, sessionId: string | null) =>
    addPasskey(
      on,
      member,
      { response: authenticator.create(options as never) as never },
      { cookieHeader: cookieOf(setCookie), sessionId },
    )
  return { authenticator, add }
}

const ways: Record<string, Way> = {
  'a password':
    async ({ email }) =>
    on =>
      signIn(on, { email, password: OLD }, request),

  'a password and a second factor': async ({ member, email }) => {
    const { secret } = await startTwoFactor(app, member, OLD)
    const codes = await activateTwoFactor(
      app,
      { userId: member.userId, sessionId: null },
      currentCodes(secret)[1] ?? '',
    )
    return async on => {
      const thrown = await signIn(on, { email, password: OLD }, request).catch((error: unknown) => error)
      const header = thrown instanceof AppError ? thrown.headers['set-cookie'] : undefined
      if (!header) throw thrown
      return signInWithCode(on, { code: codes[0] ?? '' }, { ...request, cookieHeader: cookieOf(header) })
    }
  },

  'a mailed link': async ({ email }) => {
    const link = await (await aLink('magic-link', email)).find()
    return on => confirmEmailLink(on, link, { where: 'here' }, request)
  },

  'a mailed link that lets another browser in': async ({ member, email }) => {
    const waiting = await aLink('magic-link', email)
    await approveWaitingBrowser(app, await waiting.find(), { userId: member.userId, securityVersion: 1 })
    return on => continueWaiting(on, { ...request, cookieHeader: waiting.cookieHeader })
  },
}

/** Sign-in methods that a reset leaves in place. It ends only the sign-ins that have already verified the person. */
const waysThatStay: Record<string, Way> = {
  'a passkey': async ({ member }) => {
    const { authenticator, add } = await anAuthenticator(member)
    await add(app, null)
    return async on => {
      const { body: options, setCookies } = await startPasskeySignIn(app, request)
      const response = authenticator.get(options as never) as never
      return signInWithPasskey(on, { response }, { ...request, cookieHeader: cookieOf(setCookies[0] ?? '') })
    }
  },

  'a provider': async ({ email }) => {
    const fetch: App['fetch'] = (input, init) => issuer.handle(new Request(input, init))
    const { url, setCookies } = await startProviderSignIn(
      { ...app, fetch },
      { provider: 'corp', returnPath: '/', ...request },
    )
    const query = issuer.approve(url, { sub: email, email })
    return async on => {
      const cookieHeader = setCookies.map(cookieOf).join('; ')
      const ended = await endProviderSignIn({ ...on, fetch }, { provider: 'corp', query, cookieHeader, ...request })
      const signedIn = ended.setCookies.some(cookie => readSessionTokens(cookieOf(cookie), app.config).length > 0)
      if (!signedIn) throw new Error(ended.location)
    }
  },
}

/** Counts the database calls of an undisturbed sign-in: each of them is a moment to interrupt. */
async function momentsOf(way: Way): Promise<number> {
  const run = await way(await aPerson())
  const undisturbed = withInterruption(app, Infinity, async () => {})
  expect(await isTrue(run(undisturbed.app))).toBe(true)
  return undisturbed.calls()
}

/** True when the work ended before this call, so that nothing interrupted it. Fails when there were hardly any calls. */
function isOver({ calls }: { calls(): number }, at: number): boolean {
  if (calls() > at) return false
  expect(at).toBeGreaterThan(2)
  return true
}

/** Returns the same app; `happens` runs once, just before the first session is inserted. */
function beforeInsert(happens: () => Promise<unknown>): App {
  const { client } = app.db
  let isDone = false
  const execute: typeof client.execute = async statement => {
    const sql = typeof statement === 'string' ? statement : statement.sql
    if (sql.startsWith('insert into sessions') && !isDone) {
      isDone = true
      await happens()
    }
    return client.execute(statement as never)
  }
  return { ...app, db: { ...app.db, client: { ...client, execute } as typeof client } }
}

const sessionsOf = (userId: string) => countRows(app, 'sessions where user_id = ?', [userId])

describe('a pending sign-in during a password reset', () => {
  it.each(Object.entries(ways))('creates no session by %s, at any moment of the reset', async (_name, way) => {
    const moments = await momentsOf(way)
    expect(moments).toBeGreaterThan(2)
    for (let at = 0; at < moments; at++) {
      const person = await aPerson()
      const run = await way(person)
      const disturbed = withInterruption(app, at, person.reset)
      await run(disturbed.app).catch(() => undefined)
      expect([at, await sessionsOf(person.member.userId)]).toEqual([at, 0])
    }
  })

  it.each(Object.entries(waysThatStay))(
    'creates no session by %s after the person was verified',
    async (_name, way) => {
      const person = await aPerson()
      const run = await way(person)
      const disturbed = beforeInsert(person.reset)
      expect(await isTrue(run(disturbed))).toBe(false)
      expect(await sessionsOf(person.member.userId)).toBe(0)
      expect(await isTrue((await way(person))(app))).toBe(true)
    },
  )
})

describe('a pending sign-in during a suspension of the account', () => {
  const suspend = (userId: string) => suspendPerson(app, { userId, by: 'operator', reason: 'Fraud', until: null })

  it.each(Object.entries({ ...ways, ...waysThatStay }))(
    'fails by %s, at any moment of the suspension',
    async (_name, way) => {
      const moments = await momentsOf(way)
      expect(moments).toBeGreaterThan(2)
      for (let at = 0; at < moments; at++) {
        const { member, email } = await aPerson()
        const run = await way({ member, email })
        const disturbed = withInterruption(app, at, () => suspend(member.userId))
        await run(disturbed.app).catch(() => undefined)
        expect([at, await sessionsOf(member.userId)]).toEqual([at, 0])
      }
    },
  )

  it('fails for twenty sign-ins that race with the suspension over a slow database', async () => {
    const { member, email } = await aPerson()
    const slow = withLatency(app)
    const attempts = Array.from({ length: 20 }, () => signIn(slow, { email, password: OLD }, request))
    const results = await Promise.allSettled([suspend(member.userId), ...attempts])
    expect(results[0]?.status).toBe('fulfilled')
    expect(await sessionsOf(member.userId)).toBe(0)
    expect(await refusalOf(signIn(app, { email, password: OLD }, request))).toBe('account-suspended')
  })
})

describe('a change by a session that ends in the meantime', () => {
  it('adds no passkey', async () => {
    for (let at = 0; ; at++) {
      const person = await aPerson()
      const { userId } = person.member
      await signInAs(app, person.member)
      const [session] = await query(app, 'select id from sessions where user_id = ?', [userId])
      const { add } = await anAuthenticator(person.member)
      const disturbed = withInterruption(app, at, person.reset)
      const isAdded = await isTrue(add(disturbed.app, String(session?.id)))
      if (isOver(disturbed, at)) break
      // From the third call on, the passkey is stored already: that call reads it back.
      const isAfter = at > 1
      expect([at, isAdded, await countRows(app, 'passkeys where user_id = ?', [userId])]).toEqual([
        at,
        isAfter,
        isAfter ? 1 : 0,
      ])
    }
  })

  it('activates no second factor', async () => {
    const person = await aPerson()
    const { userId } = person.member
    await signInAs(app, person.member)
    const [session] = await query(app, 'select id from sessions where user_id = ?', [userId])
    const { secret } = await startTwoFactor(app, person.member, OLD)
    const code = currentCodes(secret)[1] ?? ''
    const late = withInterruption(app, 1, person.reset)
    expect(await refusalOf(activateTwoFactor(late.app, { userId, sessionId: String(session?.id) }, code))).toBe(
      'conflict',
    )
    expect(await query(app, 'select active_at from two_factor where user_id = ?', [userId])).toEqual([
      { active_at: null },
    ])
  })

  it('replaces no backup codes when the entered password was reset', async () => {
    for (let at = 1; ; at++) {
      const person = await aPerson()
      const { userId } = person.member
      const { secret } = await startTwoFactor(app, person.member, OLD)
      const code = currentCodes(secret)[1] ?? ''
      const codes = await activateTwoFactor(app, { userId, sessionId: null }, code)
      const disturbed = withInterruption(app, at, person.reset)
      const isRenewed = await isTrue(renewBackupCodes(disturbed.app, userId, OLD))
      if (isOver(disturbed, at)) break
      expect([at, isRenewed, await consumeBackupCode(app, userId, (codes[0] ?? '').replaceAll('-', ''))]).toEqual([
        at,
        false,
        true,
      ])
    }
  })
})

describe('a concurrent password change and reset', () => {
  it('leaves only the last new password, and never the old one', async () => {
    const changed = 'orchid tunnel 88 compass'
    for (let at = 0; ; at++) {
      const person = await aPerson()
      const { userId, email, name } = person.member
      await signInAs(app, person.member)
      const [session] = await query(app, 'select id from sessions where user_id = ?', [userId])
      const asker = { ...request, userId, email, name, sessionId: String(session?.id) }
      const disturbed = withInterruption(app, at, () => person.reset().catch(() => undefined))
      const input = { currentPassword: OLD, newPassword: changed, endGrants: true }
      const isChanged = await isTrue(changePassword(disturbed.app, input, asker))
      await backgroundDone(disturbed.app)
      if (isOver(disturbed, at)) break
      const open = []
      for (const password of [OLD, NEW, changed]) {
        if (await isTrue(signIn(app, { email, password }, request))) open.push(password)
      }
      expect([at, open]).toEqual([at, [open.includes(changed) && isChanged ? changed : NEW]])
    }
  })
})

describe('a pending sign-in when an organization of the person requires a provider', () => {
  it('creates no session, because all sessions end', async () => {
    const { member, email } = await aPerson()
    const disturbed = beforeInsert(() =>
      setAuthProvider(app, requireOrg(member, 'set-auth-provider'), { provider: 'corp', confirm: true }),
    )
    expect(await refusalOf(signIn(disturbed, { email, password: OLD }, request))).toBe('credentials-changed')
    expect(await sessionsOf(member.userId)).toBe(0)
  })
})
