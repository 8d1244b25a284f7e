import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestApp } from '../../../support/app'
import { type HubMisbehaviour, startHub, type TestHub } from '../../../support/hub'
import { query } from '../../../support/query'
import { A2A_SECRET, EARLIER_A2A_SECRET, OTHER_A2A_SECRET } from '../../../support/secrets'
import { APP_URL, begin, createHubApp, end, signInThroughHub } from './hub-sign-in'

const CALLBACK = `${APP_URL}/_fw/identity/callback`

let hub: TestHub
let test: TestApp
let count = 0

beforeAll(async () => {
  hub = await startHub()
})
afterAll(() => hub.stop())
beforeEach(async () => {
  test = await createHubApp(hub, { A2A_SECRET_PREVIOUS: EARLIER_A2A_SECRET })
})
afterEach(() => test.close())

const now = () => Math.floor(Date.now() / 1000)
const newEmail = () => `someone${++count}@example.test`
const events = () => query(test.app, 'select kind, reason, subject from security_events order by at, id')

async function expectNobody() {
  expect(await query(test.app, 'select id from users')).toEqual([])
  expect(await query(test.app, 'select id from sessions')).toEqual([])
  expect(await query(test.app, 'select id from accounts')).toEqual([])
}

describe('identity assertion', () => {
  it.each<[string, () => HubMisbehaviour]>([
    ['for another application', () => ({ claims: { aud: 'https://other.example.test/_fw/identity/callback' } })],
    ['for the origin only', () => ({ claims: { aud: APP_URL } })],
    ['for the callback with a slash too many', () => ({ claims: { aud: `${CALLBACK}/` } })],
    ['for the callback with a query', () => ({ claims: { aud: `${CALLBACK}?x=1` } })],
    ['for the callback on plain http', () => ({ claims: { aud: CALLBACK.replace('https', 'http') } })],
    ['for several at once, us among them', () => ({ claims: { aud: [CALLBACK, 'https://other.example.test'] } })],
    ['for nobody', () => ({ claims: { aud: undefined } })],
    ['for another client', () => ({ claims: { client_id: 'another' } })],
    ['for a client that is no text', () => ({ claims: { client_id: ['mail'] } })],
    ['of another issuer', () => ({ claims: { iss: 'https://evil.test' } })],
    ['of the hub with a slash', () => ({ claims: { iss: `${hub.origin}/` } })],
    ['of this application itself', () => ({ claims: { iss: APP_URL } })],
    ['without an issuer', () => ({ claims: { iss: undefined } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['that is a call of an application', () => ({ header: { typ: 'a2a+jwt' } })],
    ['that is some other token', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['that has ended', () => ({ claims: { exp: now() - 31, iat: now() - 91 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['that is good for an hour', () => ({ claims: { exp: now() + 3600 } })],
    ['made more than five minutes ago', () => ({ claims: { iat: now() - 340, exp: now() + 30 } })],
    ['made in the future', () => ({ claims: { iat: now() + 120, exp: now() + 180 } })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 120 } })],
    ['without the time it was made', () => ({ claims: { iat: undefined } })],
    ['whose times are texts', () => ({ claims: { exp: String(now() + 60) } })],
    ['without an id', () => ({ claims: { jti: undefined } })],
    ['with an empty id', () => ({ claims: { jti: '' } })],
    ['without a signature', () => ({ key: 'none' })],
    ['without a signature, spelled otherwise', () => ({ key: 'none', header: { alg: 'nOnE' } })],
    ['without a signature that says HS256', () => ({ key: 'none', header: { alg: 'HS256' } })],
    ['signed by another algorithm', () => ({ algorithm: 'HS512' })],
    ['signed with another secret', () => ({ key: { raw: OTHER_A2A_SECRET } })],
    ['signed with the key for calls', () => ({ key: { derivedFrom: A2A_SECRET, purpose: 'a2a' } })],
    [
      'signed with a guess, under a key id that is a path',
      () => ({ key: { raw: 'x' }, header: { kid: '../../dev/null' } }),
    ],
    ['that brings its own key', () => ({ key: { raw: 'x' }, header: { jwk: { kty: 'oct', k: 'eA' } } })],
    ['whose payload was changed', () => ({ assertion: made => swapPayload(made) })],
    ['that is no token', () => ({ assertion: () => 'nonsense' })],
    ['that is too long', () => ({ claims: { filler: 'x'.repeat(8000) } })],
  ])('%s is rejected', async (_, wrong) => {
    const { location, signedIn } = await signInThroughHub(test.app, hub, newEmail(), wrong())
    expect([location, signedIn]).toEqual(['/sign-in?error=invalid-provider-answer&return=%2Fnotes', false])
    await expectNobody()
    expect(await events()).toMatchObject([{ kind: 'invalid-provider-response', subject: 'hub' }])
  })

  it.each<[string, () => HubMisbehaviour]>([
    ['signed with the shared secret', () => ({ key: { raw: A2A_SECRET } })],
    ['signed with the secret before', () => ({ key: { raw: EARLIER_A2A_SECRET } })],
    ['of a clock that is 20 seconds ahead', () => ({ claims: { iat: now() + 20, exp: now() + 80 } })],
    ['of a clock that is 20 seconds behind', () => ({ claims: { iat: now() - 80, exp: now() - 20 } })],
    ['without a client', () => ({ claims: { client_id: undefined } })],
    ['with an address between spaces', () => ({ claims: { email: ' r&d@example.test\n' } })],
    ['with an address in upper case', () => ({ claims: { email: `SomeOne${++count}@Example.TEST` } })],
  ])('%s is accepted', async (_, wrong) => {
    const { location, signedIn } = await signInThroughHub(test.app, hub, newEmail(), wrong())
    expect([location, signedIn]).toEqual(['/notes', true])
    const [user] = await query(test.app, 'select email from users')
    expect(user?.email).toBe(String(user?.email).trim().toLowerCase())
  })

  it('is rejected when another one with the same id was used before', async () => {
    const claims = { jti: 'the-same-id-twice' }
    expect((await signInThroughHub(test.app, hub, newEmail(), { claims })).signedIn).toBe(true)
    const again = await signInThroughHub(test.app, hub, newEmail(), { claims })
    expect(again.location).toContain('invalid-provider-answer')
    const kept = hub.assertions.at(-2) ?? ''
    const replayed = await signInThroughHub(test.app, hub, newEmail(), { assertion: () => kept })
    expect([replayed.location, replayed.signedIn]).toEqual([
      '/sign-in?error=invalid-provider-answer&return=%2Fnotes',
      false,
    ])
    expect(await query(test.app, 'select id from sessions')).toHaveLength(1)
  })

  it('signs in one of twenty browsers that replay it concurrently', async () => {
    const claims = { jti: 'the-same-id-in-twenty' }
    const ends = await Promise.all(
      Array.from({ length: 20 }, () => signInThroughHub(test.app, hub, newEmail(), { claims })),
    )
    expect(ends.filter(({ signedIn }) => signedIn)).toHaveLength(1)
    expect(await query(test.app, 'select id from users')).toHaveLength(1)
  })

  it.each<[string, Record<string, unknown>]>([
    ['says that it is not verified', { email_verified: false }],
    ['says nothing', { email_verified: undefined }],
    ['says so in a word', { email_verified: 'true' }],
    ['says so in a number', { email_verified: 1 }],
    ['says so under another name', { email_verified: undefined, emailVerified: true }],
    ['names no address', { email: undefined }],
    ['names something that is no address', { email: 'nobody' }],
    ['names two', { email: 'a@example.test,b@example.test' }],
    ['names a list', { email: ['a@example.test'] }],
    ['names one that looks like another', { email: 'ä@example.test' }],
    ['names one that becomes another in lower case', { email: '\u212aate@example.test' }],
    ['names one that is too long', { email: `${'a'.repeat(250)}@example.test` }],
  ])('is rejected when, about the email, it %s', async (_, claims) => {
    const { location, signedIn } = await signInThroughHub(test.app, hub, newEmail(), { claims })
    expect([location, signedIn]).toEqual(['/sign-in?error=provider-email-not-verified&return=%2Fnotes', false])
    await expectNobody()
    expect(await events()).toMatchObject([{ kind: 'account-refused', subject: 'hub' }])
  })
})

describe('token request to the hub', () => {
  it('contains only the code, the verifier, the client and the callback', async () => {
    await signInThroughHub(test.app, hub, newEmail())
    expect(hub.tokenRequests.at(-1)).toEqual({
      grant_type: 'authorization_code',
      code: expect.stringMatching(/^[\w-]{43}$/),
      code_verifier: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      client_id: 'mail',
      redirect_uri: CALLBACK,
    })
  })

  it('uses the configured client id', async () => {
    await test.close()
    test = await createHubApp(hub, { FW_SSO_CLIENT_ID: 'mail-production' })
    const { url } = await begin(test.app)
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ app: 'mail', client_id: 'mail-production' })
    expect((await signInThroughHub(test.app, hub, newEmail())).signedIn).toBe(true)
  })

  it('returns invalid-authorization-code for a code that the hub refuses', async () => {
    const { url, jar } = await begin(test.app)
    const query = hub.approve(url, { email: newEmail() })
    query.set('code', 'x'.repeat(43))
    expect((await end(test.app, query, jar.header)).location).toBe(
      '/sign-in?error=invalid-authorization-code&return=%2Fnotes',
    )
    expect(await events()).toMatchObject([
      { kind: 'callback-failed', reason: 'invalid-authorization-code: the hub refused the code' },
    ])
  })
})

function swapPayload(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...claims, email: 'root@example.test' })).toString('base64url')
  return [header, changed, signature].join('.')
}
