import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  registerClient,
  revokeToken,
} from '#fairway/server/domains/oauth-server'
import { findClient } from '#fairway/server/domains/oauth-server/authorize/authorize-request'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { createGuardedFetch } from '#fairway/server/kernel/http/guarded-fetch'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { assertionClaims, type ClientKey, makeClientKey, signAssertion } from '../../../support/client-assertion'
import { refusalOf } from '../../../support/error-code'
import { aMember } from '../../../support/members'
import { approve, renewal } from '../../../support/oauth-grant'
import { WEB_REDIRECT } from '../../../support/oauth-host'
import { startTlsServer, type TlsServer } from '../../../support/web-server'

const HOST = 'host.example.com'
const DOCUMENT = `https://${HOST}/client.json`
const KEYS = `https://${HOST}/jwks.json`
const document = {
  client_id: DOCUMENT,
  client_name: 'Host',
  redirect_uris: [WEB_REDIRECT],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: KEYS,
}
/** The server of the client: what it publishes, and how often each path was requested. */
let published: Record<string, unknown>
let requested: string[]
let server: TlsServer
let rsa: ClientKey
let ec: ClientKey
let ed: ClientKey
let test: TestApp
let app: App
let owner: Session
let now: number

beforeAll(async () => {
  ;[rsa, ec, ed] = await Promise.all([makeClientKey('RS256'), makeClientKey('ES256'), makeClientKey('EdDSA')])
  server = await startTlsServer(HOST, (request, response) => {
    requested.push(request.url ?? '')
    const body = published[request.url ?? '']
    if (body === undefined) response.writeHead(404).end()
    else if (typeof body === 'number') response.writeHead(body).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
})
afterAll(() => server.stop())

beforeEach(async () => {
  published = { '/client.json': document, '/jwks.json': { keys: [rsa.jwk, ec.jwk, ed.jwk] } }
  requested = []
  test = await createTestApp()
  app = test.app
  now = Date.now()
  app.now = () => new Date(now)
  app.memo('guarded-fetch', toServer)
  owner = await aMember(app)
})
afterEach(() => test.close())

/** The real fetch; the name resolves to this address, and connections go to our own server. */
const toServer = (address = '93.184.216.34') =>
  createGuardedFetch({
    resolve: async () => [address],
    connectTo: () => ({
      ca: server.certificate,
      port: server.port,
      lookup: (_hostname, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    }),
  })
/** Another instance on the same database. */
const beside = (): App => ({ ...app, memo: createMemo() })
const pass = (seconds: number) => void (now += seconds * 1000)
const tokenEndpoint = () => `${app.config.baseUrl}/mcp/oauth/token`
const keysFetched = () => requested.filter(path => path === '/jwks.json').length

/** The fields of an assertion with these differing claims. */
function assertion(clientId: string, key: ClientKey = rsa, differing: JWTPayload = {}) {
  const seconds = Math.floor(now / 1000)
  const claims = { ...assertionClaims(clientId, app.config.baseUrl), iat: seconds, exp: seconds + 60, ...differing }
  return signAssertion(key, claims)
}
type Form = Record<string, string>
const send = (form: Form, on = app) => answerTokenRequest(on, { form })
const refusal = (form: Form, on = app) =>
  send(form, on).then(
    () => 'done',
    ({ error, status, description }) => ({ error, status, description }),
  )
const REFUSED = { error: 'invalid_client', status: 401 }

async function registered(metadata: Record<string, unknown> = {}): Promise<string> {
  const input = { redirect_uris: [WEB_REDIRECT], token_endpoint_auth_method: 'private_key_jwt', ...metadata }
  return (await registerClient(app, input, '203.0.113.7')).client_id
}
let grants = 0
/** Approves a client; a grant to another address does not replace an earlier one. */
const approved = (clientId: string, mustSign = true): Promise<Form> =>
  approve(app, owner, { clientId, mustSign, redirectUri: `${WEB_REDIRECT}/${(grants += 1)}` })

describe('client assertion', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('signed with %s exchanges a code, renews and revokes', async alg => {
    const key = [rsa, ec, ed].find(each => each.alg === alg) ?? rsa
    const clientId = await registered({ jwks: { keys: [key.jwk] } })
    const tokens = await send({ ...(await approved(clientId)), ...(await assertion(clientId, key)) })
    const renewed = await send({ ...renewal(tokens.refresh_token, clientId), ...(await assertion(clientId, key)) })
    expect(await authenticateAccessToken(app, renewed.access_token)).not.toBeNull()
    const form = { token: renewed.refresh_token ?? '', ...(await assertion(clientId, key)) }
    await revokeToken(app, { form })
    expect(await authenticateAccessToken(app, renewed.access_token)).toBeNull()
  })

  it.each<[string, () => string | string[]]>([
    ['the issuer', () => app.config.baseUrl],
    ['the token endpoint', tokenEndpoint],
    ['a list of both', () => [app.config.baseUrl, tokenEndpoint()]],
  ])('is accepted for %s, without client_id in the form', async (_name, aud) => {
    const { client_id: _unsent, ...form } = await approved(DOCUMENT)
    const tokens = await send({ ...form, ...(await assertion(DOCUMENT, rsa, { aud: aud() })) })
    expect(tokens).toHaveProperty('access_token')
  })

  const inSeconds = (seconds: number) => Math.floor(now / 1000) + seconds
  it.each<[string, () => JWTPayload]>([
    ['another issuer', () => ({ iss: 'https://other.example.com' })],
    ['another subject than the client_id', () => ({ sub: 'https://other.example.com/client.json' })],
    ['another audience', () => ({ aud: 'https://other.example.com' })],
    ['ours and another audience', () => ({ aud: [app.config.baseUrl, 'https://other.example.com'] })],
    ['the MCP endpoint as its audience', () => ({ aud: `${app.config.baseUrl}/mcp` })],
    ['no audience', () => ({ aud: undefined })],
    ['no end', () => ({ exp: undefined })],
    ['a past end', () => ({ exp: inSeconds(-31) })],
    ['an end in more than ten minutes', () => ({ exp: inSeconds(632) })],
    ['a beginning in the future', () => ({ nbf: inSeconds(60) })],
    ['no id', () => ({ jti: undefined })],
    ['an empty id', () => ({ jti: '' })],
  ])('with %s is refused with 401, and its code stays valid', async (_name, differing) => {
    const form = await approved(DOCUMENT)
    expect(await refusal({ ...form, ...(await assertion(DOCUMENT, rsa, differing())) })).toMatchObject(REFUSED)
    expect(await refusal({ ...form, ...(await assertion(DOCUMENT)) })).toBe('done')
  })

  it.each<[string, () => Promise<Form> | Form]>([
    ['that is no JWT', () => ({ client_assertion: 'x' })],
    ['that is signed by another key', async () => assertion(DOCUMENT, { ...(await makeClientKey()), kid: rsa.kid })],
    ['without a kid among several keys of its kind', async () => assertion(DOCUMENT, { ...rsa, kid: '' })],
    ['without its type', () => ({ client_assertion_type: '' })],
    ['of another type', () => ({ client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' })],
    ['with a secret', () => ({ client_secret: 'x' })],
  ])('%s is refused with 401', async (_name, differing) => {
    published['/jwks.json'] = { keys: [rsa.jwk, { ...rsa.jwk, kid: 'second' }] }
    const form = { ...(await approved(DOCUMENT)), ...(await assertion(DOCUMENT)), ...(await differing()) }
    expect(await refusal(form)).toMatchObject(REFUSED)
  })

  it.each(['none', 'HS256'])('with the algorithm %s is refused with 401', async alg => {
    const { client_assertion: signed = '', ...fields } = await assertion(DOCUMENT)
    const [, claims, signature] = signed.split('.')
    const header = Buffer.from(JSON.stringify({ alg, kid: rsa.kid })).toString('base64url')
    const form = { ...(await approved(DOCUMENT)), ...fields, client_assertion: `${header}.${claims}.${signature}` }
    expect(await refusal(form)).toMatchObject(REFUSED)
  })

  it('with another algorithm than the registered one is refused with 401', async () => {
    published['/client.json'] = { ...document, token_endpoint_auth_signing_alg: 'RS256' }
    const form = await approved(DOCUMENT)
    expect(await refusal({ ...form, ...(await assertion(DOCUMENT, ec)) })).toMatchObject(REFUSED)
    expect(await refusal({ ...form, ...(await assertion(DOCUMENT, rsa)) })).toBe('done')
  })

  it('beside an Authorization header is refused with invalid_request', async () => {
    const form = { ...(await approved(DOCUMENT)), ...(await assertion(DOCUMENT)) }
    const authorization = `Basic ${btoa(`${encodeURIComponent(DOCUMENT)}:`)}`
    expect(await refusalOf(answerTokenRequest(app, { form, authorization }))).toBe('invalid_request')
  })

  it('is accepted once by all instances, and the log names the client of the second', async () => {
    const signed = await assertion(DOCUMENT)
    const on = [app, beside()]
    for (const each of on) each.memo('guarded-fetch', toServer)
    const forms = await Promise.all([approved(DOCUMENT), approved(DOCUMENT)])
    const outcomes = await Promise.all(forms.map((form, at) => refusal({ ...form, ...signed }, on[at])))
    expect(outcomes).toEqual(
      expect.arrayContaining(['done', { ...REFUSED, description: expect.stringContaining('used before') }]),
    )
    expect(test.lines()).toContainEqual(
      expect.objectContaining({ level: 'warn', client: DOCUMENT, reason: expect.stringContaining('used before') }),
    )
  })

  it('of a client without keys is refused with 401', async () => {
    const clientId = await registered({ token_endpoint_auth_method: 'none' })
    expect(await refusal({ ...(await approved(clientId, false)), ...(await assertion(clientId)) })).toMatchObject(
      REFUSED,
    )
  })

  it('of an unknown client is refused with 401', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', ...(await assertion('unknown')) }
    expect(await refusal(form)).toMatchObject(REFUSED)
  })
})

describe('client without an assertion', () => {
  it.each<[string, () => Promise<string>]>([
    ['registered', () => registered({ jwks_uri: KEYS })],
    ['has a document with', async () => DOCUMENT],
  ])('that %s private_key_jwt alone is refused with 401 everywhere, and its tokens stay valid', async (_way, known) => {
    const clientId = await known()
    const form = await approved(clientId)
    expect(await refusal(form)).toMatchObject(REFUSED)
    const tokens = await send({ ...form, ...(await assertion(clientId)) })
    expect(await refusal(renewal(tokens.refresh_token, clientId))).toMatchObject(REFUSED)
    for (const named of [{ client_id: clientId }, {}] as Form[]) {
      const revoked = revokeToken(app, { form: { token: tokens.refresh_token ?? '', ...named } })
      await expect(revoked).rejects.toMatchObject(REFUSED)
    }
    expect(await authenticateAccessToken(app, tokens.access_token)).not.toBeNull()
    await send({ ...renewal(tokens.refresh_token, clientId), ...(await assertion(clientId)) })
  })

  it('that prefers private_key_jwt and lists none can exchange, renew and revoke without a fetch', async () => {
    published['/client.json'] = { ...document, token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] }
    const { signing } = await findClient(app, DOCUMENT, '203.0.113.7')
    expect(signing).toEqual({ isRequired: false, jwksUri: KEYS })
    requested = []
    const tokens = await send(await approved(DOCUMENT, signing?.isRequired))
    const renewed = await send(renewal(tokens.refresh_token, DOCUMENT))
    await revokeToken(app, { form: { token: renewed.refresh_token ?? '', client_id: DOCUMENT } })
    expect(await authenticateAccessToken(app, renewed.access_token)).toBeNull()
    expect(requested).toEqual([])
  })
})

describe('keys at jwks_uri', () => {
  const signedBy = async (key: ClientKey, on = app) =>
    refusal({ ...(await approved(DOCUMENT)), ...(await assertion(DOCUMENT, key)) }, on)

  it('are fetched once for concurrent requests and cached for five minutes', async () => {
    expect(await Promise.all(Array.from({ length: 5 }, () => signedBy(rsa)))).toEqual(Array(5).fill('done'))
    pass(299)
    await signedBy(ec)
    expect(keysFetched()).toBe(1)
    pass(2)
    await signedBy(ec)
    expect(keysFetched()).toBe(2)
  })

  it('are fetched again for an unknown kid, at most once in half a minute', async () => {
    const next = await makeClientKey()
    await signedBy(rsa)
    published['/jwks.json'] = { keys: [rsa.jwk, next.jwk] }
    expect(await signedBy(next)).toMatchObject(REFUSED)
    expect(keysFetched()).toBe(1)
    pass(31)
    expect(await signedBy(next)).toBe('done')
    for (const _attempt of [1, 2, 3]) expect(await signedBy(await makeClientKey())).toMatchObject(REFUSED)
    expect(keysFetched()).toBe(2)
  })

  it.each<[string, () => unknown]>([
    ['hold a private key', () => ({ keys: [rsa.privateJwk, rsa.jwk] })],
    ['hold a symmetric key', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'x' }, rsa.jwk] })],
    ['are no set of keys', () => [rsa.jwk]],
    ['are longer than 64 KiB', () => ({ keys: [rsa.jwk], more: 'x'.repeat(65_536) })],
    ['are malformed', () => ({ keys: [{ ...rsa.jwk, n: 'x' }] })],
    ['are missing', () => undefined],
  ])('that %s are refused with 401', async (_name, keys) => {
    published['/jwks.json'] = keys()
    expect(await signedBy(rsa)).toMatchObject(REFUSED)
  })

  it('in a private network are refused with 401', async () => {
    const inside = beside()
    const clientId = await registered({ jwks_uri: 'https://keys.example.com/jwks.json' })
    inside.memo('guarded-fetch', () => toServer('10.0.0.1'))
    const form = { ...(await approved(clientId)), ...(await assertion(clientId)) }
    expect(await refusal(form, inside)).toMatchObject({
      ...REFUSED,
      description: expect.stringContaining('not in the public network'),
    })
    expect(requested).toEqual([])
  })

  it('that cannot be fetched are replaced by the last good ones for a day, and then cause 503', async () => {
    await signedBy(rsa)
    published['/jwks.json'] = 503
    pass(301)
    expect(await signedBy(rsa)).toBe('done')
    pass(24 * 60 * 60)
    expect(await signedBy(rsa)).toMatchObject({ error: 'temporarily_unavailable', status: 503 })
  })

  it('cause 503 while the document of the client cannot be fetched', async () => {
    published['/client.json'] = 503
    expect(await signedBy(rsa)).toMatchObject({ error: 'temporarily_unavailable', status: 503 })
  })
})

