import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { GRANTS_PATH, ORG_GRANTS_PATH } from '#fairway/shared/paths'
import type { Scope } from '#fairway/shared/scopes'
import { makeClientKey } from '../../../support/client-assertion'
import { raw, sessionOf } from '../../../support/http'
import { approve, CLIENT_ID, instanceBeside, postForm, REDIRECT_URI, renewal } from '../../../support/oauth-grant'
import { registeredClient } from '../../../support/oauth-host'
import { query } from '../../../support/query'
import { borrowServer, type TestServer } from '../../../support/server'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let beside: App

beforeAll(async () => {
  // A rule can require only a configured provider.
  server = await borrowServer({ env: { GOOGLE_CLIENT_ID: 'client', GOOGLE_CLIENT_SECRET: 'secret' } })
  world = createTeamWorld(server)
  beside = await instanceBeside(server)
})
afterAll(async () => {
  await beside.db.close()
  await server.stop()
})

const tokenUrl = () => `${server.origin}/mcp/oauth/token`
const revokeUrl = () => `${server.origin}/mcp/oauth/revoke`
const token = (form: Record<string, string> | string, headers?: Record<string, string>) =>
  postForm(tokenUrl(), form, headers)

async function approvedBy(person: TeamPerson, scope?: readonly Scope[]) {
  return approve(beside, await sessionOf(person.browser), { scope })
}

async function connected(person: TeamPerson, scope?: readonly Scope[]) {
  const answer = await token(await approvedBy(person, scope))
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.json()
}

const isLive = async (accessToken: string) => (await authenticateAccessToken(beside, accessToken)) !== null
const listOf = async (person: TeamPerson, path = GRANTS_PATH) => (await (await person.browser.get(path)).json()).grants

async function expectOAuthError(answer: Response, status: number, error: string) {
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  const body = await answer.json()
  expect([answer.status, body.error], JSON.stringify(body)).toEqual([status, error])
  expect(Object.keys(body).toSorted()).toEqual(['error', 'error_description'])
}

describe('OAuth metadata documents', () => {
  it('are discovered by a client library and name the supported endpoints and scopes', async () => {
    const base = new URL(server.origin)
    const resource = new URL(`${server.origin}/mcp`)
    const options = { [oauth.allowInsecureRequests]: true }
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, options),
    )
    expect(found).toEqual({
      resource: resource.href,
      authorization_servers: [server.origin],
      scopes_supported: ['mcp:read', 'mcp:write', 'mcp:apps'],
      bearer_methods_supported: ['header'],
      resource_name: expect.any(String),
    })
    const answer = await fetch(`${server.origin}/.well-known/oauth-authorization-server`)
    const metadata = await oauth.processDiscoveryResponse(base, answer).catch(error => error)
    expect(metadata).toMatchObject({
      issuer: server.origin,
      authorization_endpoint: `${server.origin}/mcp/oauth/authorize`,
      token_endpoint: tokenUrl(),
      registration_endpoint: `${server.origin}/mcp/oauth/register`,
      revocation_endpoint: revokeUrl(),
      jwks_uri: `${server.origin}/mcp/oauth/jwks`,
      scopes_supported: ['mcp:read', 'mcp:write', 'mcp:apps', 'offline_access'],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      device_authorization_endpoint: `${server.origin}/mcp/oauth/device`,
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        'urn:ietf:params:oauth:grant-type:device_code',
        'client_credentials',
      ],
      authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt', 'client_secret_basic', 'client_secret_post'],
      token_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      revocation_endpoint_auth_methods_supported: [
        'none',
        'private_key_jwt',
        'client_secret_basic',
        'client_secret_post',
      ],
      revocation_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
    })
  })

  it.each([
    ['on', true],
    ['off', false],
  ])('report support for client metadata documents when the setting is %s: %s', async (setting, expected) => {
    const other = await borrowServer({ env: { FW_CLIENT_DOCUMENTS: setting } })
    for (const path of ['', '/mcp']) {
      const answer = await fetch(`${other.origin}/.well-known/oauth-authorization-server${path}`)
      expect((await answer.json()).client_id_metadata_document_supported).toBe(expected)
    }
    await other.stop()
  })

  it.each(['oauth-protected-resource', 'oauth-authorization-server'])(
    '%s is the same at the root and for /mcp, is cacheable and ignores host headers',
    async name => {
      const lies = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
      const [root, suffixed, lied] = await Promise.all([
        fetch(`${server.origin}/.well-known/${name}`),
        fetch(`${server.origin}/.well-known/${name}/mcp`),
        fetch(`${server.origin}/.well-known/${name}/mcp`, { headers: lies }),
      ])
      expect(root.headers.get('cache-control')).toBe('public, max-age=300')
      expect(root.headers.get('content-type')).toMatch('application/json')
      const text = await root.text()
      expect(await suffixed.text()).toBe(text)
      expect(await lied.text()).toBe(text)
      expect(text).not.toContain('evil')
    },
  )

  it.each([
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/mcp',
    '/.well-known/oauth-authorization-server/mcp/',
    '/.well-known/oauth-protected-resource/other',
    '/.well-known/nothing',
    '/mcp/.well-known/openid-configuration',
    '/mcp/.well-known/oauth-authorization-server',
    '/mcp/oauth/nothing',
  ])('%s returns JSON, and 404 when the path is unknown, even to a browser', async path => {
    const answer = await fetch(server.origin + path, { headers: { accept: 'text/html' } })
    const isKnown = path.endsWith('/mcp/')
    expect(answer.status).toBe(isKnown ? 200 : 404)
    expect(answer.headers.get('content-type')).toMatch(/json/)
  })
})

