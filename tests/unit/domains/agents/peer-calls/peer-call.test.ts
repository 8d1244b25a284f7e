import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signPeerToken } from '#fairway/server/domains/peers'
import { users } from '#fairway/server/schema'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../../support/app'
import { withLatency } from '../../../../support/database-slow'
import { type PeerTokenChange, peerToken } from '../../../../support/hub'
import { addTo, aMember } from '../../../../support/members'
import { countRows, query } from '../../../../support/query'
import { A2A_SECRET, EARLIER_A2A_SECRET, JWT, OTHER_A2A_SECRET } from '../../../../support/secrets'
import { freePort } from '../../../../support/server'
import { MAIL, ran, type Receiver, startReceiver } from './a2a-world'

let receiver: Receiver
let ada: Session
beforeAll(async () => {
  receiver = await startReceiver({ FW_RATE_LIMITS: 'off', A2A_SECRET_PREVIOUS: EARLIER_A2A_SECRET })
  ada = await aMember(receiver.app, { email: 'ada@example.test' })
  await aMember(receiver.app, { email: 'kate@example.test' })
})
afterAll(() => receiver.stop())
beforeEach(() => {
  ran.length = 0
})
const asAda = (change: PeerTokenChange = {}) => receiver.token('ada@example.test', change)

describe('deeply nested peer call input', () => {
  it.each([
    ['write', 400, 'failed'],
    ['small', 400, 'failed'],
    ['guarded', 403, 'denied'],
  ])('is rejected by %s with %d and writes an audit row', async (action, status, outcome) => {
    const before = await countRows(receiver.app, 'audit_log')
    const body = `{"action":"${action}","input":{"text":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`
    expect((await receiver.post(body, await asAda())).status).toBe(status)
    expect(await countRows(receiver.app, 'audit_log')).toBe(before + 1)
    expect((await query(receiver.app, 'select * from audit_log order by rowid')).at(-1)).toMatchObject({
      action,
      outcome,
      caller: 'a2a',
    })
  })
})

