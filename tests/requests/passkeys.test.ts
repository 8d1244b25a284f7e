import { describe, expect, it } from 'vitest'
import { type Authenticator, createAuthenticator, type Lie } from '../support/authenticator'
import { codeOf } from '../support/error-code'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { databaseOf, borrowServer } from '../support/server'
import { useServer } from '../support/use-server'

const REGISTRATION = '/_fw/passkeys/registration'
const OPTIONS = '/_fw/auth/passkey/options'
const VERIFY = '/_fw/auth/passkey/verify'

const server = useServer()
let count = 0

const passkeysOf = async (browser: TestBrowser) => (await (await browser.get('/_fw/passkeys')).json()).passkeys

async function aPerson() {
  const browser = createBrowser(server.origin)
  const email = `person${++count}@example.test`
  await signUp(browser, { email, password: 'zebra quilt 7 lantern', name: 'Person' })
  const { userId } = await sessionOf(browser)
  return { browser, email, userId: userId as string }
}

const optionsOf = async (browser: TestBrowser) => (await browser.post(REGISTRATION, { json: {} })).json()

async function register(browser: TestBrowser, authenticator: Authenticator, name?: string, lie?: Lie) {
  const response = authenticator.create(await optionsOf(browser), lie)
  return browser.request(REGISTRATION, { method: 'PUT', json: { response, ...(name ? { name } : {}) } })
}

async function aPersonWithPasskey() {
  const person = await aPerson()
  const authenticator = createAuthenticator(server.origin)
  const answer = await register(person.browser, authenticator, 'Laptop')
  if (!answer.ok) throw new Error(await answer.text())
  return { ...person, authenticator, passkeyId: (await answer.json()).passkey.id as string }
}

async function signIn(browser: TestBrowser, authenticator: Authenticator, lie?: Lie): Promise<Response> {
  const options = await (await browser.post(OPTIONS, { json: {} })).json()
  return browser.post(VERIFY, { json: { response: authenticator.get(options, lie) } })
}

describe('passkey registration', () => {
  it('requires a discoverable passkey with user verification, bound to the configured host', async () => {
    const { browser, email } = await aPersonWithPasskey()
    const answer = await browser.post(REGISTRATION, { json: {}, headers: { host: 'evil.test' } }).catch(() => undefined)
    const options = answer?.ok ? await answer.json() : await optionsOf(browser)
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Fairway' },
      user: { name: email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    expect(options.excludeCredentials).toHaveLength(1)
    const again = await browser.post(REGISTRATION, { json: {} })
    expect(again.headers.get('set-cookie')).toMatch(
      /^fw\.passkey=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=300$/,
    )
    expect(again.headers.get('cache-control')).toBe('no-store')
  })

  it('lists the passkey with its name and without its keys', async () => {
    const { browser, passkeyId } = await aPersonWithPasskey()
    expect(await passkeysOf(browser)).toEqual([
      { id: passkeyId, name: 'Laptop', createdAt: expect.any(String), lastUsedAt: null, backedUp: false },
    ])
  })

  it('uses a default name when none is given', async () => {
    const { browser } = await aPerson()
    await register(browser, createAuthenticator(server.origin))
    expect(await passkeysOf(browser)).toMatchObject([{ name: 'Passkey' }])
  })

  it.each<[string, Lie]>([
    ['made on another site', { origin: 'https://evil.test' }],
    ['made for another host', { rpId: 'evil.test' }],
    ['made without unlocking it', { userVerified: false }],
    ['made for signing in', { type: 'webauthn.get' }],
  ])('rejects a passkey that was %s', async (_what, lie) => {
    const { browser } = await aPerson()
    const answer = await register(browser, createAuthenticator(server.origin), 'Bad', lie)
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'passkey-refused'])
    expect(await passkeysOf(browser)).toEqual([])
  })

  it('accepts a response once, within five minutes, from the browser and person that requested it', async () => {
    const { browser } = await aPerson()
    const { browser: other } = await aPerson()
    const authenticator = createAuthenticator(server.origin)
    const put = (who: TestBrowser, response: unknown) =>
      who.request(REGISTRATION, { method: 'PUT', json: { response } })
    await optionsOf(other)
    const foreign = await put(other, authenticator.create(await optionsOf(browser)))
    expect([foreign.status, await codeOf(foreign)]).toEqual([410, 'passkey-challenge-ended'])

    const response = authenticator.create(await optionsOf(browser))
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(browser, response)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 410, 410, 410, 410, 410])

    const late = createAuthenticator(server.origin).create(await optionsOf(browser))
    await query(server, "update fw_one_time set expires_at = ? where purpose = 'passkey-challenge'", [Date.now() - 1])
    expect((await put(browser, late)).status).toBe(410)
  })

  it('returns 409 for a passkey that another person has registered', async () => {
    const { authenticator } = await aPersonWithPasskey()
    const { browser } = await aPerson()
    const answer = await register(browser, authenticator)
    expect([answer.status, await codeOf(answer)]).toEqual([409, 'passkey-exists'])
  })

  it('stops at 20 passkeys, even with simultaneous requests', async () => {
    const { browser, userId } = await aPerson()
    for (let index = 0; index < 18; index++) {
      await query(
        server,
        `insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, backed_up, created_at) values (?, ?, 'x', ?, '', 0, '', 0, 0)`,
        [`id-${index}`, userId, `credential-${index}`],
      )
    }
    const responses = []
    for (let index = 0; index < 5; index++)
      responses.push(createAuthenticator(server.origin).create(await optionsOf(browser)))
    const answers = await Promise.all(
      responses.map(response => browser.request(REGISTRATION, { method: 'PUT', json: { response } })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409])
    expect(await passkeysOf(browser)).toHaveLength(20)
    expect(await codeOf(await browser.post(REGISTRATION, { json: {} }))).toBe('too-many-passkeys')
  })
})

