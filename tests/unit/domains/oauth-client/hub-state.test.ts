import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubClientConfig } from '#fairway/server/kernel/config/identity-config'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import type { TestApp } from '../../../support/app'
import { CookieJar } from '../../../support/http'
import { startHub, type TestHub } from '../../../support/hub'
import { query } from '../../../support/query'
import { begin, createHubApp, end } from './hub-sign-in'

const REFUSED = '/sign-in?error=invalid-state'

let hub: TestHub
let test: TestApp
let count = 0

beforeAll(async () => {
  hub = await startHub()
})
afterAll(() => hub.stop())
beforeEach(async () => {
  test = await createHubApp(hub)
})
afterEach(() => test.close())

const newEmail = () => `someone${++count}@example.test`
const states = () => query(test.app, `select * from fw_one_time where purpose = 'hub-sign-in' and used_at is null`)
const events = () =>
  query(test.app, 'select kind, reason, subject, client_address from security_events order by at, id')

const later = (seconds: number): App => ({ ...test.app, now: () => new Date(Date.now() + seconds * 1000) })

/** Returns the application after its operator changed its settings for the hub. */
function withClient(changes: Partial<HubClientConfig>): App {
  const { config } = test.app
  const client = config.identity.client && { ...config.identity.client, ...changes }
  return { ...test.app, config: { ...config, identity: { ...config.identity, client } } }
}

/** Begins a sign-in and approves it at the hub. The browser has not returned yet. */
async function approved(jar = new CookieJar(), returnPath: unknown = '/notes') {
  const begun = await begin(test.app, jar, returnPath)
  return { ...begun, query: hub.approve(begun.url, { email: newEmail() }) }
}

