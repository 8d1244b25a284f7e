import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  beginCeremony,
  type CeremonyVisit,
  decideCeremony,
  exchangeCeremony,
  showCeremony,
  showCompletion,
} from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import { desktopExchangeSchema } from '#fairway/shared/schemas/desktop'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { withLatency } from '../../../../support/database-slow'
import { refusalOf } from '../../../../support/error-code'
import { aCeremony, hubEnv, registered } from '../../../../support/hub'
import { aMember } from '../../../../support/members'
import { query } from '../../../../support/query'

const entry = (appId: string, change: object = {}) =>
  registered(appId, undefined, { clientId: `${appId}-client`, ...change })

let test: TestApp
let app: App
let ada: Session
let count = 0
beforeAll(async () => {
  test = await createTestApp(hubEnv([entry('mail'), entry('docs')]))
  app = test.app
  ada = await aMember(app)
})
afterAll(() => test.close())

const from = { clientAddress: '192.0.2.1', requestId: 'request' }

async function begin(cookieHeader?: string) {
  const { verifier, input } = aCeremony()
  const clientAddress = `198.51.100.${++count}`
  const { ceremony, setCookie } = await beginCeremony(app, { ...input, clientAddress, cookieHeader })
  const cookie = setCookie.split(';', 1)[0] ?? ''
  const visit: CeremonyVisit = { ...from, id: ceremony.id, nonce: input.nonce, session: ada, cookieHeader: cookie }
  return { ceremony, verifier, setCookie, cookie, visit, exchange: { ...visit, verifier } }
}

async function confirmed() {
  const begun = await begin()
  expect(await decideCeremony(app, begun.visit, yes(ada))).toEqual({
    location: `/_fw/desktop/complete?nonce=${begun.visit.nonce}`,
  })
  return begun
}

const yes = ({ userId }: Session) => ({ decision: 'continue', account: userId })
const set = (id: string, column: string, value: string | number | null) =>
  query(app, `update fw_one_time set ${column} = ? where hash = ?`, [value, sha256(id)])
const rowOf = async (id: string) => (await query(app, 'select * from fw_one_time where hash = ?', [sha256(id)]))[0]
const statusOf = async (answer: ReturnType<typeof showCeremony>) => {
  const settled = await answer
  return 'status' in settled ? settled.status : settled.location
}

describe('desktop ceremony', () => {
  it('returns the person and the hub’s apps once, and stores its secrets only as hashes', async () => {
    const { ceremony, exchange, verifier, cookie, visit } = await confirmed()
    const answer = await exchangeCeremony(app, exchange)
    expect(desktopExchangeSchema.parse(answer)).toEqual({
      email: ada.email,
      apps: ['mail', 'docs'].map(appId => ({
        appId,
        clientId: `${appId}-client`,
        origin: `https://${appId}.example.test`,
        callbackUrl: `https://${appId}.example.test/_fw/identity/callback`,
        isCanonical: false,
      })),
    })
    const row = JSON.stringify(await rowOf(ceremony.id))
    for (const secret of [verifier, visit.nonce, cookie.split('=')[1] ?? '']) expect(row).not.toContain(secret)
    expect(await refusalOf(exchangeCeremony(app, exchange))).toBe('ceremony-ended')
  })

  it('lasts five minutes and is bound to a cookie of its browser', async () => {
    const { ceremony, setCookie, exchange, visit } = await begin()
    expect(setCookie).toMatch(
      /^fw\.desktop_binding=[\w-]{43}; Path=\/_fw\/desktop; HttpOnly; SameSite=Lax; Max-Age=300$/,
    )
    const lifeInMs = Date.parse(ceremony.expiresAt) - Number((await rowOf(ceremony.id))?.created_at)
    expect(lifeInMs).toBe(5 * 60 * 1000)
    await set(ceremony.id, 'expires_at', Date.now() - 1)
    expect(await refusalOf(exchangeCeremony(app, exchange))).toBe('ceremony-ended')
    expect(await statusOf(showCeremony(app, visit))).toBe(410)
  })

  it('sets a __Secure- cookie over https', async () => {
    const secure = await createTestApp({ ...hubEnv(), FW_BASE_URL: 'https://hub.example.test' })
    const { setCookie } = await beginCeremony(secure.app, { ...aCeremony().input, ...from, cookieHeader: undefined })
    expect(setCookie).toMatch(/^__Secure-fw\.desktop_binding=[\w-]{43}; Path=\/_fw\/desktop; .*; Secure; /)
    await secure.close()
  })

  it('is one of at most three open ceremonies per browser', async () => {
    const first = await begin()
    const later = [await begin(first.cookie), await begin(first.cookie), await begin(first.cookie)]
    expect(new Set(later.map(({ cookie }) => cookie))).toEqual(new Set([first.cookie]))
    expect(await statusOf(showCeremony(app, first.visit))).toBe(410)
    for (const { visit } of later) expect(await statusOf(showCeremony(app, visit))).toBe(200)
  })

  it('is rate limited per network', async () => {
    const input = { ...aCeremony().input, clientAddress: '192.0.2.77', cookieHeader: undefined }
    const codes = await Promise.all(Array.from({ length: 31 }, () => refusalOf(beginCeremony(app, input))))
    expect(codes.filter(code => code === 'rate-limited')).toHaveLength(1)
  })

  it('is deleted a day after it ends', async () => {
    const { ceremony } = await begin()
    const other = await begin()
    await set(ceremony.id, 'expires_at', Date.now() - 24 * 60 * 60 * 1000)
    await purgeOneTime(app)
    expect(await rowOf(ceremony.id)).toBeUndefined()
    expect(await rowOf(other.ceremony.id)).toBeDefined()
  })
})

