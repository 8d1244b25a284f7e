import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  disconnect,
  endConnection,
  getAccessToken,
  listConnections,
  startConnection,
} from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'
import { aMember } from '../../../support/members'
import { createIssuer, type Misbehaviour } from '../../../support/provider'
import { query } from '../../../support/query'

const corp = { clientId: 'corp-client', clientSecret: 'corp-secret' }
const env = {
  FW_BASE_URL: 'https://app.example.test',
  FW_OIDC_PROVIDERS: JSON.stringify([{ id: 'corp', name: 'Corp', issuer: 'https://corp.test', ...corp }]),
  FW_RATE_LIMITS: 'off',
}
const visitor = { clientAddress: '192.0.2.1', requestId: 'request-1' }
const person = { sub: 'sub-1', email: 'ada@corp.test' }

const test = useTestApp(env)
let app: App
let ada: Session
let issuer: ReturnType<typeof createIssuer>

beforeEach(async () => {
  issuer = createIssuer('https://corp.test', corp)
  app = { ...test.app, fetch: (input, init) => issuer.handle(new Request(input, init)) }
  ada = await aMember(app)
})

const start = async () => {
  const {
    url,
    setCookies: [setCookie = ''],
  } = await startConnection(app, { userId: ada.userId, provider: 'corp' })
  return { url, cookieHeader: setCookie.split(';', 1)[0], setCookie }
}

async function connect(wrong: Misbehaviour = {}) {
  const { url, cookieHeader } = await start()
  const query = issuer.approve(url, person, wrong)
  return endConnection(app, { userId: ada.userId, query, cookieHeader, ...visitor })
}

const eventKinds = async () => (await query(app, 'select kind from security_events order by id')).map(row => row.kind)

const errorOf = (location: string) => new URL(location, 'https://app.example.test').searchParams.get('error')