describe('peer token', () => {
  const future = Math.floor(Date.now() / 1000) + 3600
  const bad: [string, () => Promise<string | undefined>][] = [
    ['missing', async () => undefined],
    ['empty', async () => ''],
    ['not a JWT', async () => 'a.b.c'],
    ['longer than any', async () => `${'x'.repeat(5000)}.e.f`],
    ['signed with another secret', () => asAda({ secret: OTHER_A2A_SECRET })],
    ['not signed', () => asAda({ secret: null })],
    ['of another algorithm', () => asAda({ alg: 'HS512' })],
    ['of another type', () => asAda({ typ: 'identity+jwt' })],
    ['a plain JWT', () => asAda({ typ: 'JWT' })],
    ['expired', () => asAda({ age: 120 })],
    ['older than five minutes', () => asAda({ age: 600, life: 4000 })],
    ['good for too long', () => asAda({ life: 3600 })],
    ['from the future', () => asAda({ claims: { iat: future, exp: future + 60 } })],
    ['for another application', () => asAda({ claims: { aud: 'https://docs.example.test' } })],
    ['for an address that begins like ours', () => asAda({ claims: { aud: `${receiver.baseUrl}.evil.test` } })],
    ['for several', () => asAda({ claims: { aud: [receiver.baseUrl, 'https://docs.example.test'] } })],
    ['for nobody', () => asAda({ claims: { aud: undefined } })],
    ['without an issuer', () => asAda({ claims: { iss: undefined } })],
    ['without a subject', () => asAda({ claims: { sub: undefined } })],
    ['without an id', () => asAda({ claims: { jti: undefined } })],
    ['without an end', () => asAda({ claims: { exp: undefined } })],
    ['naming two people', () => asAda({ claims: { email: 'eve@example.test' } })],
    ['naming a person and an application', () => asAda({ claims: { sub: 'app:mail', email: 'ada@example.test' } })],
    ['with an address that is a list', () => asAda({ claims: { email: ['ada@example.test'] } })],
    ['with an address that is not confirmed', () => asAda({ claims: { email_verified: false } })],
  ]

  it.each(bad)('that is %s returns the same 401 as all others and records a security event', async (_name, make) => {
    const token = await make()
    const events = await countRows(receiver.app, "security_events where kind = 'peer-refused'")
    const { status, headers, body } = await receiver.post({ action: 'write', input: { text: 'no' } }, token)
    expect({ status, body }).toEqual({
      status: 401,
      body: {
        type: 'urn:fairway:error:peer-unauthenticated',
        title: 'The calling application’s token was not accepted.',
        status: 401,
        code: 'peer-unauthenticated',
        requestId: 'test',
      },
    })
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(ran).toEqual([])
    expect(await countRows(receiver.app, "security_events where kind = 'peer-refused'")).toBe(events + 1)
  })

  it('returns 401 on second use', async () => {
    const token = await asAda()
    const call = { action: 'write', input: { text: 'once' } }
    expect((await receiver.post(call, token)).status).toBe(200)
    expect((await receiver.post(call, token)).status).toBe(401)
    expect(ran).toEqual(['once'])
  })

  it('is accepted once when two instances receive it concurrently', async () => {
    const second = await receiver.serve(withLatency(receiver.app), await freePort())
    const first = await receiver.serve(withLatency(receiver.app), await freePort())
    for (let round = 0; round < 5; round++) {
      const token = await asAda()
      const call = { action: 'write', input: { text: 'race' } }
      const sent = [first, second, first, second].map(at => receiver.post(call, token, { at }))
      const statuses = (await Promise.all(sent)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
    }
    expect(ran).toHaveLength(5)
  })

  it('is accepted when signed with the raw secret, a key derived from it, or the previous secret', async () => {
    const sign = async (secret: string) => {
      const peer = await createTestApp({ FW_BASE_URL: MAIL, A2A_SECRET: secret })
      const { baseUrl: audience } = receiver
      const token = await signPeerToken(peer.app, { type: 'a2a+jwt', audience, subject: ada.email })
      await peer.close()
      return token
    }
    const tokens = [asAda(), asAda({ secret: EARLIER_A2A_SECRET }), sign(A2A_SECRET), sign(EARLIER_A2A_SECRET)]
    for (const token of await Promise.all(tokens)) {
      expect((await receiver.post({ action: 'who-am-i' }, token)).status).toBe(200)
    }
    const afterwards = await startReceiver({ FW_RATE_LIMITS: 'off' })
    await aMember(afterwards.app, { email: 'ada@example.test' })
    const old = await afterwards.token('ada@example.test', { secret: EARLIER_A2A_SECRET })
    expect((await afterwards.post({ action: 'who-am-i' }, old)).status).toBe(401)
    await afterwards.stop()
  })

  it('does not appear in responses or logs', async () => {
    const token = await asAda()
    const answers = [await receiver.post({ action: 'nothing' }, token), await receiver.post({ action: 'x' }, token)]
    expect(JSON.stringify([answers, receiver.test.lines()])).not.toMatch(JWT)
  })
})

describe('account of a peer call', () => {
  const whoAmI = async (token: string) => (await receiver.post({ action: 'who-am-i' }, token)).body

  it('is the account with the confirmed email, in its own organization', async () => {
    const { userId, orgId, orgRole: role } = ada
    expect(await whoAmI(await asAda())).toEqual({ result: { userId, orgId, role, caller: 'a2a' } })
    const byEmail = await receiver.token('user-of-mail', { claims: { email: 'ADA@example.test ' } })
    expect((await whoAmI(byEmail)).result.userId).toBe(userId)
  })

  it('is not changed by an organization, role or user id in the token', async () => {
    const eve = await aMember(receiver.app, { email: 'eve@example.test' })
    const before = await query(receiver.app, 'select * from org_members order by org_id, user_id')
    const claims = {
      org_id: ada.orgId,
      orgId: ada.orgId,
      org_domain: 'example.test',
      role: 'owner',
      orgRole: 'owner',
      user_id: ada.userId,
      userId: ada.userId,
    }
    const { result } = await whoAmI(await receiver.token('eve@example.test', { claims }))
    expect(result).toMatchObject({ userId: eve.userId, orgId: eve.orgId })
    expect(eve.orgId).not.toBe(ada.orgId)
    expect(await query(receiver.app, 'select * from org_members order by org_id, user_id')).toEqual(before)
  })

  it.each([
    ['nobody has', 'nobody@example.test'],
    ['is not confirmed', 'unproven@example.test'],
    ['is none', 'user-17'],
    ['is that of the template', 'local@localhost'],
    ['becomes the address of another person in lower case', '\u212aate@example.test'],
  ])('returns 403 for an email that %s, and creates no account', async (_name, subject) => {
    await receiver.app.db.orm
      .insert(users)
      .values({
        id: 'unproven',
        name: 'U',
        email: 'unproven@example.test',
        createdAt: new Date(),
        updatedAt: new Date(),
      })
      .onConflictDoNothing()
    const before = await query(receiver.app, 'select * from users')
    const { status, body } = await receiver.post({ action: 'who-am-i' }, await receiver.token(subject))
    expect([status, body.code]).toEqual([403, 'unknown-person'])
    expect(await query(receiver.app, 'select * from users')).toEqual(before)
  })

  it('is empty when an app calls for itself, which allows public actions only', async () => {
    const call = async (action: string) =>
      receiver.post({ action, input: { text: 'x' } }, await receiver.token('app:mail'))
    expect((await call('open')).body).toEqual({ result: { isPerson: false } })
    for (const action of ['who-am-i', 'write', 'wipe']) expect((await call(action)).status).toBe(401)
    expect(ran).toEqual([])
  })

  it('has no access to an organization that requires a provider, even with a linked provider account', async () => {
    const boss = await aMember(receiver.app, { email: 'boss@example.test' })
    await query(
      receiver.app,
      "insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at) values ('g', ?, 'g', 'google', 0, 0)",
      [boss.userId],
    )
    const asBoss = async () => receiver.post({ action: 'who-am-i' }, await receiver.token('boss@example.test'))
    expect((await asBoss()).body.result.orgId).toBe(boss.orgId)
    await query(receiver.app, "update organizations set required_auth_provider = 'google' where id = ?", [boss.orgId])
    const refused = await asBoss()
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: 'provider-required', organization: { id: boss.orgId }, provider: 'google' },
    ])
  })

  it('loses access to an organization on the next call after the membership ends', async () => {
    const bob = await aMember(receiver.app, { email: 'bob@example.test' })
    await addTo(receiver.app, ada, bob, 'member')
    await query(
      receiver.app,
      "insert into user_settings (user_id, key, value) values (?, 'active-org-id', ?) on conflict do update set value = excluded.value",
      [bob.userId, ada.orgId],
    )
    const orgOf = async () => (await whoAmI(await receiver.token('bob@example.test'))).result.orgId
    expect(await orgOf()).toBe(ada.orgId)
    await query(receiver.app, 'delete from org_members where user_id = ? and org_id = ?', [bob.userId, ada.orgId])
    expect(await orgOf()).toBe(bob.orgId)
  })
})

