import { describe, expect, it } from 'vitest'
import { authorizeIdentity } from '#fairway/server/domains/oauth-server'
import { identityCode } from '#fairway/server/domains/oauth-server/hub/token'
import { requireHub } from '#fairway/server/domains/oauth-server/hub/registration'
import type { App } from '#fairway/server/kernel/app-context'
import { peekOneTime } from '#fairway/server/kernel/one-time/one-time'
import { safeReturnPath } from '#fairway/shared/return-path'
import { createTestApp } from '../../../../support/app'
import { shareTestApp } from '../../../../support/use-app'
import { newRequest, registered } from '../../../../support/hub'
import { addPerson, sessionFor } from '../../../../support/members'
import { query } from '../../../../support/query'
import { A2A_SECRET } from '../../../../support/secrets'

const CALLBACK = 'https://mail.example.com/_fw/identity/callback'
const env = {
  FW_BASE_URL: 'https://hub.example.com',
  FW_RATE_LIMITS: 'off',
  A2A_SECRET,
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify([
    registered('mail', 'https://mail.example.com'),
    registered('mail', 'https://staging.example.com:8443', { callbackPath: '/back' }),
    { appId: 'broken' },
    registered('local', 'http://localhost'),
    registered('number', 'http://127.0.0.1'),
    registered('fixed', 'http://127.0.0.1:4000'),
    registered('other', 'https://other.example.com', { clientId: 'Other.1' }),
  ]),
}

const test = shareTestApp(env)

const visit = (app: App, query: string, findSession: () => Promise<ReturnType<typeof sessionFor> | null>) =>
  authorizeIdentity(app, requireHub(app), {
    query,
    clientAddress: '192.0.2.1',
    requestId: 'r',
    findSession,
    sessionId: async () => null,
  })

/** Fails the test if a request looks up the session: a lookup means that the request was accepted. */
const looked = () => Promise.reject(new Error('the session was looked at'))
const signedOut = () => Promise.resolve(null)

const { parameters } = newRequest('mail', CALLBACK)
const queryWith = (change: Record<string, string | undefined>): string => {
  const kept = Object.entries({ ...parameters, ...change }).filter(([, value]) => value !== undefined)
  return `?${new URLSearchParams(kept as [string, string][])}`
}
const evil = (redirectUri: string) => queryWith({ redirect_uri: redirectUri })

