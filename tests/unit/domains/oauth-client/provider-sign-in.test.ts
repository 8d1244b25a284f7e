import { beforeEach, describe, expect, it } from 'vitest'
import { readSessionTokens } from '#fairway/server/domains/people'
import { setAuthProvider, requireOrg } from '#fairway/server/domains/organizations'
import { endProviderSignIn, startProviderSignIn } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import { listAlerts } from '../../../../layers/fairway/server/kernel/security-events/list-security-events'
import { useTestApp } from '../../../support/use-app'
import { sessionNow } from '../../../support/members'
import { createIssuer, type Misbehaviour } from '../../../support/provider'
import { query } from '../../../support/query'

const google = { clientId: 'google-client', clientSecret: 'google-secret' }
const corp = { clientId: 'corp-client', clientSecret: 'corp-secret' }
/** The part of Google's discovery document that these tests need. */
const googleMetadata = {
  authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_endpoint: 'https://oauth2.googleapis.com/token',
  jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
  userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
}
const visitor = { clientAddress: '192.0.2.1', userAgent: 'test' }

const test = useTestApp({
  FW_BASE_URL: 'https://app.example.test',
  GOOGLE_CLIENT_ID: google.clientId,
  GOOGLE_CLIENT_SECRET: google.clientSecret,
  FW_OIDC_PROVIDERS: JSON.stringify([{ id: 'corp', name: 'Corp', issuer: 'https://corp.test', ...corp }]),
})
let app: App
let issuers: Record<'google' | 'corp', ReturnType<typeof createIssuer>>

beforeEach(() => {
  issuers = {
    google: createIssuer('https://accounts.google.com', { ...google, metadata: googleMetadata }),
    corp: createIssuer('https://corp.test', corp),
  }
  const fetch: App['fetch'] = (input, init) => {
    const request = new Request(input, init)
    return new URL(request.url).hostname === 'corp.test' ? issuers.corp.handle(request) : issuers.google.handle(request)
  }
  app = { ...test.app, fetch }
})

async function signIn(
  provider: 'google' | 'corp',
  person: { sub: string; email: string; name?: string },
  wrong: Misbehaviour = {},
) {
  const {
    url,
    setCookies: [setCookie = ''],
  } = await startProviderSignIn(app, { provider, returnPath: '/notes', ...visitor })
  const query = issuers[provider].approve(url, person, wrong)
  const cookieHeader = setCookie.split(';', 1)[0]
  const { location, setCookies } = await endProviderSignIn(app, { provider, query, cookieHeader, ...visitor })
  const token = setCookies.flatMap(cookie => readSessionTokens(cookie.split(';', 1)[0], app.config))
  return { url: new URL(url), setCookie, location, token }
}

const ada = { sub: '10769150350006150715113082367', email: 'ada@gmail.com' }