describe('passkey sign-in', () => {
  it('requires no account name and creates a session that records the sign-in method', async () => {
    const { email, authenticator, browser: first } = await aPersonWithPasskey()
    const browser = createBrowser(server.origin)
    const options = await (await browser.post(OPTIONS, { json: {} })).json()
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(options.allowCredentials ?? []).toEqual([])
    const answer = await browser.post(VERIFY, { json: { response: authenticator.get(options) } })
    expect([answer.status, await answer.json()]).toEqual([200, { success: true }])
    expect(await sessionOf(browser)).toMatchObject({ email, provider: 'passkey' })
    expect(await passkeysOf(first)).toMatchObject([{ lastUsedAt: expect.any(String) }])
  })

  it.each<[string, Lie]>([
    ['given to another site', { origin: 'https://evil.test' }],
    ['given for another host', { rpId: 'evil.test' }],
    ['given without unlocking it', { userVerified: false }],
    ['signed with another key', { badSignature: true }],
    ['given in the name of another person', { userHandle: Buffer.from('somebody').toString('base64url') }],
    ['made for registering', { type: 'webauthn.create' }],
  ])('rejects a response that was %s', async (_what, lie) => {
    const { authenticator } = await aPersonWithPasskey()
    const browser = createBrowser(server.origin)
    const answer = await signIn(browser, authenticator, lie)
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'passkey-refused'])
    expect(await sessionOf(browser)).toBeNull()
    expect((await signIn(browser, authenticator)).status).toBe(200)
  })

  it('rejects a counter that does not increase', async () => {
    const { authenticator } = await aPersonWithPasskey()
    const browser = createBrowser(server.origin)
    expect((await signIn(browser, authenticator, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0]) expect((await signIn(browser, authenticator, { counter })).status).toBe(401)
    expect((await signIn(browser, authenticator, { counter: 8 })).status).toBe(200)
  })

  it('accepts one of five simultaneous responses with the same counter', async () => {
    const { authenticator, userId } = await aPersonWithPasskey()
    const browsers = Array.from({ length: 5 }, () => createBrowser(server.origin))
    const answers = await Promise.all(browsers.map(browser => signIn(browser, authenticator, { counter: 3 })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
    expect(
      await query(server, `select id from sessions where provider = 'passkey' and user_id = ?`, [userId]),
    ).toHaveLength(1)
  })

  it('accepts a response once, from the requesting browser and for its own purpose', async () => {
    const { authenticator, browser: owner } = await aPersonWithPasskey()
    const browser = createBrowser(server.origin)
    const other = createBrowser(server.origin)
    await other.post(OPTIONS, { json: {} })
    const response = authenticator.get(await (await browser.post(OPTIONS, { json: {} })).json())
    expect((await other.post(VERIFY, { json: { response } })).status).toBe(410)
    expect((await createBrowser(server.origin).post(VERIFY, { json: { response } })).status).toBe(410)
    expect((await browser.post(VERIFY, { json: { response } })).status).toBe(200)
    expect((await browser.post(VERIFY, { json: { response } })).status).toBe(410)

    const { challenge } = await optionsOf(owner)
    const crossed = await owner.post(VERIFY, {
      json: { response: authenticator.get({ challenge, rpId: 'localhost' }) },
    })
    expect(await codeOf(crossed)).toBe('passkey-challenge-ended')
  })

  it('works in several tabs of one browser', async () => {
    const { authenticator } = await aPersonWithPasskey()
    const browser = createBrowser(server.origin)
    const first = await (await browser.post(OPTIONS, { json: {} })).json()
    await browser.post(OPTIONS, { json: {} })
    expect((await browser.post(VERIFY, { json: { response: authenticator.get(first) } })).status).toBe(200)
  })

  it('stops working when the passkey is deleted', async () => {
    const { authenticator, browser: owner, passkeyId } = await aPersonWithPasskey()
    expect((await owner.request(`/_fw/passkeys/${passkeyId}`, { method: 'DELETE' })).status).toBe(204)
    const answer = await signIn(createBrowser(server.origin), authenticator)
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'unknown-passkey'])
    expect((await owner.request(`/_fw/passkeys/${passkeyId}`, { method: 'DELETE' })).status).toBe(404)
  })
})