const bad: [what: string, query: string][] = [
  ['nothing', ''],
  ['a bare question mark', '?'],
  ['no response_type', queryWith({ response_type: undefined })],
  ['response_type token', queryWith({ response_type: 'token' })],
  ['response_type code token', queryWith({ response_type: 'code token' })],
  ['no app', queryWith({ app: undefined })],
  ['an empty app', queryWith({ app: '' })],
  ['an unknown app', queryWith({ app: 'nobody' })],
  ['an app in upper case', queryWith({ app: 'Mail' })],
  ['an app whose entry is ignored', queryWith({ app: 'broken' })],
  ['no client_id', queryWith({ client_id: undefined })],
  ['the client of another app', queryWith({ client_id: 'Other.1' })],
  ['a client in upper case', queryWith({ client_id: 'MAIL' })],
  ['no redirect_uri', queryWith({ redirect_uri: undefined })],
  ['the callback of another app', evil('https://other.example.com/_fw/identity/callback')],
  ['the origin of one entry with the path of another', evil('https://mail.example.com/back')],
  ['a subdomain', evil('https://a.mail.example.com/_fw/identity/callback')],
  ['a suffix', evil('https://mail.example.com.evil.test/_fw/identity/callback')],
  ['plain http', evil('http://mail.example.com/_fw/identity/callback')],
  ['another port', evil('https://mail.example.com:8443/_fw/identity/callback')],
  ['the default port, spelled out', evil('https://mail.example.com:443/_fw/identity/callback')],
  ['a slash at the end', evil(`${CALLBACK}/`)],
  ['a path below', evil(`${CALLBACK}/x`)],
  ['a path above', evil('https://mail.example.com/_fw/identity')],
  ['a query', evil(`${CALLBACK}?next=/`)],
  ['an empty query', evil(`${CALLBACK}?`)],
  ['a fragment', evil(`${CALLBACK}#x`)],
  ['an empty fragment', evil(`${CALLBACK}#`)],
  ['a user name', evil('https://a@mail.example.com/_fw/identity/callback')],
  ['a password', evil('https://a:b@mail.example.com/_fw/identity/callback')],
  ['a user name that looks like the host', evil('https://mail.example.com@evil.test/_fw/identity/callback')],
  ['an upper-case host', evil('https://Mail.example.com/_fw/identity/callback')],
  ['an upper-case path', evil('https://mail.example.com/_FW/identity/callback')],
  ['an upper-case scheme', evil('HTTPS://mail.example.com/_fw/identity/callback')],
  ['dots', evil('https://mail.example.com/x/../_fw/identity/callback')],
  ['escaped dots', evil('https://mail.example.com/%2e/_fw/identity/callback')],
  ['an escaped slash', evil('https://mail.example.com/_fw%2fidentity/callback')],
  ['two slashes', evil('https://mail.example.com//_fw/identity/callback')],
  ['backslashes', evil('https:\\\\mail.example.com\\_fw\\identity\\callback')],
  ['a tab within', evil('https://mail.example.com/_fw/\tidentity/callback')],
  ['a line end behind', evil(`${CALLBACK}\n`)],
  ['a space before', evil(` ${CALLBACK}`)],
  ['a dot behind the host', evil('https://mail.example.com./_fw/identity/callback')],
  ['a full-width dot', evil('https://mail\uFF0Eexample.com/_fw/identity/callback')],
  ['no scheme', evil('//mail.example.com/_fw/identity/callback')],
  ['a script', evil('javascript:alert(1)')],
  ['loopback for an app that is not there', evil('http://localhost:3000/_fw/identity/callback')],
  ['513 characters of address', evil(`https://mail.example.com/${'a'.repeat(489)}`)],
  ['no state', queryWith({ state: undefined })],
  ['an empty state', queryWith({ state: '' })],
  ['a state of 513 characters', queryWith({ state: 'a'.repeat(513) })],
  ['a state beyond ASCII', queryWith({ state: 'é' })],
  ['a state with a line end', queryWith({ state: `${'a'.repeat(43)}\r\nx: y` })],
  ['no code_challenge', queryWith({ code_challenge: undefined })],
  ['a challenge of 42 characters', queryWith({ code_challenge: 'a'.repeat(42) })],
  ['a challenge of 44 characters', queryWith({ code_challenge: 'a'.repeat(44) })],
  ['a challenge in plain base64', queryWith({ code_challenge: `${'a'.repeat(42)}+` })],
  ['the method plain', queryWith({ code_challenge_method: 'plain' })],
  ['the method in lower case', queryWith({ code_challenge_method: 's256' })],
  ['two redirect_uri', `${queryWith({})}&redirect_uri=https%3A%2F%2Fevil.test`],
  ['two redirect_uri, the same', `${queryWith({})}&redirect_uri=${encodeURIComponent(CALLBACK)}`],
  ['two redirect_uri, one empty', `${queryWith({})}&redirect_uri=`],
  ['two states', `${queryWith({})}&state=${'b'.repeat(43)}`],
  ['two of what nobody knows', `${queryWith({})}&x=1&x=2`],
  ['more than eight KiB', `${queryWith({})}&x=${'a'.repeat(8192)}`],
]

describe('invalid hub authorization request', () => {
  it.each(bad)('is rejected before the session is looked up: %s', async (_, query) => {
    const refusal = await visit(test.app, query, looked).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'invalid-authorization-request', status: 400 })
    expect(JSON.stringify(refusal)).not.toMatch(/evil\.test|mail\.example/)
  })
})

