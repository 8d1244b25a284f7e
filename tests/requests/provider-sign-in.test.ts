import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { type Misbehaviour, startGithub, startIssuer } from '../support/provider'
import { type OidcProvider, startOidcProvider } from '../support/provider-oidc'
import { countRows, query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'
import { serve } from '../support/web-server'

const client = { clientId: 'fairway', clientSecret: 'a-secret+between/the two' }
const plain = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

let corp: OidcProvider
let odd: Awaited<ReturnType<typeof startIssuer>>
let strict: Awaited<ReturnType<typeof startIssuer>>
let github: Awaited<ReturnType<typeof startGithub>>
let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let env: Record<string, string>
let count = 0

beforeAll(async () => {
  corp = await startOidcProvider({ ...plain, unverified: ['unproven@example.test'] })
  odd = await startIssuer(plain)
  strict = await startIssuer({ ...plain, metadata: { authorization_response_iss_parameter_supported: true } })
  github = await startGithub(client)
  const providers = Object.entries({ corp, odd, strict }).map(([id, { issuer }]) => ({
    id,
    name: id,
    issuer,
    ...plain,
  }))
  env = {
    FW_OIDC_PROVIDERS: JSON.stringify(providers),
    FW_GITHUB_URL: `${github.url}/`,
    GITHUB_CLIENT_ID: client.clientId,
    GITHUB_CLIENT_SECRET: client.clientSecret,
  }
  server = await borrowServer({ env })
  corp.allow(`${server.origin}/_fw/auth/callback/corp`)
  world = createTeamWorld(server)
})
afterAll(async () => {
  await server.stop()
  for (const provider of [corp, odd, strict, github]) await provider.stop()
})

const newEmail = () => `someone${++count}@example.test`

async function start(browser: TestBrowser, provider: string, callbackURL = '/notes'): Promise<string> {
  const answer = await browser.post('/_fw/auth/sign-in/social', { json: { provider, callbackURL } })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()).url
}

const eventsOf = async (at: TestServer) => (await query(at, 'select kind from security_events')).map(({ kind }) => kind)

const end = (browser: TestBrowser, provider: string, query: URLSearchParams) =>
  browser.get(`/_fw/auth/callback/${provider}?${query}`)

async function signInWithOdd(email: string, wrong: Misbehaviour = {}, person: Record<string, unknown> = {}) {
  const browser = createBrowser(server.origin)
  const query = odd.approve(await start(browser, 'odd'), { sub: `sub-${email}`, email, ...person }, wrong)
  return { browser, query, answer: await end(browser, 'odd', query) }
}

async function signInWithCorp(browser: TestBrowser, email: string) {
  const back = new URL(await corp.signIn(await start(browser, 'corp'), email))
  return browser.get(back.pathname + back.search)
}

const aGithubPerson = (email: string, verified = true) => ({
  id: ++count + 1000,
  login: `octo${count}`,
  publicEmail: 'somebody-else@example.test',
  emails: [
    { email: `old-${email}`, primary: false, verified: true },
    { email, primary: true, verified },
  ],
})

async function signInWithGithub(person: ReturnType<typeof aGithubPerson>) {
  const browser = createBrowser(server.origin)
  const query = github.approve(await start(browser, 'github'), person)
  return { browser, answer: await end(browser, 'github', query) }
}

const locationOf = (answer: Response) => answer.headers.get('location') ?? ''
const usersOf = (email: string) => query(server, 'select id, email_verified from users where email = ?', [email])
const failed = '/sign-in?error=provider-failed&return=%2Fnotes'
const noAnswer = expect.stringMatching(/error=(?:invalid-provider-answer|provider-unavailable)&return=%2Fnotes$/)
const invalid = '/sign-in?error=invalid-provider-answer&return=%2Fnotes'
const ended = '/sign-in?error=invalid-state&return=%2Fnotes'
const logLines = () =>
  server
    .log()
    .split('\n')
    .filter(line => line.includes('"message":"security event"'))
    .map(line => JSON.parse(line))