describe('authorization request of a connection', () => {
  it('contains state, S256 challenge and nonce, and no secrets', async () => {
    const { url, setCookie } = await start()
    const query = Object.fromEntries(new URL(url).searchParams)
    expect(query).toEqual({
      client_id: 'corp-client',
      redirect_uri: 'https://app.example.test/callback',
      response_type: 'code',
      scope: 'openid email profile offline_access',
      prompt: 'consent',
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(setCookie).toMatch(
      /^__Host-fw\.connection_state\.[\w-]{16}=\d{13}\.[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    )
  })

  it('stores the verifier encrypted and the state hashed', async () => {
    const { url } = await start()
    const rows = await query(app, 'select * from fw_one_time')
    expect(JSON.stringify(rows)).not.toContain(new URL(url).searchParams.get('state'))
    expect(JSON.stringify(rows)).not.toMatch(/codeVerifier|nonce/)
  })
})

describe('starting a connection', () => {
  it.each([
    ['names plain http addresses', { token_endpoint: 'http://corp.test/token' }],
    ['describes another issuer', { issuer: 'https://other.test' }],
  ])('fails with provider-unavailable when the issuer %s', async (_, metadata) => {
    issuer = createIssuer('https://corp.test', { ...corp, metadata })
    await expect(start()).rejects.toMatchObject({ code: 'provider-unavailable' })
  })
})

describe('connection callback', () => {
  it('stores encrypted tokens and lists the connected account', async () => {
    const { location } = await connect()
    expect(location).toBe('/connections?connected=corp')
    const token = await getAccessToken(app, ada.userId, 'corp')
    const rows = await query(app, 'select * from oauth_tokens')
    expect(rows).toHaveLength(1)
    const file = app.config.database.url.slice('file:'.length)
    for (const part of [file, `${file}-wal`]) expect(readFileSync(part).includes(token)).toBe(false)
    expect(await listConnections(app, ada.userId)).toMatchObject([
      {
        provider: 'corp',
        status: 'connected',
        account: 'ada@corp.test',
        scopes: ['openid', 'email', 'profile', 'offline_access'],
      },
    ])
  })

  it.each([
    ['another key', { signature: 'other-key' }],
    ['no signature', { signature: 'none' }],
    ['the public key as a secret', { signature: 'hs256-with-public-key' }],
    ['another issuer', { claims: { iss: 'https://evil.test' } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['another nonce', { claims: { nonce: 'f'.repeat(64) } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['an end in the past', { claims: { exp: 1 } }],
    ['another authorized party', { claims: { azp: 'other' } }],
    ['a subject that is too long', { claims: { sub: 'x'.repeat(256) } }],
  ] satisfies [string, Misbehaviour][])('rejects an ID token with %s', async (_what, wrong) => {
    const { location } = await connect(wrong)
    expect(errorOf(location)).toBe('invalid-provider-answer')
    expect(await eventKinds()).toEqual(['invalid-provider-response'])
    expect(await query(app, 'select 1 from oauth_tokens')).toEqual([])
  })

  it.each([
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.test/' } }),
      'invalid-provider-answer',
    ],
    ['HTML', () => new Response('<p>', { headers: { 'content-type': 'text/html' } }), 'invalid-provider-answer'],
    [
      'a broken text',
      () => new Response('{', { headers: { 'content-type': 'application/json' } }),
      'invalid-provider-answer',
    ],
    ['more than 256 KiB', () => Response.json({ access_token: 'x'.repeat(300_000) }), 'invalid-provider-answer'],
    ['no token', () => Response.json({ token_type: 'Bearer' }), 'invalid-provider-answer'],
    [
      'a token of another kind',
      () => Response.json({ access_token: 'x', token_type: 'mac' }),
      'invalid-provider-answer',
    ],
    ['a server error', () => new Response('no', { status: 500 }), 'invalid-provider-answer'],
    ['invalid_client', () => Response.json({ error: 'invalid_client' }, { status: 401 }), 'invalid-client'],
    ['invalid_grant', () => Response.json({ error: 'invalid_grant' }, { status: 400 }), 'invalid-authorization-code'],
    [
      'a refusal with status 200, as GitHub sends it',
      () => Response.json({ error: 'bad_verification_code' }),
      'invalid-authorization-code',
    ],
    [
      'a verifier that does not match',
      () => Response.json({ error: 'invalid_grant', error_description: 'PKCE verification failed' }, { status: 400 }),
      'invalid-grant',
    ],
    [
      'another redirect_uri',
      () => Response.json({ error: 'invalid_request', error_description: 'redirect_uri mismatch' }, { status: 400 }),
      'invalid-redirect-uri',
    ],
  ])('redirects with a specific error when the token endpoint returns %s', async (_what, answer, code) => {
    const { location } = await connect({ answer: async () => answer() })
    expect(location).toBe(`/sign-in?error=${code}&return=%2Fconnections`)
  })

  it.each<[string, string[] | undefined, string | undefined, string]>([
    ['nothing', undefined, undefined, 'post'],
    ['both ways', ['client_secret_basic', 'client_secret_post'], undefined, 'post'],
    ['a header alone', ['client_secret_basic'], undefined, 'basic'],
    ['fields, but a header is declared', ['client_secret_post'], 'basic', 'basic'],
  ])(
    'sends the secret as the provider supports it: %s announced',
    async (_, announced, clientAuthentication, method) => {
      const metadata = announced && { token_endpoint_auth_methods_supported: announced }
      issuer = createIssuer('https://corp.test', { ...corp, metadata })
      const declared = { id: 'corp', name: 'Corp', issuer: 'https://corp.test', clientAuthentication, ...corp }
      const other = await createTestApp({ ...env, FW_OIDC_PROVIDERS: JSON.stringify([declared]) })
      app = { ...other.app, fetch: app.fetch }
      ada = await aMember(app)
      expect((await connect()).location).toBe('/connections?connected=corp')
      expect(issuer.authentications).toEqual([method])
      await other.close()
    },
  )

  it('requires no secret for a public client, and rejects a code challenge that does not match the verifier', async () => {
    const [clientId, clientSecret] = ['public-client', '']
    issuer = createIssuer('https://corp.test', { clientId, clientSecret })
    const endpoints = { authorization: 'https://corp.test/authorize', token: 'https://corp.test/token' }
    const declared = { id: 'corp', name: 'Corp', endpoints, clientId, clientAuthentication: 'none' }
    const { FW_OIDC_PROVIDERS: _, ...others } = env
    const other = await createTestApp({ ...others, FW_OAUTH_PROVIDERS: JSON.stringify([declared]) })
    app = { ...other.app, fetch: app.fetch }
    ada = await aMember(app)
    const answer = async () => Response.json({ access_token: 'public', token_type: 'Bearer' })
    expect((await connect({ answer })).location).toBe('/connections?connected=corp')
    const { url, cookieHeader } = await start()
    const foreign = new URL(url)
    foreign.searchParams.set('code_challenge', 'A'.repeat(43))
    const query = issuer.approve(foreign.href, person, { answer })
    const { location } = await endConnection(app, { userId: ada.userId, query, cookieHeader, ...visitor })
    expect(errorOf(location)).toBe('invalid-authorization-code')
    await other.close()
  })

  it('redirects to the sign-in page with access-denied after access_denied', async () => {
    const { url, cookieHeader } = await start()
    const state = new URL(url).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', error_description: '<script>', state })
    const { location } = await endConnection(app, { userId: ada.userId, query, cookieHeader, ...visitor })
    expect(location).toBe('/sign-in?error=access-denied&return=%2Fconnections')
    expect(await eventKinds()).toEqual(['connection-cancelled'])
  })

  it.each([
    ['is missing', (query: URLSearchParams) => query.delete('state')],
    ['is another one', (query: URLSearchParams) => query.set('state', 'a'.repeat(64))],
    ['is there twice', (query: URLSearchParams) => query.append('state', query.get('state') ?? '')],
  ])('does not call the provider when the state %s', async (_what, change) => {
    const { url, cookieHeader } = await start()
    const query = issuer.approve(url, person)
    change(query)
    const asked: string[] = []
    const spied = { ...app, fetch: ((input: string) => asked.push(String(input))) as unknown as typeof fetch }
    const { location } = await endConnection(spied, { userId: ada.userId, query, cookieHeader, ...visitor })
    expect(errorOf(location)).toBe('invalid-state')
    expect(asked).toEqual([])
  })

  it('rejects a state without its cookie, used twice, expired, or of another account', async () => {
    const { url, cookieHeader } = await start()
    const query = issuer.approve(url, person)
    const end = (input: object) => endConnection(app, { userId: ada.userId, query, cookieHeader, ...visitor, ...input })
    expect(errorOf((await end({ cookieHeader: undefined })).location)).toBe('invalid-state')
    expect((await end({})).location).toContain('connected=corp')
    expect(errorOf((await end({})).location)).toBe('invalid-state')

    const second = await start()
    const other = { query: issuer.approve(second.url, person), cookieHeader: second.cookieHeader }
    expect(errorOf((await end({ ...other, userId: 'somebody-else' })).location)).toBe('connection-account-refused')

    const late = await start()
    const afterwards = { ...app, now: () => new Date(app.now().getTime() + 601_000) }
    const query2 = issuer.approve(late.url, person)
    const ended = await endConnection(afterwards, {
      userId: ada.userId,
      query: query2,
      cookieHeader: late.cookieHeader,
      ...visitor,
    })
    expect(errorOf(ended.location)).toBe('invalid-state')
  })

  it('rejects a response of another issuer (mix-up)', async () => {
    issuer = createIssuer('https://corp.test', {
      ...corp,
      metadata: { authorization_response_iss_parameter_supported: true },
    })
    const { url, cookieHeader } = await start()
    const query = issuer.approve(url, person)
    query.set('iss', 'https://evil.test')
    const { location } = await endConnection(app, { userId: ada.userId, query, cookieHeader, ...visitor })
    expect(errorOf(location)).toBe('invalid-provider-answer')
  })

  it('completes connections of several tabs in any order', async () => {
    const first = await start()
    const second = await startConnection(app, {
      userId: ada.userId,
      provider: 'corp',
      returnPath: '/notes',
      cookieHeader: first.cookieHeader,
    })
    const cookieHeader = [first.cookieHeader, second.setCookies[0]?.split(';', 1)[0]].join('; ')
    const endings = []
    for (const url of [first.url, second.url]) {
      const query = issuer.approve(url, person)
      endings.push((await endConnection(app, { userId: ada.userId, query, cookieHeader, ...visitor })).location)
    }
    expect(endings).toEqual(['/connections?connected=corp', '/notes?connected=corp'])
  })
})

describe('disconnect', () => {
  it('deletes the tokens, and later token requests return connection-required with the page to connect', async () => {
    await connect()
    await disconnect(app, ada.userId, 'corp')
    await expect(getAccessToken(app, ada.userId, 'corp')).rejects.toMatchObject({
      code: 'connection-required',
      extra: { provider: 'corp', connectUrl: '/connections?connect=corp' },
    })
  })
})

describe('token that cannot be decrypted', () => {
  it('is listed as unreadable and requires a new connection', async () => {
    await connect()
    await query(app, `update oauth_tokens set access_token = replace(access_token, '.', '.A')`)
    expect(await listConnections(app, ada.userId)).toMatchObject([{ status: 'unreadable' }])
    await expect(getAccessToken(app, ada.userId, 'corp')).rejects.toMatchObject({ code: 'reconnect-required' })
  })
})