describe('valid hub authorization request', () => {
  it.each([
    ['an exact address', 'mail', 'mail', CALLBACK],
    ['another address of the same app', 'mail', 'mail', 'https://staging.example.com:8443/back'],
    ['another client id', 'other', 'Other.1', 'https://other.example.com/_fw/identity/callback'],
    ['any port on localhost', 'local', 'local', 'http://localhost:51234/_fw/identity/callback'],
    ['no port on localhost', 'local', 'local', 'http://localhost/_fw/identity/callback'],
    ['any port on 127.0.0.1', 'number', 'number', 'http://127.0.0.1:51234/_fw/identity/callback'],
    ['a port that is registered', 'fixed', 'fixed', 'http://127.0.0.1:4000/_fw/identity/callback'],
  ])('redirects to the sign-in page, which leads back: %s', async (_, app, clientId, redirectUri) => {
    const query = queryWith({ app, client_id: clientId, redirect_uri: redirectUri })
    const answer = await visit(test.app, query, signedOut)
    if (!('location' in answer)) throw new Error('a page')
    const { pathname, searchParams } = new URL(answer.location, env.FW_BASE_URL)
    expect([pathname, [...searchParams.keys()]]).toEqual(['/sign-in', ['return']])
    const back = searchParams.get('return')
    expect(back).toBe(`/_fw/identity/authorize${query}`)
    expect(safeReturnPath(back, env.FW_BASE_URL)).toBe(back)
  })

  it.each([
    ['another name of this machine', 'local', 'http://127.0.0.1:3000/_fw/identity/callback'],
    ['https on a port of this machine', 'local', 'https://localhost:3000/_fw/identity/callback'],
    ['another path', 'local', 'http://localhost:3000/other'],
    ['a host below localhost', 'local', 'http://a.localhost:3000/_fw/identity/callback'],
    ['another port where one is registered', 'fixed', 'http://127.0.0.1:4001/_fw/identity/callback'],
  ])('names this machine by its registered name only, and is rejected with %s', async (_, app, redirectUri) => {
    const query = queryWith({ app, client_id: app, redirect_uri: redirectUri })
    await expect(visit(test.app, query, looked)).rejects.toMatchObject({ code: 'invalid-authorization-request' })
  })

  it.each([
    ['exactly the six parameters, and S256 is meant', { code_challenge_method: undefined }],
    ['a state of one character', { state: 'x' }],
    ['a state of 512 characters', { state: 'a'.repeat(512) }],
    [
      'every sign that a state may have (RFC 6749 appendix A.5)',
      { state: ` !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~//..%2f%0d` },
    ],
  ])('returns a code after sign-in: %s', async (_, change) => {
    const answer = await visit(test.app, queryWith(change), signedOut)
    const back = 'location' in answer ? new URL(answer.location, env.FW_BASE_URL).searchParams.get('return') : ''
    const person = await addPerson(test.app)
    const asked = back?.slice('/_fw/identity/authorize'.length) ?? ''
    const done = await visit(test.app, asked, async () => sessionFor(person))
    const { searchParams } = new URL('location' in done ? done.location : '', env.FW_BASE_URL)
    expect(searchParams.get('state')).toBe(new URLSearchParams(queryWith(change)).get('state'))
    const row = await peekOneTime(test.app, identityCode, searchParams.get('code') ?? '')
    expect(row?.payload.codeChallenge).toBe(parameters.code_challenge)
  })

  it('is rewritten when the sign-in page would change its spelling', async () => {
    const { query } = newRequest('mail', CALLBACK)
    for (const spelling of [`${query}&x='"<>`, `${query}&x=${'a'.repeat(3000)}`, query.replaceAll('%2F', '/')]) {
      const answer = await visit(test.app, spelling, signedOut)
      const back = 'location' in answer ? new URL(answer.location, env.FW_BASE_URL).searchParams.get('return') : ''
      expect(safeReturnPath(back, env.FW_BASE_URL)).toBe(back)
      const code = await visit(test.app, back?.slice('/_fw/identity/authorize'.length) ?? '', signedOut)
      expect(code).toMatchObject({ location: expect.stringMatching(/^\/sign-in/) })
    }
  })
})