describe('starting a hub sign-in', () => {
  it('stores state and verifier as hashes, and the data bound to them encrypted, for ten minutes', async () => {
    const { state, setCookies } = await begin(test.app)
    const [row] = await states()
    const verifier = /identity_verifier\.[\w-]+=(\w+);/.exec(setCookies.join('\n'))?.[1] ?? 'none'
    expect(state).toMatch(/^[0-9a-f]{64}$/)
    expect(verifier).toMatch(/^[A-Za-z0-9]{64}$/)
    expect(row).toMatchObject({ hash: sha256(state), browser_hash: sha256(verifier), subject: null })
    expect(Math.abs(Number(row?.expires_at) - Date.now() - 600_000)).toBeLessThan(5000)
    for (const secret of [state, verifier, '/notes', hub.origin]) expect(JSON.stringify(row)).not.toContain(secret)
  })

  it('sets a verifier cookie for the callback path only, and a __Host- cookie', async () => {
    const { setCookies, state, url } = await begin(test.app)
    expect(setCookies).toEqual([
      expect.stringMatching(
        /^__Host-fw\.identity\.[\w-]{16}=\d{13}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
      ),
      expect.stringMatching(
        /^__Secure-fw\.identity_verifier\.[\w-]{16}=\w{64}; Path=\/_fw\/identity\/callback; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
      ),
    ])
    for (const cookie of setCookies) expect(cookie).not.toContain(state)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      app: 'mail',
      client_id: 'mail',
      redirect_uri: 'https://app.example.test/_fw/identity/callback',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('allows five pending sign-ins per browser and ends the oldest', async () => {
    const jar = new CookieJar()
    const begun = []
    for (let tab = 0; tab < 6; tab++) {
      begun.push(await approved(jar, `/tab-${tab}`))
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    expect(jar.names.filter(name => name.includes('identity_verifier'))).toHaveLength(5)
    expect(jar.names).toHaveLength(10)
    const ends = []
    for (const { query: brought } of begun) {
      const ended = await end(test.app, brought, jar.header)
      jar.keep(ended.setCookies.filter(cookie => cookie.includes('identity')))
      ends.push(ended.location)
    }
    expect(ends).toEqual([REFUSED, '/tab-1', '/tab-2', '/tab-3', '/tab-4', '/tab-5'])
    expect(jar.names).toEqual([])
  })

  it.each([
    '//evil.test',
    '/\\evil.test',
    '/\tevil.test',
    'https:evil.test',
    'https://evil.test/',
    'https://app.example.test@evil.test/',
    'javascript:alert(1)',
    '/..//evil.test',
    '/.//evil.test',
    '/%2f/evil.test',
    '/%5cevil.test',
    '/\u{ff0e}/\u{ff0f}evil.test\n',
    '/sign-in?return=/sign-in',
    '/_fw/sign-in',
    `/${'a'.repeat(2100)}`,
    ['/a', '/b'],
    null,
  ])('redirects to / afterwards for the return path %j', async value => {
    const { query: brought, jar } = await approved(new CookieJar(), value)
    expect((await end(test.app, brought, jar.header)).location).toBe('/')
  })

  it.each(['/notes?q=//evil.test#x', '/caf%C3%A9', '/'])('keeps the return path %s', async path => {
    const { query: brought, jar } = await approved(new CookieJar(), path)
    expect((await end(test.app, brought, jar.header)).location).toBe(path)
  })
})

describe('hub sign-in callback', () => {
  it('deletes its cookies and its state', async () => {
    const { query: brought, jar } = await approved()
    const { setCookies, location } = await end(test.app, brought, jar.header)
    jar.keep(setCookies)
    expect([location, jar.names]).toEqual(['/notes', ['__Host-fw.session_token']])
    expect(await states()).toEqual([])
    expect((await end(test.app, brought, jar.header)).location).toBe(REFUSED)
  })

  it.each([undefined, '', 'nonsense', '0'.repeat(64), 'A'.repeat(64), `${'0'.repeat(64)}\n`, 'x'.repeat(100_000)])(
    'is rejected with the state %j',
    async state => {
      const { query: brought, jar } = await approved()
      brought.delete('state')
      if (state !== undefined) brought.set('state', state)
      expect(await end(test.app, brought, jar.header)).toMatchObject({ location: REFUSED, signedIn: false })
      expect(await events()).toMatchObject([{ kind: 'state-validation-failed', subject: 'hub' }])
    },
  )

  it('is rejected with two states', async () => {
    const { query: brought, jar, state } = await approved()
    brought.append('state', state)
    expect(await end(test.app, brought, jar.header)).toMatchObject({ location: REFUSED, signedIn: false })
  })

  it('is rejected without the verifier or __Host- cookie, or in another browser, and uses up the state', async () => {
    const another = await approved()
    for (const cookies of ['identity_verifier', 'fw.identity.']) {
      const { query: brought, jar } = await approved()
      expect(await end(test.app, brought, jar.without(cookies))).toMatchObject({ location: REFUSED, signedIn: false })
      expect(await end(test.app, brought, jar.header)).toMatchObject({ location: REFUSED, signedIn: false })
    }
    const stolen = await approved()
    expect(await end(test.app, stolen.query, another.jar.header)).toMatchObject({ location: REFUSED, signedIn: false })
    expect(await states()).toHaveLength(1)
    expect(hub.tokenRequests.map(({ code }) => code)).not.toContain(stolen.query.get('code'))
  })

  it('is rejected with the verifier of another sign-in', async () => {
    const jar = new CookieJar()
    const first = await approved(jar)
    const second = await approved(jar)
    const verifiers = jar.header.split('; ').filter(cookie => cookie.includes('identity_verifier'))
    const [mine = '', other = ''] = verifiers.map(cookie => cookie.split('=')[1] ?? '')
    const swapped = jar.header.replace(mine, other)
    expect(await end(test.app, first.query, swapped)).toMatchObject({ location: REFUSED, signedIn: false })
    expect(await end(test.app, second.query, jar.header)).toMatchObject({ signedIn: true })
  })

  it('finds its verifier next to one with the same cookie name', async () => {
    const { query: brought, jar } = await approved()
    const name = jar.names.find(known => known.includes('identity_verifier'))
    const header = `${name}=${'x'.repeat(64)}; ${jar.header}`
    expect(await end(test.app, brought, header)).toMatchObject({ location: '/notes', signedIn: true })
  })

  it.each<[string, () => App]>([
    ['has ended', () => later(601)],
    ['is of another hub', () => withClient({ url: 'https://other.example.test' })],
    ['is of another application', () => withClient({ appId: 'other' })],
    ['is of another client', () => withClient({ clientId: 'other' })],
    ['is of another callback', () => withClient({ callbackUrl: 'https://other.example.test/_fw/identity/callback' })],
  ])('is rejected with a state that %s, and only the browser that began keeps its return path', async (_, changed) => {
    const { query: brought, jar } = await approved()
    const { location, signedIn } = await end(changed(), brought, jar.header)
    expect([location, signedIn]).toEqual([`${REFUSED}&return=%2Fnotes`, false])
    expect(await states()).toEqual([])
    const before = await approved()
    expect((await end(changed(), before.query, '')).location).toBe(REFUSED)
  })

  it('signs in once for concurrent requests', async () => {
    const { query: brought, jar } = await approved()
    const ends = await Promise.all(Array.from({ length: 10 }, () => end(test.app, brought, jar.header)))
    expect(ends.filter(({ signedIn }) => signedIn)).toHaveLength(1)
    expect(ends.filter(({ location }) => location === REFUSED)).toHaveLength(9)
  })

  it('works in two concurrent tabs, also when neither knew of the other', async () => {
    const jar = new CookieJar()
    const [one, two] = await Promise.all([approved(jar, '/one'), approved(jar, '/two')])
    const ends = await Promise.all([one, two].map(tab => end(test.app, tab.query, jar.header)))
    expect(ends.map(({ location }) => location)).toEqual(['/one', '/two'])
  })

  it.each([
    ['token', 'abc'],
    ['id_token', 'abc'],
    ['access_token', 'abc'],
    ['assertion', 'abc'],
    ['Assertion', 'abc'],
    ['client_assertion', 'abc'],
    ['jwt', 'abc'],
    ['anything', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.abc'],
  ])('is rejected with %s in the URL, and uses up the state', async (name, value) => {
    const { query: brought, jar } = await approved()
    brought.set(name, value)
    const { location, signedIn } = await end(test.app, brought, jar.header)
    expect([location, signedIn]).toEqual(['/sign-in?error=provider-failed&return=%2Fnotes', false])
    expect(await states()).toEqual([])
    brought.delete(name)
    expect((await end(test.app, brought, jar.header)).location).toBe(REFUSED)
    const alone = new URLSearchParams({ [name]: value })
    expect(await end(test.app, alone, '')).toMatchObject({ location: REFUSED, signedIn: false })
  })

  it.each([
    ['no code', undefined],
    ['an empty code', ['']],
    ['a code with a line end', ['abcdefghijklmnopqrstuvwxyz\n']],
    ['a code that is too long', ['a'.repeat(600)]],
    ['two codes', ['a'.repeat(43), 'b'.repeat(43)]],
  ])('is rejected with %s without calling the hub', async (_, codes) => {
    const { query: brought, jar } = await approved()
    brought.delete('code')
    for (const code of codes ?? []) brought.append('code', code)
    const asked = hub.tokenRequests.length
    const { location } = await end(test.app, brought, jar.header)
    expect([location, hub.tokenRequests.length]).toEqual(['/sign-in?error=provider-failed&return=%2Fnotes', asked])
  })

  it('is rejected from another issuer (mix-up)', async () => {
    const { query: brought, jar } = await approved()
    brought.set('iss', 'https://evil.test')
    expect((await end(test.app, brought, jar.header)).location).toContain('invalid-provider-answer')
    const good = await approved()
    good.query.set('iss', hub.origin)
    expect((await end(test.app, good.query, good.jar.header)).location).toBe('/notes')
  })

  it('reports a cancellation, and repeats no text from the URL', async () => {
    for (const [error, code] of [
      ['access_denied', 'access-denied'],
      ['server_error', 'provider-failed'],
      ['<script>', 'provider-failed'],
    ]) {
      const { state, jar } = await begin(test.app)
      const said = new URLSearchParams({ state, error: error ?? '', error_description: 'Free money at evil.test' })
      expect((await end(test.app, said, jar.header)).location).toBe(`/sign-in?error=${code}&return=%2Fnotes`)
    }
    expect(JSON.stringify(await events())).not.toMatch(/money|script/)
  })

  it('is recorded with its kind and client address, without secrets', async () => {
    const { query: brought, jar, state } = await approved()
    await end(test.app, brought, '')
    await end(test.app, brought, jar.header)
    expect(await events()).toMatchObject([
      { kind: 'state-validation-failed', subject: 'hub', client_address: '192.0.2.1' },
      { kind: 'state-validation-failed', subject: 'hub', client_address: '192.0.2.1' },
    ])
    const log = JSON.stringify(test.lines())
    for (const secret of [state, brought.get('code') ?? '', 'eyJ', '@example.test']) expect(log).not.toContain(secret)
  })
})

describe('purgeOneTime', () => {
  it('deletes sign-ins that ended a day ago and keeps the others', async () => {
    await begin(test.app)
    await query(test.app, 'update fw_one_time set expires_at = ?', [Date.now() - 86_401_000])
    const late = await approved()
    await query(test.app, 'update fw_one_time set expires_at = ? where expires_at > ?', [Date.now() - 1000, Date.now()])
    await begin(test.app)
    await purgeOneTime(test.app)
    expect(await states()).toHaveLength(2)
    expect((await end(test.app, late.query, late.jar.header)).location).toBe(`${REFUSED}&return=%2Fnotes`)
  })
})