describe('desktop exchange', () => {
  it('returns ceremony-pending until the person confirms', async () => {
    const { exchange } = await begin()
    expect(await refusalOf(exchangeCeremony(app, exchange))).toBe('ceremony-pending')
  })

  it('returns one error for a wrong browser, verifier or person, without using up the ceremony', async () => {
    const { exchange } = await confirmed()
    const other = await begin()
    const somebody = await aMember(app)
    const wrong = [
      { cookieHeader: undefined },
      { cookieHeader: other.cookie },
      { cookieHeader: 'fw.desktop_binding=' },
      { verifier: other.verifier },
      { verifier: '' },
      { session: somebody },
      { session: { ...ada, emailVerified: false } },
    ]
    for (const change of wrong) {
      expect([change, await refusalOf(exchangeCeremony(app, { ...exchange, ...change }))]).toEqual([
        change,
        'desktop-exchange-refused',
      ])
    }
    expect(await refusalOf(exchangeCeremony(app, { ...exchange, session: null }))).toBe('unauthenticated')
    expect(await refusalOf(exchangeCeremony(app, exchange))).toBe('done')
  })

  it('ends the ceremony after five wrong verifiers, but not by those of another browser', async () => {
    const { exchange, visit } = await confirmed()
    for (let round = 0; round < 8; round++) {
      await refusalOf(exchangeCeremony(app, { ...exchange, verifier: 'wrong', cookieHeader: undefined }))
    }
    for (let round = 0; round < 5; round++) {
      expect(await refusalOf(exchangeCeremony(app, { ...exchange, verifier: 'wrong' }))).toBe(
        'desktop-exchange-refused',
      )
    }
    expect(await refusalOf(exchangeCeremony(app, exchange))).toBe('ceremony-ended')
    expect(await statusOf(showCeremony(app, visit))).toBe(410)
  })

  it('succeeds once for twenty concurrent requests over a slow database', async () => {
    const { exchange } = await confirmed()
    const slow = withLatency(app)
    const codes = await Promise.all(Array.from({ length: 20 }, () => refusalOf(exchangeCeremony(slow, exchange))))
    expect(codes.toSorted()).toEqual([...Array(19).fill('ceremony-ended'), 'done'])
  })

  it.each([
    ['belongs to no browser', 'browser_hash', null],
    ['has no payload', 'payload', null],
    ['has a payload that does not open', 'payload', 'short'],
    ['has a word for a time', 'expires_at', 'tomorrow'],
    ['counts in words', 'tries', 'many'],
  ])('fails on a row that %s and keeps the row', async (_title, column, value) => {
    const { ceremony, exchange, visit } = await confirmed()
    await set(ceremony.id, column, value)
    const row = await rowOf(ceremony.id)
    expect(await refusalOf(exchangeCeremony(app, exchange))).toBe('internal')
    expect(await refusalOf(showCeremony(app, visit))).toBe('internal')
    expect(await rowOf(ceremony.id)).toEqual(row)
  })
})