describe('peer call', () => {
  const refusals: [string, unknown, number, string][] = [
    ['an action that is not there', { action: 'nothing' }, 404, 'unknown-action'],
    ['a name of every object', { action: '__proto__' }, 404, 'unknown-action'],
    ['an action that is not served', { action: 'hidden' }, 404, 'unknown-action'],
    ['an input that is not accepted', { action: 'write', input: { text: 'too long' } }, 400, 'invalid-input'],
    ['an input that is no object', { action: 'write', input: [] }, 400, 'invalid-input'],
    ['neither action nor approval', {}, 400, 'invalid-input'],
    ['both', { action: 'open', approval: 'x' }, 400, 'invalid-input'],
    ['something else besides', { action: 'open', org: 'x' }, 400, 'invalid-input'],
    ['half of it', '{"action":', 400, 'malformed-json'],
    ['more than the action takes', { action: 'small', input: { a: 'x'.repeat(100) } }, 413, 'payload-too-large'],
    ['more than any action takes', { action: 'open', input: { a: 'x'.repeat(1_100_000) } }, 413, 'payload-too-large'],
    ['what a guard refuses', { action: 'guarded' }, 403, 'forbidden'],
  ]
  it.each(refusals)('is rejected for %s', async (_name, body, status, code) => {
    const answer = await receiver.post(body, await asAda())
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  it('returns the invalid input fields', async () => {
    const { body } = await receiver.post({ action: 'write', input: { text: 'too long' } }, await asAda())
    expect(body.errors).toMatchObject([{ path: 'text' }])
  })

  it('writes an audit row with the account and the calling app', async () => {
    await receiver.post({ action: 'write', input: { text: 'row' } }, await asAda())
    const [row] = await query(
      receiver.app,
      "select caller, via, user_id, outcome from audit_log where action = 'write' order by id desc limit 1",
    )
    expect(row).toMatchObject({ caller: 'a2a', via: MAIL, user_id: ada.userId, outcome: 'ok' })
  })

  it('returns 415 for content types other than JSON', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await receiver.post('{"action":"open"}', await asAda(), { headers })).status).toBe(415)
  })

  it.each([
    ['of another site', { origin: 'https://evil.test' }],
    ['of another site, by its mark', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['of a frame without an origin', { origin: 'null' }],
  ])('returns 403 for a page %s', async (_name, headers) => {
    const { status, body } = await receiver.post({ action: 'open' }, await asAda(), { headers })
    expect([status, body.code]).toEqual([403, 'cross-origin'])
  })

  it('is rate limited per calling app', async () => {
    const limited = await startReceiver()
    const call = async (issuer: string) =>
      limited.post({ action: 'open' }, await limited.token('app:x', {}, issuer)).then(({ status }) => status)
    await call(MAIL)
    await query(limited.app, "update rate_limits set count = 600 where key like 'a2a-calls:%'")
    expect(await call(MAIL)).toBe(429)
    expect(await call('https://docs.example.test')).toBe(200)
    await limited.stop()
  })

  it('is rate limited for invalid tokens, without affecting valid ones', async () => {
    const limited = await startReceiver()
    for (let n = 0; n < 61; n++) await limited.post({ action: 'open' }, 'a.b.c')
    expect((await limited.post({ action: 'open' }, 'a.b.c')).status).toBe(429)
    expect((await limited.post({ action: 'open' }, await limited.token('app:x'))).status).toBe(200)
    await limited.stop()
  })
})