describe('passkeys', () => {
  it('return 404 to another person', async () => {
    const { passkeyId, browser: owner } = await aPersonWithPasskey()
    const { browser } = await aPerson()
    const path = `/_fw/passkeys/${passkeyId}`
    expect((await browser.request(path, { method: 'PATCH', json: { name: 'Mine' } })).status).toBe(404)
    expect((await browser.request(path, { method: 'DELETE' })).status).toBe(404)
    expect(await passkeysOf(owner)).toMatchObject([{ name: 'Laptop' }])
  })

  it('return a status below 500 for malformed input', async () => {
    const { browser } = await aPerson()
    const good = createAuthenticator(server.origin).create(await optionsOf(browser))
    const bad: unknown[] = [
      {},
      null,
      { response: null },
      { response: { ...good, response: {} } },
      { response: { ...good, type: 'other' } },
      { response: { ...good, rawId: 'AAAA' } },
      { response: { ...good, response: { ...good.response, clientDataJSON: 'bm9qc29u' } } },
      { response: { ...good, response: { ...good.response, attestationObject: 'AAAA' } } },
      { response: good, name: '' },
      { response: good, name: 'a\u0000b' },
      { response: good, name: 'x'.repeat(61) },
    ]
    for (const json of bad) {
      expect((await browser.request(REGISTRATION, { method: 'PUT', json })).status).toBeLessThan(500)
      expect((await browser.post(VERIFY, { json })).status).toBeLessThan(500)
    }
  })

  it('return 429 after 60 sign-in attempts', async () => {
    const limited = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    const browser = createBrowser(limited.origin)
    const options = await (await browser.post(OPTIONS, { json: {} })).json()
    const response = createAuthenticator(limited.origin).get(options, { userHandle: null })
    const statuses = []
    for (let index = 0; index < 61; index++) statuses.push((await browser.post(VERIFY, { json: { response } })).status)
    await limited.stop()
    expect([statuses[0], statuses[59], statuses[60]]).toEqual([401, 410, 429])
  })
})

describe('development account', () => {
  it('can use passkeys, which are rejected when its database is used in production', async () => {
    const development = await borrowServer({ env: { NODE_ENV: 'development' } })
    const browser = createBrowser(development.origin)
    await browser.get('/sign-in')
    const authenticator = createAuthenticator(development.origin)
    expect((await register(browser, authenticator, 'Dev')).status).toBe(201)
    const again = createBrowser(development.origin)
    expect((await signIn(again, authenticator)).status).toBe(200)
    expect(await sessionOf(again)).toMatchObject({ email: 'dev@local.test', provider: 'passkey' })
    const production = await borrowServer({
      env: {
        NODE_ENV: 'production',
        BETTER_AUTH_SECRET: development.secret,
        DATABASE_URL: databaseOf(development),
      },
    })
    const answer = await signIn(createBrowser(production.origin), authenticator, { origin: production.origin })
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'dev-account-refused'])
    await production.stop()
    await development.stop()
  })
})

describe('AUTH_DISABLED', () => {
  it('prevents adding a passkey, which would outlive the setting', async () => {
    const open = await borrowServer({ env: { AUTH_DISABLED: 'true' } })
    const answer = await createBrowser(open.origin).post(REGISTRATION, { json: {} })
    expect([answer.status, await codeOf(answer)]).toEqual([403, 'fresh-session-required'])
    await open.stop()
  })
})
