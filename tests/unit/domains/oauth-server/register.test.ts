import { describe, expect, it } from 'vitest'
import { type ClientKey, makeClientKey } from '../../../support/client-assertion'
import { raw } from '../../../support/http'
import { register, registeredClient, WEB_REDIRECT } from '../../../support/oauth-host'
import { query } from '../../../support/query'
import { borrowServer } from '../../../support/server'
import { useServer } from '../../../support/use-server'

const server = useServer()

const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(`${server.origin}/mcp/oauth/register`, { method: 'POST', headers, body })

describe('POST /mcp/oauth/register', () => {
  it('returns the registered metadata without a secret and with Cache-Control no-store', async () => {
    const began = Math.floor(Date.now() / 1000)
    const answer = await register(server.origin, {
      client_name: 'Test host',
      client_uri: 'https://host.example.com/about',
      redirect_uris: [WEB_REDIRECT, 'http://localhost:3000/cb?x=1'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: ['code'],
      scope: 'openid mcp:read offline_access',
      software_id: 'x',
      logo_uri: 'javascript:alert(1)',
    })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const body = await answer.json()
    expect(body).toEqual({
      client_id: expect.stringMatching(/^[\da-f-]{36}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Test host',
      client_uri: 'https://host.example.com/about',
      redirect_uris: [WEB_REDIRECT, 'http://localhost:3000/cb?x=1'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'mcp:read offline_access',
    })
    expect(body.client_id_issued_at).toBeGreaterThanOrEqual(began)
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['needs nothing but an address', {}, { application_type: 'web', token_endpoint_auth_method: 'none' }],
    ['takes null for what is not said', { client_name: null, scope: null, grant_types: null }, {}],
    ['takes 127.0.0.1', { redirect_uris: ['http://127.0.0.1/cb'] }, { application_type: 'native' }],
    ['takes IPv6', { redirect_uris: ['http://[::1]:3000/cb'] }, { application_type: 'native' }],
    ['takes localhost', { redirect_uris: ['http://localhost/cb'] }, { application_type: 'native' }],
    ['takes an app of its own kind', { redirect_uris: ['cursor://x/cb'] }, { application_type: 'native' }],
    ['takes 20 addresses', { redirect_uris: Array.from({ length: 20 }, (_, n) => `https://a.example/${n}`) }, {}],
    ['keeps a type that was named', { application_type: 'native' }, { application_type: 'native' }],
    [
      'may be a web application on this computer',
      { application_type: 'web', redirect_uris: ['http://localhost/'] },
      { application_type: 'web' },
    ],
    ['ignores a page that is none', { client_uri: 'javascript:alert(1)' }, { client_uri: undefined }],
    ['ignores a page that is no text', { client_uri: 7 }, { client_uri: undefined }],
    ['cleans its name', { client_name: ' A\u0007\u202e\nb\u200b  c ' }, { client_name: 'A b c' }],
    ['shortens its name', { client_name: 'é'.repeat(500) }, { client_name: 'é'.repeat(120) }],
    ['has no name when nothing is left of it', { client_name: '\u202e\u0007' }, { client_name: undefined }],
  ])('%s', async (_what, metadata, expected) => {
    const answer = await register(server.origin, { redirect_uris: [WEB_REDIRECT], ...metadata })
    const body = await answer.json()
    expect(answer.status, JSON.stringify(body)).toBe(201)
    for (const [name, value] of Object.entries(expected)) expect(body[name]).toEqual(value)
  })

  it.each(['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'something'])(
    'registers a client that requests %s without keys as a public client without a secret',
    async method => {
      const metadata = { redirect_uris: [WEB_REDIRECT], token_endpoint_auth_method: method }
      const answer = await register(server.origin, metadata)
      const body = await answer.json()
      expect([answer.status, body.token_endpoint_auth_method]).toEqual([201, 'none'])
      expect(body).not.toHaveProperty('client_secret')
    },
  )

  it.each<[string, (key: ClientKey) => Record<string, unknown>]>([
    ['its keys', ({ jwk }) => ({ jwks: { keys: [jwk] } })],
    ['the address of its keys', () => ({ jwks_uri: 'https://host.example.com/jwks.json' })],
    ['an algorithm', ({ jwk }) => ({ jwks: { keys: [jwk] }, token_endpoint_auth_signing_alg: 'ES256' })],
  ])('registers a client that requests private_key_jwt with %s, and returns what it registered', async (_what, own) => {
    const sent = { token_endpoint_auth_method: 'private_key_jwt', ...own(await makeClientKey('ES256')) }
    const answer = await register(server.origin, { redirect_uris: [WEB_REDIRECT], ...sent })
    const body = await answer.json()
    expect([answer.status, body]).toEqual([201, expect.objectContaining(sent)])
    const again = await register(server.origin, { redirect_uris: [WEB_REDIRECT], ...sent })
    expect((await again.json()).client_id).toBe(body.client_id)
    const other = { ...sent, jwks: undefined, jwks_uri: 'https://other.example.com/jwks.json' }
    const another = await register(server.origin, { redirect_uris: [WEB_REDIRECT], ...other })
    expect((await another.json()).client_id).not.toBe(body.client_id)
  })

  it('refuses private and symmetric keys with 400 and stores nothing of them', async () => {
    const { jwk, privateJwk } = await makeClientKey('ES256')
    for (const keys of [[privateJwk], [jwk, privateJwk], [{ kty: 'oct', k: 'c2VjcmV0' }]]) {
      for (const method of ['private_key_jwt', 'none']) {
        const metadata = { redirect_uris: [WEB_REDIRECT], token_endpoint_auth_method: method, jwks: { keys } }
        const answer = await register(server.origin, metadata)
        const { error, error_description: description } = await answer.json()
        expect([answer.status, error]).toEqual([400, 'invalid_client_metadata'])
        expect(description).toContain('public keys')
      }
    }
    const { d = '' } = privateJwk
    expect(await query(server, 'select id from oauth_clients where instr(signing, ?)', [d])).toEqual([])
  })

  it.each<[string, unknown, string[]]>([
    ['none', undefined, ['authorization_code']],
    ['both', ['refresh_token', 'authorization_code'], ['authorization_code', 'refresh_token']],
  ])('returns the supported grant types when a client names %s of them', async (_which, types, expected) => {
    const answer = await register(server.origin, { redirect_uris: [WEB_REDIRECT], grant_types: types })
    expect((await answer.json()).grant_types).toEqual(expected)
  })

  it.each<[string, Record<string, unknown>]>([
    ['invalid_redirect_uri', { redirect_uris: [`${WEB_REDIRECT}#x`] }],
    ['invalid_client_metadata', { redirect_uris: [WEB_REDIRECT], application_type: 'service' }],
  ])('returns 400 %s with the change to make', async (error, metadata) => {
    const answer = await register(server.origin, metadata)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error, error_description: expect.any(String) })
  })

  it('returns 400 for a text with NUL and names its field', async () => {
    const answer = await register(server.origin, { redirect_uris: [WEB_REDIRECT], client_name: 'A\u0000b' })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'client_name: Remove the characters that cannot be stored.',
      },
    ])
  })

  it.each<[string, string, Record<string, string>, number]>([
    ['broken JSON', '{', { 'content-type': 'application/json' }, 400],
    ['a list', '[]', { 'content-type': 'application/json' }, 400],
    ['another media type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a form', 'redirect_uris=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['more than 64 KiB', `"${'x'.repeat(64 * 1024)}"`, { 'content-type': 'application/json' }, 413],
  ])('rejects a body that is %s', async (_what, body, headers, status) => {
    const answer = await post(body, headers)
    expect([answer.status, Object.keys(await answer.json())]).toEqual([status, ['error', 'error_description']])
  })

  it('returns 405 with Allow for GET, PUT and DELETE', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await fetch(`${server.origin}/mcp/oauth/register`, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('returns 413 for an endless chunked body', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const head = `POST /mcp/oauth/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(await raw(server.origin, head + chunk.repeat(2))).toContain(' 413 ')
  })
})

describe('repeated client registration', () => {
  const metadata = { client_name: 'The same', redirect_uris: ['http://127.0.0.1:51234/callback'] }
  const answerTo = async (differing: Record<string, unknown> = {}) => {
    const answer = await register(server.origin, { ...metadata, ...differing })
    expect(answer.status).toBe(201)
    return answer.json()
  }

  it('returns the same client within a day, even with another loopback port', async () => {
    const first = await answerTo()
    expect(await answerTo()).toEqual(first)
    const redirects = ['http://127.0.0.1:51235/callback']
    expect(await answerTo({ redirect_uris: redirects })).toEqual({ ...first, redirect_uris: redirects })
    expect(await query(server, 'select id from oauth_clients where id = ?', [first.client_id])).toHaveLength(1)
  })

  it.each<[string, Record<string, unknown>]>([
    ['name', { client_name: 'Another' }],
    ['path', { redirect_uris: ['http://127.0.0.1:51234/other'] }],
    ['loopback name', { redirect_uris: ['http://localhost:51234/callback'] }],
    ['list of addresses', { redirect_uris: [...metadata.redirect_uris, WEB_REDIRECT] }],
    ['port of a web application', { application_type: 'web', redirect_uris: ['http://127.0.0.1:1234/callback'] }],
    ['grant type', { grant_types: ['authorization_code', 'refresh_token'] }],
    ['page', { client_uri: 'https://host.example.com/about' }],
    ['scope', { scope: 'mcp:read' }],
  ])('creates another client when the %s differs', async (_what, differing) => {
    const web = differing.application_type ? { ...metadata, application_type: 'web' } : metadata
    expect((await answerTo(differing)).client_id).not.toBe((await answerTo(web)).client_id)
  })

  it('creates another client after a day and for another network', async () => {
    const { client_id: first } = await answerTo({ client_name: 'For a day' })
    await query(server, 'update oauth_clients set created_at = ? where id = ?', [Date.now() - 25 * 3_600_000, first])
    expect((await answerTo({ client_name: 'For a day' })).client_id).not.toBe(first)
    const behindProxy = await borrowServer({ env: { FW_TRUSTED_PROXIES: '127.0.0.1,::1' } })
    const from = async (address: string) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
      const body = JSON.stringify(metadata)
      const answer = await fetch(`${behindProxy.origin}/mcp/oauth/register`, { method: 'POST', headers, body })
      return (await answer.json()).client_id
    }
    const here = await from('203.0.113.7')
    expect(await from('203.0.113.7')).toBe(here)
    expect(await from('203.0.113.8')).not.toBe(here)
    await behindProxy.stop()
  })
})

describe('registered clients', () => {
  const DAY = 24 * 60 * 60 * 1000

  it('deletes unused clients first when there are 10,000, and never clients in use', async () => {
    const now = Date.now()
    await query(server, 'delete from oauth_clients')
    await query(
      server,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
        insert into oauth_clients (id, redirect_uris, application_type, created_at, last_used_at)
        select 'c' || i, '[]', 'web', ? + i, case when i = 1 then 1 end from n`,
      [now - DAY],
    )
    await query(
      server,
      `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, expires_at)
        values ('g2', 'c2', 'x', 'u', 'a@example.test', 'o', 'mcp:read', 'r', ?, ?)`,
      [now, now + DAY],
    )
    const id = await registeredClient(server.origin)
    const left = await query(
      server,
      `select id from oauth_clients where id in ('c1', 'c2', 'c3', 'c4', ?) order by id`,
      [id],
    )
    expect(left.map(row => row.id).toSorted()).toEqual(['c1', 'c2', 'c4', id].toSorted())
  })
})