describe('FW_PEERS', () => {
  it('returns 403 for unlisted calling apps, even with the shared secret', async () => {
    const strict = await startReceiver({ FW_PEERS: JSON.stringify({ mail: MAIL }) })
    const call = async (issuer: string) => {
      const { status, body } = await strict.post({ action: 'open' }, await strict.token('app:x', {}, issuer))
      return [status, body.code]
    }
    expect(await call(MAIL)).toEqual([200, undefined])
    expect(await call('https://docs.example.test')).toEqual([403, 'unknown-peer'])
    expect(await call(`${MAIL}/`)).toEqual([403, 'unknown-peer'])
    const rows = await query(strict.app, 'select kind, subject from security_events order by id limit 1')
    expect(rows).toMatchObject([{ kind: 'peer-refused', subject: 'https://docs.example.test' }])
    await strict.stop()
  })
})

describe('peer call without A2A_SECRET', () => {
  it.each(['production', 'test'])('returns 503 in %s and writes no rows', async environment => {
    const bare = await startReceiver({ NODE_ENV: environment, A2A_SECRET: '' })
    const tables = ['audit_log', 'security_events', 'fw_one_time', 'rate_limits', 'a2a_approvals']
    const token = await peerToken({ audience: bare.baseUrl, issuer: MAIL, subject: 'app:mail' })
    for (const credential of [undefined, token]) {
      const { status, body } = await bare.post({ action: 'open' }, credential)
      expect([status, body.code]).toEqual([503, 'a2a-not-configured'])
    }
    for (const table of tables) expect(await query(bare.app, `select * from ${table}`)).toEqual([])
    await bare.stop()
  })

  it('runs local calls in development as the development account, or without a person', async () => {
    const bare = await startReceiver({ NODE_ENV: 'development', A2A_SECRET: '' })
    const call = (headers: Record<string, string> = {}) => bare.post({ action: 'open' }, undefined, { headers })
    expect((await call()).body).toEqual({ result: { isPerson: false } })
    await bare.app.db.orm.insert(users).values({
      id: 'dev',
      kind: 'dev',
      name: 'Dev',
      email: 'dev@local.test',
      emailVerified: true,
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    expect((await call()).body).toEqual({ result: { isPerson: true } })
    expect((await call({ 'x-forwarded-for': '203.0.113.7' })).status).toBe(503)
    expect((await bare.post({ action: 'open' }, 'a.b.c')).status).toBe(401)
    await bare.stop()
  })

  it('returns 503 in development when the development account is disabled', async () => {
    const bare = await startReceiver({ NODE_ENV: 'development', A2A_SECRET: '', FW_DISABLE_AUTO_DEV_ACCOUNT: '1' })
    const headers = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }
    expect((await bare.post({ action: 'open' }, undefined, { headers })).status).toBe(503)
    await bare.stop()
  })
})