describe('document of a client', () => {
  const described = async (differing: Record<string, unknown>) => {
    published['/client.json'] = { ...document, ...differing }
    return (await findClient(app, DOCUMENT, '203.0.113.7')).signing
  }
  it.each<[string, () => Record<string, unknown>, () => unknown]>([
    ['private_key_jwt alone', () => ({}), () => ({ isRequired: true, jwksUri: KEYS })],
    [
      'its algorithm and its keys',
      () => ({ token_endpoint_auth_signing_alg: 'ES256', jwks_uri: null, jwks: { keys: [ec.jwk] } }),
      () => ({ isRequired: true, alg: 'ES256', jwks: { keys: [ec.jwk] } }),
    ],
    [
      'both methods and no preference',
      () => ({
        token_endpoint_auth_method: undefined,
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      }),
      () => ({ isRequired: false, jwksUri: KEYS }),
    ],
    ['none and keys', () => ({ token_endpoint_auth_method: 'none' }), () => undefined],
    [
      'none beside an algorithm that is not possible',
      () => ({
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg: 'PS256',
      }),
      () => undefined,
    ],
    [
      'none beside mutual TLS',
      () => ({
        token_endpoint_auth_method: 'tls_client_auth',
        token_endpoint_auth_methods_supported: ['tls_client_auth', 'none'],
      }),
      () => undefined,
    ],
  ])('may name %s', async (_name, differing, expected) => {
    expect(await described(differing())).toEqual(expected())
  })

  it.each<[string, () => Record<string, unknown>]>([
    ['private_key_jwt without keys', () => ({ jwks_uri: undefined })],
    ['private_key_jwt with an empty set of keys', () => ({ jwks_uri: undefined, jwks: { keys: [] } })],
    ['jwks beside jwks_uri', () => ({ jwks: { keys: [rsa.jwk] } })],
    ['keys at an http address', () => ({ jwks_uri: `http://${HOST}/jwks.json` })],
    ['a private key', () => ({ jwks_uri: undefined, jwks: { keys: [rsa.privateJwk] } })],
    ['a symmetric key', () => ({ jwks_uri: undefined, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } })],
    ['an unknown algorithm', () => ({ token_endpoint_auth_signing_alg: 'HS256' })],
  ])('that names %s is refused', async (_name, differing) => {
    await expect(described(differing())).rejects.toMatchObject({ error: 'invalid_client' })
  })
})