describe('rate limits for OAuth clients', () => {
  it('allows 60 new registrations per network and hour, then returns 429 with Retry-After', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const named = (name: string) => register(limited.origin, { client_name: name, redirect_uris: [WEB_REDIRECT] })
    // A client that is already registered does not count again, even when it registers many times at once.
    const known = await Promise.all(Array.from({ length: 20 }, () => named('Host 0')))
    const answers = await Promise.all(Array.from({ length: 61 }, (_, at) => named(`Host ${at}`)))
    const refused = answers.filter(answer => answer.status !== 201)
    expect(refused.map(answer => answer.status)).toEqual([429])
    expect([...known, await named('Host 0')].map(answer => answer.status)).toEqual(Array(21).fill(201))
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused[0]?.json()).toMatchObject({ error: 'temporarily_unavailable' })
    await limited.stop()
  })

  it('allows 300 registration requests per network and hour, including for known clients', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const ask = () => register(limited.origin, { redirect_uris: [WEB_REDIRECT] })
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 30 }, ask))
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]))
    }
    expect((await ask()).status).toBe(429)
    await limited.stop()
  })

  it('allows 120 authorization requests per network and minute, then shows a 429 page', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const open = () => fetch(`${limited.origin}/mcp/oauth/authorize`, { headers: { accept: 'text/html' } })
    for (let at = 0; at < 120; at++) expect((await open()).status).toBe(400)
    const refused = await open()
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    await limited.stop()
  })
})