describe('Google sign-in', () => {
  it('redirects to Google with account selection, and signs the person in', async () => {
    const { url, setCookie, location, token } = await signIn('google', ada)
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: google.clientId,
      redirect_uri: 'https://app.example.test/_fw/auth/callback/google',
      scope: 'openid email profile',
      prompt: 'select_account',
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      code_challenge_method: 'S256',
    })
    expect(setCookie).toMatch(
      /^__Host-fw\.provider_state\.[\w-]{16}=\d{13}\.[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    )
    expect([location, token.length]).toEqual(['/notes', 1])
    const rows = await query(app, 'select provider from sessions')
    expect(rows).toMatchObject([{ provider: 'google' }])
  })

  it('opens an organization that requires Google, while another provider does not', async () => {
    await signIn('google', ada)
    const rows = await query(app, `select id from users where email = 'ada@gmail.com'`)
    const person = { userId: String(rows[0]?.id), email: ada.email, name: 'ada' }
    const before = await sessionNow(app, person, 'google')
    const result = await setAuthProvider(app, requireOrg(before, 'set-auth-provider'), { provider: 'google' })
    expect(result).toMatchObject({ provider: 'google', revokedSessions: 1 })
    expect((await signIn('corp', ada)).token).toHaveLength(1)
    expect((await signIn('google', ada)).token).toHaveLength(1)
    const made = await query(app, 'select provider from sessions order by provider')
    expect(made).toMatchObject([{ provider: 'corp' }, { provider: 'google' }])
    expect(await sessionNow(app, person, 'corp')).toMatchObject({ orgId: null, closedOrg: { id: before.orgId } })
    expect(await sessionNow(app, person, 'google')).toMatchObject({ orgId: before.orgId })
  })

  it('ends all sessions when an organization requires the same provider again, and none when it clears the rule', async () => {
    await signIn('google', ada)
    const rows = await query(app, `select id from users where email = 'ada@gmail.com'`)
    const person = { userId: String(rows[0]?.id), email: ada.email, name: 'ada' }
    const rule = async (provider: string | null) =>
      setAuthProvider(app, requireOrg(await sessionNow(app, person, 'google'), 'set-auth-provider'), { provider })
    await rule('google')
    await signIn('google', ada)
    expect(await rule('google')).toMatchObject({ provider: 'google', revokedSessions: 1 })
    expect(await query(app, 'select id from sessions')).toEqual([])
    await signIn('google', ada)
    expect(await rule(null)).toMatchObject({ provider: null, revokedSessions: 0 })
    expect(await query(app, 'select id from sessions')).toHaveLength(1)
  })

  it('accepts an address with every character that HTML accepts', async () => {
    await signIn('corp', { sub: 'r-and-d', email: ' R&D@Firm.example\u200b' })
    expect(await query(app, 'select email, email_verified from users')).toEqual([
      { email: 'r&d@firm.example', email_verified: 1 },
    ])
  })

  it.each(['\u212aate@gmail.com', 'ｋate@gmail.com'])(
    'rejects %s, which becomes the address of another person in lower case',
    async email => {
      expect((await signIn('google', { sub: 'eve', email })).location).toContain('provider-email-not-verified')
      expect(await query(app, 'select id from users')).toEqual([])
    },
  )

  it.each([{ hd: '\u212anit.example' }, { tid: '\u212anit' }])(
    'proves no domain by %j, which is another in lower case',
    async claims => {
      await signIn('corp', { ...ada, ...claims })
      expect(await query(app, 'select provider_domain from sessions')).toEqual([{ provider_domain: null }])
    },
  )

  it('stores the name of a profile without characters that reorder text, or else one from the address', async () => {
    const named = (email: string, name: string) => ({ sub: email, email, name })
    await signIn('corp', named('ada@example.test', ' Ada\u202e\n(Admin)\u0000 '))
    await signIn('corp', named('eve@example.test', '\u200b\u3164'))
    await signIn('corp', named('emoji@example.test', '😀'.repeat(101)))
    expect(await query(app, 'select name from users order by id')).toEqual([
      { name: 'Ada (Admin)' },
      { name: 'eve' },
      { name: '😀'.repeat(100) },
    ])
  })

  it('rejects an issuer with plain http URLs or with the metadata of another issuer', async () => {
    issuers.corp = createIssuer('https://corp.test', {
      ...corp,
      metadata: { token_endpoint: 'http://corp.test/token' },
    })
    await expect(signIn('corp', ada)).rejects.toMatchObject({ code: 'unavailable' })
    issuers.corp = createIssuer('https://corp.test', { ...corp, metadata: { issuer: 'https://accounts.google.com' } })
    await expect(signIn('corp', ada)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('client secret', () => {
  const announcing = (methods: string[]) => ({ metadata: { token_endpoint_auth_methods_supported: methods } })

  it.each<[string, 'basic' | 'post', object]>([
    ['nothing', 'post', {}],
    ['both ways', 'post', announcing(['client_secret_basic', 'client_secret_post'])],
    ['fields alone', 'post', announcing(['client_secret_post'])],
    ['a header alone', 'basic', announcing(['client_secret_basic', 'private_key_jwt'])],
  ])('is sent as the issuer supports it, in form fields when possible: %s announced', async (_, method, metadata) => {
    issuers.corp = createIssuer('https://corp.test', { ...corp, ...metadata })
    expect((await signIn('corp', ada)).location).toBe('/notes')
    expect(issuers.corp.authentications).toEqual([method])
  })

  it('returns an operator error and an alert when it is wrong, without rate limiting the visitor', async () => {
    issuers.google = createIssuer('https://accounts.google.com', {
      ...google,
      clientSecret: 'another',
      metadata: googleMetadata,
    })
    for (let tries = 0; tries < 31; tries++) {
      const { location } = await signIn('google', ada)
      expect(location).toBe('/sign-in?error=invalid-client&return=%2Fnotes')
    }
    const events = await query(app, 'select distinct kind, subject from security_events')
    expect(events).toMatchObject([{ kind: 'provider-client-refused', subject: 'google' }])
    expect(await listAlerts(app)).toMatchObject([{ kind: 'provider-client-refused', count: 31 }])
  })
})

describe('token endpoint error', () => {
  it.each([
    ['a code that was used', 400, { error: 'invalid_grant' }, 'invalid-authorization-code', 'callback-failed'],
    [
      'a verifier that does not match',
      400,
      { error: 'invalid_grant', error_description: 'the code_verifier does not match' },
      'invalid-grant',
      'callback-failed',
    ],
    ['a client', 400, { error: 'unauthorized_client' }, 'invalid-client', 'provider-client-refused'],
    ['a client, by status alone', 401, 'no', 'invalid-client', 'provider-client-refused'],
    [
      'a redirect URI',
      400,
      { error: 'invalid_grant', error_description: 'redirect_uri does not match' },
      'invalid-redirect-uri',
      'callback-failed',
    ],
    [
      'anything else',
      400,
      { error: 'invalid_request', error_description: 'x\ny' },
      'provider-failed',
      'callback-failed',
    ],
    ['nothing that it names', 400, { message: 'no' }, 'invalid-provider-answer', 'invalid-provider-response'],
  ])('is reported with a specific code: %s', async (_, status, body, code, kind) => {
    const answer = async () => Response.json(body, { status })
    const { location } = await signIn('corp', ada, { answer })
    expect(location).toBe(`/sign-in?error=${code}&return=%2Fnotes`)
    expect(await query(app, 'select kind, reason from security_events')).toEqual([
      { kind, reason: expect.stringMatching(`^${code}: `) },
    ])
    expect(await query(app, 'select 1 from users')).toEqual([])
  })
})