describe('CORS for the OAuth endpoints', () => {
  it.each([
    ['/.well-known/oauth-protected-resource', 'GET'],
    ['/.well-known/oauth-protected-resource/mcp', 'GET'],
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/oauth-authorization-server/mcp', 'GET'],
    ['/mcp/oauth/jwks', 'GET'],
    ['/mcp/oauth/register', 'POST'],
    ['/mcp/oauth/token', 'POST'],
    ['/mcp/oauth/revoke', 'POST'],
    ['/mcp/oauth/device', 'POST'],
  ])('allows %s after a preflight, without cookies', async (path, method) => {
    const headers = { origin: 'https://inspector.example', 'access-control-request-method': method }
    const answer = await fetch(server.origin + path, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain(method)
    expect(answer.headers.get('access-control-allow-headers')).toContain('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it.each(['/mcp/oauth/authorize', '/_fw/grants', '/_fw/session'])('does not allow %s', async path => {
    const headers = { origin: 'https://inspector.example' }
    const answer = await fetch(server.origin + path, { headers, redirect: 'manual' })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('OAuth token endpoint', () => {
  it('issues and renews tokens for a client library, with a key set that verifies them', async () => {
    const form = await approvedBy(await world.person())
    const server_ = { issuer: server.origin, token_endpoint: tokenUrl(), jwks_uri: `${server.origin}/mcp/oauth/jwks` }
    const client = { client_id: CLIENT_ID }
    const options = { [oauth.allowInsecureRequests]: true }
    const back = oauth.validateAuthResponse(
      server_,
      client,
      new URLSearchParams({ code: form.code, state: 's', iss: server.origin }),
      's',
    )
    const answer = await oauth.authorizationCodeGrantRequest(
      server_,
      client,
      oauth.None(),
      back,
      REDIRECT_URI,
      form.code_verifier,
      options,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const tokens = await oauth.processAuthorizationCodeResponse(server_, client, answer)
    const renewed = await oauth.processRefreshTokenResponse(
      server_,
      client,
      await oauth.refreshTokenGrantRequest(server_, client, oauth.None(), tokens.refresh_token ?? '', options),
    )
    const request = new Request(`${server.origin}/mcp`, {
      headers: { authorization: `Bearer ${renewed.access_token}` },
    })
    const claims = await oauth.validateJwtAccessToken(server_, request, `${server.origin}/mcp`, options)
    expect(claims).toMatchObject({ client_id: CLIENT_ID, scope: 'mcp:read mcp:write offline_access' })
  })

  it.each(['RS256', 'ES256', 'Ed25519'])(
    'authenticates a client library that registered a key and signs with %s, also for revocation',
    async alg => {
      const { jwk, kid, privateKey } = await makeClientKey(alg)
      const jwks = { keys: [jwk] }
      const clientId = await registeredClient(server.origin, { token_endpoint_auth_method: 'private_key_jwt', jwks })
      const form = await approve(beside, await sessionOf((await world.person()).browser), { clientId, mustSign: true })
      const server_ = { issuer: server.origin, token_endpoint: tokenUrl(), revocation_endpoint: revokeUrl() }
      const client = { client_id: clientId }
      const proof = oauth.PrivateKeyJwt({ key: privateKey, kid })
      const options = { [oauth.allowInsecureRequests]: true }
      const query = new URLSearchParams({ code: form.code })
      const back = oauth.validateAuthResponse(server_, client, query, oauth.expectNoState)
      const exchange = [back, REDIRECT_URI, form.code_verifier, options] as const
      const unsigned = await oauth.authorizationCodeGrantRequest(server_, client, oauth.None(), ...exchange)
      await expectOAuthError(unsigned, 401, 'invalid_client')
      const answer = await oauth.authorizationCodeGrantRequest(server_, client, proof, ...exchange)
      const tokens = await oauth.processAuthorizationCodeResponse(server_, client, answer)
      const refreshToken = tokens.refresh_token ?? ''
      const renewed = await oauth.processRefreshTokenResponse(
        server_,
        client,
        await oauth.refreshTokenGrantRequest(server_, client, proof, refreshToken, options),
      )
      const revoke = (by: oauth.ClientAuth) =>
        oauth.revocationRequest(server_, client, by, renewed.access_token, options)
      await expectOAuthError(await revoke(oauth.None()), 401, 'invalid_client')
      expect(await isLive(renewed.access_token)).toBe(true)
      await oauth.processRevocationResponse(await revoke(proof))
      expect(await isLive(renewed.access_token)).toBe(false)
    },
  )

  it('accepts only POST forms of up to 64 KiB that contain each field once', async () => {
    const form = await approvedBy(await world.person())
    const text = new URLSearchParams(form).toString()
    const json = { 'content-type': 'application/json' }
    await expectOAuthError(await token(JSON.stringify(form), json), 415, 'invalid_request')
    await expectOAuthError(await token(`${text}&x=${'x'.repeat(70_000)}`), 413, 'invalid_request')
    for (const twice of ['code=a', 'grant_type=authorization_code', 'resource=a&resource=b', 'unknown=1&unknown=2'])
      await expectOAuthError(await token(`${text}&${twice}`), 400, 'invalid_request')
    const get = await fetch(`${tokenUrl()}?${text}`)
    expect(get.headers.get('allow')).toBe('POST')
    await expectOAuthError(get, 405, 'invalid_request')
    expect((await token(`${text}&unknown=1`)).status).toBe(200)
  })
  it('returns an error below 500 for any malformed field', async () => {
    const values = ['', ' ', '\0', '%', "'", 'é', '[]', 'x'.repeat(2049), '💥', '__proto__', 'null', '\u{10FFFF}']
    const names = [
      'grant_type',
      'client_id',
      'code',
      'redirect_uri',
      'code_verifier',
      'refresh_token',
      'scope',
      'resource',
      'client_assertion',
      'client_assertion_type',
      '__proto__',
    ]
    const bases: Record<string, string>[] = [
      { grant_type: 'authorization_code', client_id: 'a', code: 'b', redirect_uri: 'c', code_verifier: 'd'.repeat(43) },
      { grant_type: 'refresh_token', client_id: 'a', refresh_token: 'b' },
    ]
    for (const base of bases) {
      for (const name of names) {
        for (const value of values) {
          const answer = await token(new URLSearchParams(Object.entries({ ...base, [name]: value })).toString())
          expect(answer.status, `${name}=${value}`).toBeLessThan(500)
          expect(typeof (await answer.json()).error).toBe('string')
        }
      }
    }
    const broken = await raw(
      server.origin,
      'POST /mcp/oauth/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5\r\n\r\n%%%=%',
    )
    expect(broken).toMatch(/^HTTP\/1\.1 400/)
  })

  it('returns 429 with Retry-After to a network after 60 revocation requests', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    try {
      const url = `${limited.origin}/mcp/oauth/revoke`
      const answers = await Promise.all(Array.from({ length: 61 }, () => postForm(url, { token: 'x' })))
      const refused = answers.filter(answer => answer.status !== 200)
      expect(refused).toHaveLength(1)
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
      await expectOAuthError(refused[0]!, 429, 'temporarily_unavailable')
    } finally {
      await limited.stop()
    }
  })
})

describe('POST /mcp/oauth/revoke', () => {
  it.each(['refresh_token', 'access_token'])('ends the connection when its %s is revoked', async kind => {
    const tokens = await connected(await world.person())
    const answer = await postForm(revokeUrl(), {
      token: tokens[kind],
      client_id: CLIENT_ID,
      token_type_hint: 'nonsense',
    })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await isLive(tokens.access_token)).toBe(false)
    await expectOAuthError(await token(renewal(tokens.refresh_token)), 400, 'invalid_grant')
    expect((await postForm(revokeUrl(), { token: tokens[kind] })).status).toBe(200)
  })
})

describe('connected apps', () => {
  it('are listed with their permissions and without tokens', async () => {
    const person = await world.person()
    await approvedBy(person)
    expect(await listOf(person)).toEqual([])
    const tokens = await connected(person, ['mcp:read', 'offline_access'])
    const { orgId, orgName } = await sessionOf(person.browser)
    const [grant, ...others] = await listOf(person)
    expect(others).toEqual([])
    expect(grant).toEqual({
      id: expect.any(String),
      clientId: CLIENT_ID,
      clientName: 'Host',
      clientHost: 'host.example.com',
      isToken: false,
      tokenEnd: null,
      // Only a grant that may delete has something to ask.
      asksFirst: null,
      orgId,
      orgName,
      scopes: [
        { scope: 'mcp:read', description: expect.any(String) },
        { scope: 'offline_access', description: expect.any(String) },
      ],
      mayDelete: true,
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      usedAt: { read: null, write: null, delete: null, operate: null },
      unused: [],
      isIdle: true,
    })
    expect(JSON.stringify(grant)).not.toContain(tokens.refresh_token)
  })

  it('can be ended once and only by their owner, and access ends on the next call', async () => {
    const person = await world.person()
    const other = await world.person()
    const tokens = await connected(person)
    const [{ id }] = await listOf(person)
    const end = (who: TeamPerson) => who.browser.request(`${GRANTS_PATH}/${id}`, { method: 'DELETE' })
    expect((await end(other)).status).toBe(404)
    expect(await isLive(tokens.access_token)).toBe(true)
    expect((await end(person)).status).toBe(204)
    expect(await isLive(tokens.access_token)).toBe(false)
    expect((await end(person)).status).toBe(404)
    expect(await listOf(person)).toEqual([])
  })

  it('can be listed and ended by the admins of a member’s organization', async () => {
    const { owner, member } = await world.team()
    const stranger = await world.person()
    const tokens = await connected(member)
    const [grant] = await listOf(owner, ORG_GRANTS_PATH)
    expect(grant).toMatchObject({ clientName: 'Host', email: member.email, userId: member.userId })
    expect((await member.browser.get(ORG_GRANTS_PATH)).status).toBe(403)
    expect(await listOf(stranger, ORG_GRANTS_PATH)).toEqual([])
    const end = (who: TeamPerson) => who.browser.request(`${ORG_GRANTS_PATH}/${grant.id}`, { method: 'DELETE' })
    expect([(await end(stranger)).status, (await end(member)).status]).toEqual([404, 403])
    expect(await isLive(tokens.access_token)).toBe(true)
    expect((await end(owner)).status).toBe(204)
    expect(await isLive(tokens.access_token)).toBe(false)
  })

  it('lose unused permissions by their owner, or by the admins of the organization, with an audit row', async () => {
    const { owner, admin, member } = await world.team()
    const stranger = await world.person()
    await connected(member)
    const [{ id }] = await listOf(member)
    const narrow = async (who: TeamPerson, path: string, parts: readonly string[]) =>
      (await who.browser.post(`${path}/${id}/narrow`, { json: { parts } })).status
    const actionsFor = async (who: TeamPerson, path: string) => (await who.browser.get(`${path}/${id}/actions`)).status
    for (const [who, path, refused] of [
      [stranger, GRANTS_PATH, 404],
      [stranger, ORG_GRANTS_PATH, 404],
      [owner, GRANTS_PATH, 404],
      [member, ORG_GRANTS_PATH, 403],
    ] as const)
      expect([await narrow(who, path, ['mcp:write']), await actionsFor(who, path)]).toEqual([refused, refused])
    expect(await narrow(member, GRANTS_PATH, ['mcp:read'])).toBe(400)
    expect([
      await narrow(admin, ORG_GRANTS_PATH, ['delete']),
      await narrow(member, GRANTS_PATH, ['mcp:write']),
    ]).toEqual([204, 204])
    expect([await actionsFor(admin, ORG_GRANTS_PATH), await actionsFor(member, GRANTS_PATH)]).toEqual([200, 200])
    const [left] = await listOf(member)
    expect([left.scopes.map(({ scope }: { scope: string }) => scope), left.unused]).toEqual([
      ['mcp:read', 'offline_access'],
      [],
    ])
    const rows = await query(
      server,
      `select action, outcome, json_extract(input, '$.parts[0]') as part from audit_log
        where action in ('narrow-grant', 'narrow-own-grant') and outcome = 'ok' and json_extract(input, '$.id') = ? order by at`,
      [id],
    )
    expect(rows).toEqual([
      { action: 'narrow-grant', outcome: 'ok', part: 'delete' },
      { action: 'narrow-own-grant', outcome: 'ok', part: 'mcp:write' },
    ])
  })

  it('end when the member leaves, a sign-in rule is set or the organization is deleted, without affecting others', async () => {
    const { owner, admin, member } = await world.team()
    const [ofOwner, ofAdmin, ofMember] = [await connected(owner), await connected(admin), await connected(member)]
    const elsewhere = await world.person()
    const other = await connected(elsewhere)
    expect((await member.browser.post('/_fw/org/leave')).status).toBe(200)
    expect([await isLive(ofMember.access_token), await isLive(ofAdmin.access_token)]).toEqual([false, true])
    const put = (query = '') =>
      owner.browser.request(`/_fw/org/auth-provider${query}`, {
        method: 'PUT',
        json: { provider: 'google', confirm: true },
      })
    expect(await (await put('?dryRun=true')).json()).toMatchObject({ revokedGrants: 2 })
    expect(await isLive(ofOwner.access_token)).toBe(true)
    expect(await (await put()).json()).toMatchObject({ revokedGrants: 2 })
    expect([await isLive(ofOwner.access_token), await isLive(ofAdmin.access_token)]).toEqual([false, false])
    await expectOAuthError(await token(renewal(ofAdmin.refresh_token)), 400, 'invalid_grant')
    expect(await isLive(other.access_token)).toBe(true)
    const { orgName } = await sessionOf(elsewhere.browser)
    const gone = await elsewhere.browser.request('/_fw/org', { method: 'DELETE', json: { name: orgName } })
    expect(gone.status).toBe(200)
    expect(await isLive(other.access_token)).toBe(false)
    const [closed] = (await (await elsewhere.browser.get('/_fw/org')).json()).deleted
    expect((await elsewhere.browser.post('/_fw/org/restore', { json: { orgId: closed.id } })).status).toBe(200)
    expect(await isLive(other.access_token)).toBe(false)
  })
})

describe('stored OAuth data', () => {
  it('contains no plain code, token or verifier in the database or the log', async () => {
    const form = await approvedBy(await world.person())
    const first = await (await token(form)).json()
    const second = await (await token(renewal(first.refresh_token))).json()
    await token(renewal(first.refresh_token))
    await token(form)
    const bytes = ['fairway.db', 'fairway.db-wal'].map(name => readFileSync(join(server.dataDir, name)))
    const secrets = [
      form.code,
      form.code_verifier,
      first.access_token,
      first.refresh_token,
      second.access_token,
      second.refresh_token,
    ]
    for (const secret of secrets) {
      for (const file of bytes) expect(file.includes(secret)).toBe(false)
      expect(server.log()).not.toContain(secret)
    }
    // Proves that the search can find a value.
    expect(bytes.some(file => file.includes(CLIENT_ID))).toBe(true)
  })
})