describe('sign-in with GitHub', () => {
  it('creates a session for the primary address, regardless of the public profile', async () => {
    const email = newEmail()
    const { browser, answer } = await signInWithGithub(aGithubPerson(email))
    expect([answer.status, locationOf(answer)]).toEqual([302, '/notes'])
    expect(await sessionOf(browser)).toMatchObject({ email, emailVerified: true, provider: 'github' })
    expect((await usersOf(email)).length).toBe(1)
  })

  it('sends a 64-digit hex state, PKCE and minimal scopes, and finds the same account again', async () => {
    const browser = createBrowser(server.origin)
    const url = new URL(await start(browser, 'github'))
    expect(url.origin + url.pathname).toBe(`${github.url}/login/oauth/authorize`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: client.clientId,
      redirect_uri: `${server.origin}/_fw/auth/callback/github`,
      response_type: 'code',
      scope: 'read:user user:email',
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const person = aGithubPerson(newEmail())
    const first = await sessionOf((await signInWithGithub(person)).browser)
    const second = await sessionOf((await signInWithGithub(person)).browser)
    expect(second.userId).toBe(first.userId)
  })

  it('rejects an address that GitHub has not verified, shows the reason and creates no account', async () => {
    const email = newEmail()
    const { browser, answer } = await signInWithGithub(aGithubPerson(email, false))
    expect(locationOf(answer)).toBe('/sign-in?error=provider-email-not-verified&return=%2Fnotes')
    expect(await usersOf(email)).toEqual([])
    expect(await sessionOf(browser)).toBeNull()
    const page = await browser.get(locationOf(answer), { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('has not confirmed your email address')
  })

  it('shows an error when GitHub rejects the code', async () => {
    const browser = createBrowser(server.origin)
    const query = github.approve(await start(browser, 'github'), aGithubPerson(newEmail()))
    query.set('code', 'another')
    const refused = '/sign-in?error=invalid-authorization-code&return=%2Fnotes'
    expect(locationOf(await end(browser, 'github', query))).toBe(refused)
    expect(await (await browser.get(refused)).text()).toContain('code has expired or was already used')
  })

  it('explains that an administrator must act when GitHub rejects the client, and records an event', async () => {
    const other = await borrowServer({ env: { ...env, GITHUB_CLIENT_SECRET: 'another' } })
    const browser = createBrowser(other.origin)
    const query = github.approve(await start(browser, 'github'), aGithubPerson(newEmail()))
    const refused = '/sign-in?error=invalid-client&return=%2Fnotes'
    expect(locationOf(await end(browser, 'github', query))).toBe(refused)
    for (const [language, text] of Object.entries({ en: 'administrator needs to check', de: 'Administrator muss' })) {
      expect(await (await browser.get(`${refused}&lang=${language}`)).text()).toContain(text)
    }
    expect(await eventsOf(other)).toEqual(['provider-client-refused'])
    await other.stop()
  })

  it('is listed before OpenID providers, and Google is not listed when it is not configured', async () => {
    const page = await (await createBrowser(server.origin).get('/sign-in')).text()
    const offered = [...page.matchAll(/name="provider" value="([^"]+)"/g)].map(match => match[1])
    expect(offered).toEqual(['github', 'corp', 'odd', 'strict'])
  })
})

describe('account linking', () => {
  it('gives an unconfirmed account to the address’s owner, who can remove all other access', async () => {
    const squatter = await world.person({ email: newEmail(), verified: false })
    const { browser, answer } = await signInWithOdd(squatter.email)
    const page = '/_fw/claim?return=%2Fnotes'
    expect(locationOf(answer)).toBe(page)
    expect(await sessionOf(browser)).toMatchObject({ userId: squatter.userId, emailVerified: true, provider: 'odd' })
    expect(await sessionOf(squatter.browser)).toMatchObject({ userId: squatter.userId })
    expect(locationOf(await browser.post(page, { form: { decision: 'only-me' } }))).toBe('/notes')
    expect(await sessionOf(squatter.browser)).toBeNull()
    const json = { email: squatter.email, password: PASSWORD }
    expect((await createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json })).status).toBe(401)
    const ways = await query(server, 'select provider_id from accounts where user_id = ?', [squatter.userId])
    expect(ways.map(way => way.provider_id)).toEqual(['odd'])
  })

  it.each([
    ['says no', { email_verified: false }],
    ['says nothing', { email_verified: undefined }],
    ['names no address', { email: undefined }],
    ['names something that is no address', { email: 'nobody' }],
    ['names two', { email: 'a@example.test,b@example.test' }],
  ])('rejects an address when the provider %s', async (_, claims) => {
    const person = await world.person({ email: newEmail() })
    const before = await countRows(server, 'users')
    const { browser, answer } = await signInWithOdd(person.email, {}, claims)
    expect(locationOf(answer)).toBe('/sign-in?error=provider-email-not-verified&return=%2Fnotes')
    expect(await sessionOf(browser)).toBeNull()
    expect(await countRows(server, 'users')).toEqual(before)
    const ways = await query(server, 'select provider_id from accounts where user_id = ?', [person.userId])
    expect(ways.map(way => way.provider_id)).toEqual(['credential'])
  })

  it('reads a missing address from the userinfo endpoint, but only for the same subject', async () => {
    const email = newEmail()
    const claims = { email: undefined, email_verified: undefined, sub: 'elsewhere' }
    const userInfo = { email, email_verified: true, name: 'Ada' }
    const { browser } = await signInWithOdd(email, { userInfo }, claims)
    expect(await sessionOf(browser)).toMatchObject({ email, name: 'Ada' })
    const another = await signInWithOdd(email, { userInfo: { ...userInfo, sub: 'somebody-else' } }, claims)
    expect(locationOf(another.answer)).toBe(invalid)
  })

  it('rejects an address that a real provider has not verified', async () => {
    const answer = await signInWithCorp(createBrowser(server.origin), 'unproven@example.test')
    expect(locationOf(answer)).toContain('provider-email-not-verified')
    expect(await usersOf('unproven@example.test')).toEqual([])
  })
  it('rejects a provider sign-in as the development account', async () => {
    const now = Date.now()
    await query(
      server,
      `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values ('dev', 'Dev', 'dev@local.test', 1, 'dev', ?, ?)`,
      [now, now],
    )
    const { browser, answer } = await signInWithOdd('dev@local.test')
    expect(locationOf(answer)).toContain('error=dev-account-refused')
    expect(await sessionOf(browser)).toBeNull()
    expect(await query(server, `select id from accounts where user_id = 'dev'`)).toEqual([])
  })

  it('stores no tokens of the provider', async () => {
    await signInWithOdd(newEmail())
    const rows = await query(
      server,
      `select id from accounts where access_token is not null or refresh_token is not null or id_token is not null`,
    )
    expect(rows).toEqual([])
  })
})

describe('sign-in state', () => {
  const begin = async (provider = 'odd') => {
    const browser = createBrowser(server.origin)
    const email = newEmail()
    const query = odd.approve(await start(browser, provider), { sub: `sub-${email}`, email })
    return { browser, email, query }
  }

  it.each(['', 'nonsense', '0'.repeat(64)])('is rejected when it is %j', async state => {
    const { browser, query, email } = await begin()
    query.set('state', state)
    const answer = await end(browser, 'odd', query)
    expect([answer.status, locationOf(answer)]).toEqual([302, '/sign-in?error=invalid-state'])
    expect(await sessionOf(browser)).toBeNull()
    expect(await usersOf(email)).toEqual([])
  })

  it('is rejected when it is missing or repeated', async () => {
    const { browser, query } = await begin()
    const twice = new URLSearchParams([...query, ['state', query.get('state') ?? '']])
    query.delete('state')
    expect(locationOf(await end(browser, 'odd', query))).toBe('/sign-in?error=invalid-state')
    expect(locationOf(await end(browser, 'odd', twice))).toBe('/sign-in?error=invalid-state')
  })

  it('is bound to the browser that started, so other visitors are not signed in to this account', async () => {
    const attacker = await begin()
    const victim = createBrowser(server.origin)
    const answer = await end(victim, 'odd', attacker.query)
    expect(locationOf(answer)).toBe('/sign-in?error=invalid-state')
    expect(await sessionOf(victim)).toBeNull()
    const midway = await begin()
    expect(locationOf(await end(midway.browser, 'odd', attacker.query))).toBe('/sign-in?error=invalid-state')
    // The attempts from other browsers did not use up the state.
    expect(locationOf(await end(attacker.browser, 'odd', attacker.query))).toBe('/notes')
  })
  it('expires after ten minutes, and the return path is kept', async () => {
    const { browser, query: brought } = await begin()
    await query(server, `update fw_one_time set expires_at = ? where purpose = 'provider-sign-in'`, [Date.now() - 1000])
    expect(locationOf(await end(browser, 'odd', brought))).toBe(ended)
    await begin()
    const [row] = await query(
      server,
      `select max(expires_at) as last from fw_one_time where purpose = 'provider-sign-in'`,
    )
    expect(Math.abs(Number(row?.last) - Date.now() - 600_000)).toBeLessThan(5000)
  })

  it('is valid for one provider only', async () => {
    const { browser, query } = await begin()
    expect(locationOf(await end(browser, 'strict', query))).toBe(ended)
    expect(await sessionOf(browser)).toBeNull()
  })
})

describe('provider response', () => {
  it('is rejected with another provider’s issuer (mix-up), or without the issuer that the provider promises', async () => {
    const browser = createBrowser(server.origin)
    const person = { sub: 'mixed', email: newEmail() }
    const mixed = odd.approve(await start(browser, 'odd'), person)
    mixed.set('iss', strict.issuer)
    expect(locationOf(await end(browser, 'odd', mixed))).toBe(invalid)
    const silent = strict.approve(await start(browser, 'strict'), person)
    expect(locationOf(await end(browser, 'strict', silent))).toBe(invalid)
    const told = strict.approve(await start(browser, 'strict'), person)
    told.set('iss', strict.issuer)
    expect(locationOf(await end(browser, 'strict', told))).toBe('/notes')
    const foreign = github.approve(await start(browser, 'github'), aGithubPerson(newEmail()))
    foreign.set('iss', strict.issuer)
    expect(locationOf(await end(browser, 'github', foreign))).toBe(invalid)
  })

  const now = () => Math.floor(Date.now() / 1000)
  it.each<[string, () => Misbehaviour]>([
    ['of another issuer', () => ({ claims: { iss: 'https://evil.test' } })],
    ['without an issuer', () => ({ claims: { iss: undefined } })],
    ['for another client', () => ({ claims: { aud: 'another' } })],
    ['for others, us not among them', () => ({ claims: { aud: ['one', 'two'] } })],
    ['for us and others, without saying whose it is', () => ({ claims: { aud: [plain.clientId, 'two'] } })],
    ['that was made for another party', () => ({ claims: { aud: [plain.clientId, 'two'], azp: 'two' } })],
    ['with another nonce', () => ({ claims: { nonce: 'x'.repeat(64) } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['that has ended', () => ({ claims: { exp: now() - 120, iat: now() - 300 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['that is not valid yet', () => ({ claims: { nbf: now() + 600 } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['without a signature', () => ({ signature: 'none' })],
    ['without a signature, spelled otherwise', () => ({ signature: 'none', header: { alg: 'nOnE' } })],
    ['signed with the public key as a secret', () => ({ signature: 'hs256-with-public-key' })],
    ['signed with another key', () => ({ signature: 'other-key' })],
    ['of a key id that nobody knows', () => ({ header: { kid: 'unknown' } })],
    [
      'that brings its own key',
      () => ({ signature: 'other-key', header: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }),
    ],
    ['with a critical header', () => ({ header: { crit: ['exp'], exp: 1 } })],
  ])('is rejected with an ID token %s', async (_, wrong) => {
    const email = newEmail()
    const { browser, answer } = await signInWithOdd(email, wrong())
    expect(locationOf(answer)).toBe(invalid)
    expect(await sessionOf(browser)).toBeNull()
    expect(await usersOf(email)).toEqual([])
    expect(logLines().at(-1)).toMatchObject({ kind: 'invalid-provider-response', subject: 'odd' })
  })

  it('is accepted with an ID token for several audiences that is authorized for this client', async () => {
    const { answer } = await signInWithOdd(newEmail(), {
      claims: { aud: [plain.clientId, 'two'], azp: plain.clientId },
    })
    expect(locationOf(answer)).toBe('/notes')
  })

  it.each<[string, () => Promise<Response>]>([
    ['is a web page', async () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })],
    ['is empty', async () => new Response('')],
    ['is a list', async () => Response.json([])],
    ['is an error', async () => Response.json({ error: 'server_error' }, { status: 500 })],
    ['is too large', async () => Response.json({ access_token: 'a', id_token: 'b', filler: 'x'.repeat(300_000) })],
    ['has no ID token', async () => Response.json({ access_token: 'a' })],
  ])('leads to the sign-in page within ten seconds when it %s', async (_, answer) => {
    const began = performance.now()
    const { browser, answer: end } = await signInWithOdd(newEmail(), { answer })
    expect([end.status, locationOf(end)]).toEqual([302, noAnswer])
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(await sessionOf(browser)).toBeNull()
  })

  it('leads to the sign-in page within ten seconds when it never arrives or stops midway', async () => {
    const began = performance.now()
    const halfway = new ReadableStream({ start: stream => stream.enqueue(new TextEncoder().encode('{"access_')) })
    const ends = await Promise.all([
      signInWithOdd(newEmail(), { answer: () => sleep(60_000, new Response(''), { ref: false }) }),
      signInWithOdd(newEmail(), { answer: async () => new Response(halfway) }),
    ])
    expect(ends.map(({ answer }) => locationOf(answer))).toEqual([noAnswer, noAnswer])
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('is not followed when it redirects', async () => {
    let visits = 0
    const elsewhere = await serve(async () => {
      visits += 1
      return Response.json({ access_token: 'a' })
    })
    const answer = async () => new Response(null, { status: 307, headers: { location: elsewhere.origin } })
    const { answer: end } = await signInWithOdd(newEmail(), { answer })
    await elsewhere.stop()
    expect([locationOf(end), visits]).toEqual([noAnswer, 0])
  })

  it('shows that the person cancelled, keeps the return path and never repeats the provider’s text', async () => {
    const browser = createBrowser(server.origin)
    const state = new URL(await start(browser, 'odd')).searchParams.get('state') ?? ''
    const said = { state, error: 'access_denied', error_description: 'Free money at evil.test' }
    const answer = await end(browser, 'odd', new URLSearchParams(said))
    expect(locationOf(answer)).toBe('/sign-in?error=access-denied&return=%2Fnotes')
    const page = await browser.get(locationOf(answer), { headers: { accept: 'text/html' } })
    expect(await page.text()).not.toMatch(/evil|Free money/)
    expect(logLines().at(-1)).toMatchObject({ kind: 'connection-cancelled' })
  })

  it.each([
    [
      'invalid-state',
      { error: 'server_error', state: 'of another browser' },
      { en: 'began in another browser', de: 'begann in einem anderen Browser', ar: 'بدأت في متصفح آخر' },
    ],
    [
      'invalid-redirect-uri',
      { error: 'redirect_uri_mismatch', error_description: 'The redirect_uri MUST match the registered callback URL.' },
      {
        en: 'does not know this application’s address',
        de: 'kennt die Adresse dieser Anwendung nicht',
        ar: 'لا يعرف المزوّد عنوان هذا التطبيق',
      },
    ],
  ])('explains %s in the page’s language and records the code in the security event', async (code, said, texts) => {
    const browser = createBrowser(server.origin)
    const state = new URL(await start(browser, 'github')).searchParams.get('state') ?? ''
    const refused = locationOf(await end(browser, 'github', new URLSearchParams({ state, ...said })))
    expect(refused).toContain(`/sign-in?error=${code}`)
    for (const [language, text] of Object.entries(texts)) {
      expect(await (await browser.get(`${refused}&lang=${language}`)).text()).toContain(text)
    }
    expect(logLines().at(-1)).toMatchObject({ subject: 'github', reason: expect.stringMatching(`^${code}: `) })
  })

  it('logs the provider’s text for other errors and shows our own text', async () => {
    const browser = createBrowser(server.origin)
    const state = new URL(await start(browser, 'odd')).searchParams.get('state') ?? ''
    const said = { state, error: 'server_error', error_description: 'Down for maintenance\n{"level":"error"}' }
    expect(locationOf(await end(browser, 'odd', new URLSearchParams(said)))).toBe(failed)
    expect(logLines().at(-1)).toMatchObject({
      kind: 'callback-failed',
      reason: 'provider-failed: server_error: Down for maintenance {"level":"error"}',
    })
  })
})

describe('failed provider callback', () => {
  it('writes one log line with its kind, the provider and the client address, without secrets', async () => {
    const browser = createBrowser(server.origin)
    const query = odd.approve(
      await start(browser, 'odd'),
      { sub: 'x', email: newEmail() },
      { claims: { aud: 'other' } },
    )
    const before = logLines().length
    await end(browser, 'odd', query)
    await end(browser, 'odd', query)
    await end(browser, 'nobody-knows<script>', query)
    const lines = logLines().slice(before)
    expect(lines.map(line => [line.kind, line.subject])).toEqual([
      ['invalid-provider-response', 'odd'],
      ['state-validation-failed', 'odd'],
      ['state-validation-failed', 'unknown'],
    ])
    for (const line of lines) expect(line.clientAddress).toMatch(/^(127\.0\.0\.1|::1)$/)
    const log = server.log()
    expect(log).not.toContain(query.get('state'))
    expect(log).not.toContain(query.get('code'))
    expect(log).not.toMatch(/eyJ[\w-]{20}/)
  })

  it('is limited to 30 per minute and address, with an HTML page for people', async () => {
    const limited = await borrowServer({ env: { ...env, FW_RATE_LIMITS: 'on' } })
    try {
      const browser = createBrowser(limited.origin)
      const statuses: number[] = []
      for (let attempt = 0; attempt < 30; attempt++) {
        statuses.push((await browser.get('/_fw/auth/callback/odd?state=x&code=y')).status)
      }
      expect(new Set(statuses)).toEqual(new Set([302]))
      const answer = await browser.get('/_fw/auth/callback/odd?state=x&code=y', { headers: { accept: 'text/html' } })
      expect(answer.status).toBe(429)
      expect(answer.headers.get('content-type')).toContain('text/html')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(limited.log()).toContain('"kind":"callbacks-limited"')
    } finally {
      await limited.stop()
    }
  })
})