describe('hub authorization request with a session', () => {
  it('redirects back with only a code and the state', async () => {
    const person = await addPerson(test.app)
    const { query: asked, parameters: sent } = newRequest('mail', CALLBACK)
    const answer = await visit(test.app, asked, async () => sessionFor(person, 'google'))
    if (!('location' in answer)) throw new Error('a page')
    const { origin, pathname, searchParams, hash } = new URL(answer.location)
    expect([origin + pathname, hash, [...searchParams.keys()]]).toEqual([CALLBACK, '', ['code', 'state']])
    expect(searchParams.get('state')).toBe(sent.state)
    const code = searchParams.get('code') ?? ''
    expect(Buffer.from(code, 'base64url')).toHaveLength(32)
    const row = await peekOneTime(test.app, identityCode, code)
    expect(row?.payload).toMatchObject({ userId: person.id, provider: 'google', appId: 'mail', redirectUri: CALLBACK })
    expect(row && row.expiresAt.getTime() - row.createdAt.getTime()).toBe(60_000)
    const rows = await query(test.app, 'select * from fw_one_time')
    expect(JSON.stringify([rows, test.lines()])).not.toContain(code)
  })

  it.each([
    ['whose address nobody has confirmed', { emailVerified: false }, 'email-not-verified'],
    ['with the development account', { kind: 'dev' as const }, 'dev-account-refused'],
    ['with its address', { email: 'dev@local.test' }, 'dev-account-refused'],
  ])('returns 403 with instructions and without a code for a person %s', async (_, row, code) => {
    const person = await addPerson(test.app, row)
    const { query: asked } = newRequest('mail', CALLBACK)
    const answer = await visit(test.app, asked, async () => sessionFor(person))
    if (!('page' in answer)) throw new Error('a redirect')
    expect([answer.status, answer.page.html]).toEqual([403, expect.stringContaining(code)])
    const href = /class="button" href="([^"]+)"/.exec(answer.page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { pathname, searchParams } = new URL(href, env.FW_BASE_URL)
    expect([pathname, searchParams.get('return')]).toEqual(['/sign-in', `/_fw/identity/authorize${asked}`])
    const rows = await query(test.app, "select 1 from fw_one_time where purpose = 'identity-code' and subject = ?", [
      person.id,
    ])
    expect(rows).toEqual([])
  })

  it('allows sixty codes in ten minutes per person, and 120 requests a minute per address', async () => {
    const limited = await createTestApp({ ...env, FW_RATE_LIMITS: 'on' })
    const person = await addPerson(limited.app)
    const { query } = newRequest('mail', CALLBACK)
    const again = () => visit(limited.app, query, async () => sessionFor(person))
    for (let count = 0; count < 60; count++) await again()
    await expect(again()).rejects.toMatchObject({ code: 'rate-limited' })
    for (let count = 0; count < 59; count++) await visit(limited.app, query, signedOut)
    await expect(visit(limited.app, query, signedOut)).rejects.toMatchObject({ code: 'rate-limited' })
    await limited.close()
  })
})

describe('hub in development', () => {
  it('accepts every app on this machine under its own name, and its development account', async () => {
    const { IDENTITY_SSO_APP_REGISTRY_JSON: _, ...unregistered } = env
    const dev = await createTestApp({ ...unregistered, FW_BASE_URL: 'http://localhost:3000', NODE_ENV: 'development' })
    const person = await addPerson(dev.app, { kind: 'dev' })
    const go = (app: string, redirectUri: string, clientId = app) =>
      visit(dev.app, queryWith({ app, client_id: clientId, redirect_uri: redirectUri }), async () => sessionFor(person))
    const path = '/_fw/identity/callback'
    for (const origin of ['http://localhost:4000', 'http://127.0.0.2:4000', 'http://[::1]:4000', 'https://localhost']) {
      expect(await go('anything', origin + path)).toMatchObject({ location: expect.stringContaining(origin + path) })
    }
    for (const [app, uri, clientId] of [
      ['anything', `http://localhost:4000${path}/`],
      ['anything', `http://localhost:4000${path}?a`],
      ['anything', `http://localhost:4000${path}`, 'else'],
      ['anything', `https://mail.example.com${path}`],
      ['anything', `http://localhost.evil.test${path}`],
      ['anything', `http://127.evil.test${path}`],
    ] as const) {
      await expect(go(app, uri, clientId)).rejects.toMatchObject({ code: 'invalid-authorization-request' })
    }
    await dev.close()
  })
})