describe('desktop ceremony page', () => {
  it('returns 403 in another browser or with another nonce, and records a security event', async () => {
    const { visit } = await begin()
    const other = await begin()
    for (const change of [{ cookieHeader: undefined }, { cookieHeader: other.cookie }, { nonce: other.visit.nonce }]) {
      const stranger = { ...visit, ...change }
      expect(await statusOf(showCeremony(app, stranger))).toBe(403)
      expect(await decideCeremony(app, stranger, yes(ada))).toMatchObject({ status: 403 })
    }
    expect(await rowOf(visit.id)).toMatchObject({ subject: null })
    const events = await query(
      app,
      `select distinct kind, reason from security_events where reason like 'the page%' order by reason`,
    )
    expect(events).toMatchObject([
      { kind: 'desktop-sign-in-refused', reason: 'the page was opened in another browser' },
      { kind: 'desktop-sign-in-refused', reason: 'the page was opened with another nonce' },
    ])
  })

  it('requires a session with a confirmed email that is not a development session', async () => {
    const { visit } = await begin()
    const signIn = `/sign-in?${new URLSearchParams({ return: `/_fw/desktop/ceremonies/${visit.id}?nonce=${visit.nonce}` })}`
    const sessions: [unknown, Session | null][] = [
      [signIn, null],
      [403, { ...ada, emailVerified: false }],
      [403, { ...ada, provider: 'dev' }],
      [403, { ...ada, provider: 'auth-disabled' }],
      [200, ada],
    ]
    for (const [expected, session] of sessions) {
      expect(await statusOf(showCeremony(app, { ...visit, session }))).toBe(expected)
      if (session !== ada) await decideCeremony(app, { ...visit, session }, yes(session ?? ada))
    }
    expect(await rowOf(visit.id)).toMatchObject({ subject: null })
  })

  it('confirms once, for the account that it named', async () => {
    const { visit, ceremony } = await begin()
    const bob = await aMember(app)
    const here = `/_fw/desktop/ceremonies/${visit.id}?nonce=${visit.nonce}`
    expect(await decideCeremony(app, { ...visit, session: bob }, yes(ada))).toEqual({ location: here })
    expect(await refusalOf(decideCeremony(app, visit, { account: ada.userId }))).toBe('invalid-request')
    expect(await decideCeremony(app, visit, { decision: 'other' })).toBe('sign-out')
    const slow = withLatency(app)
    const answers = await Promise.all(Array.from({ length: 10 }, () => decideCeremony(slow, visit, yes(ada))))
    expect(answers.filter(answer => answer !== 'sign-out' && 'location' in answer)).toHaveLength(1)
    expect(answers.filter(answer => answer !== 'sign-out' && 'status' in answer && answer.status === 409)).toHaveLength(
      9,
    )
    expect(await decideCeremony(app, { ...visit, session: bob }, yes(bob))).toMatchObject({ status: 409 })
    expect(await rowOf(ceremony.id)).toMatchObject({ subject: ada.userId })
    expect(await statusOf(showCeremony(app, visit))).toBe(`/_fw/desktop/complete?nonce=${visit.nonce}`)
    expect(await statusOf(showCeremony(app, { ...visit, session: bob }))).toBe(410)
  })

  it('shows the completion page only to the account that confirmed', async () => {
    const { visit } = await confirmed()
    const pending = await begin()
    expect(await statusOf(showCompletion(app, { session: ada, nonce: visit.nonce }))).toBe(200)
    expect(await statusOf(showCompletion(app, { session: await aMember(app), nonce: visit.nonce }))).toBe(403)
    expect(await statusOf(showCompletion(app, { session: ada, nonce: pending.visit.nonce }))).toBe(403)
    expect(await statusOf(showCompletion(app, { session: null, nonce: visit.nonce }))).toBe(401)
  })
})

describe('apps of a hub', () => {
  it('include only entries with an exact origin, an exact callback and the capability', async () => {
    const bad = [
      { origin: 'http://bad.example.test' },
      { origin: 'https://bad.example.test/' },
      { origin: 'https://bad.example.test/path' },
      { origin: 'https://*.example.test' },
      { callbackPath: 'callback' },
      { callbackPath: '//evil.test/callback' },
      { callbackPath: '/../callback' },
      { capabilities: [] },
      { capabilities: ['other'] },
      { appId: 'Bad App' },
    ]
    const entries = [entry('mail'), ...bad.map(change => entry('bad', change))]
    const strict = await createTestApp(hubEnv(entries))
    const { verifier, input } = aCeremony()
    const { ceremony, setCookie } = await beginCeremony(strict.app, { ...input, ...from, cookieHeader: undefined })
    const session = await aMember(strict.app)
    const visit = { ...from, id: ceremony.id, nonce: input.nonce, session, cookieHeader: setCookie.split(';', 1)[0] }
    await decideCeremony(strict.app, visit, yes(session))
    const { apps } = await exchangeCeremony(strict.app, { ...visit, verifier })
    expect(apps.map(({ appId }) => appId)).toEqual(['mail'])
    await strict.close()
  })
})
