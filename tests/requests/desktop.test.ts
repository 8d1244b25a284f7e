import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  desktopAvailabilitySchema,
  desktopCeremonySchema,
  desktopExchangeSchema,
} from '#fairway/shared/schemas/desktop'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { statusAndCode } from '../support/error-code'
import { fwBeside } from '../support/fw'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { aCeremony, hubEnv, registered } from '../support/hub'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'

const OPERATOR = 'operator@example.test'
const AVAILABILITY = '/_fw/desktop/availability'
const CEREMONIES = '/_fw/desktop/ceremonies'

let hub: TestServer
let plain: TestServer
let world: ReturnType<typeof createTeamWorld>
let env: Record<string, string>
const secrets: string[] = []

beforeAll(async () => {
  env = { ...hubEnv([registered('mail'), registered('docs')]), FW_OPERATORS: OPERATOR }
  hub = await borrowServer({ env })
  plain = await borrowServer()
  world = createTeamWorld(hub)
})
afterAll(async () => {
  for (const secret of secrets) expect(hub.log()).not.toContain(secret)
  await Promise.all([hub, plain].map(server => server.stop()))
})
beforeEach(() => switchTo(1))

const switchTo = (isOn: number) =>
  query(
    hub,
    `insert into feature_flags (name, is_on, updated_at, updated_by) values ('desktop.workspace-sso', ?, 1, 'test')
      on conflict (name) do update set is_on = excluded.is_on`,
    [isOn],
  )

async function begin(browser: TestBrowser) {
  const { verifier, input } = aCeremony()
  const answer = await browser.post(CEREMONIES, { json: input })
  expect(answer.status).toBe(201)
  const ceremony = desktopCeremonySchema.parse(await answer.json())
  secrets.push(verifier, input.nonce)
  const path = ceremony.url.slice(hub.origin.length)
  const complete = ceremony.completionUrl.slice(hub.origin.length)
  return { id: ceremony.id, verifier, path, complete, answer }
}

const exchange = (browser: TestBrowser, { id, verifier }: { id: string; verifier: string }, query = '') =>
  browser.post(`${CEREMONIES}/${id}/exchange${query}`, { headers: { 'x-fairway-verifier': verifier } })

const confirm = async (browser: TestBrowser, path: string) => {
  const account = /name="account" value="([^"]+)"/.exec(await (await browser.get(path)).text())?.[1] ?? ''
  return browser.post(path, { form: { decision: 'continue', account } })
}

async function confirmed() {
  const person = await world.person()
  const ceremony = await begin(person.browser)
  expect((await confirm(person.browser, ceremony.path)).status).toBe(303)
  return { ...ceremony, ...person }
}

const fwDesktop = (command: string, server: TestServer, settings: Record<string, string>) =>
  fwBeside(server, ['desktop', command], { NODE_ENV: 'test', ...settings })

describe('Disabled desktop sign-in', () => {
  it('returns the same 404 as an unknown path for every method, even to the desktop user agent', async () => {
    await switchTo(0)
    const browser = createBrowser(hub.origin)
    const seen = async (path: string, method: string) => {
      const headers = { 'user-agent': 'Mozilla/5.0 Fairway-Desktop/1.0' }
      const answer = await browser.request(path, { method, headers })
      const body = method === 'HEAD' ? {} : await answer.json()
      return { status: answer.status, type: answer.headers.get('content-type'), ...body, requestId: '', instance: '' }
    }
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const nothing = await seen('/_fw/desktop/nothing', method)
      expect(nothing.status).toBe(404)
      for (const path of [
        CEREMONIES,
        `${CEREMONIES}/any`,
        `${CEREMONIES}/any/exchange`,
        '/_fw/desktop/complete',
        '/_fw/desktop/apps',
      ]) {
        expect([path, await seen(path, method)]).toEqual([path, nothing])
      }
    }
    expect(await (await browser.get(AVAILABILITY)).json()).toEqual({ available: false, client: null })
    expect((await createBrowser(plain.origin).get(AVAILABILITY)).status).toBe(404)
    expect((await createBrowser(plain.origin).post(CEREMONIES, { json: aCeremony().input })).status).toBe(404)
  })

  it('is off when the switch cannot be read, while sign-in, sign-out and settings still work', async () => {
    const { browser, email } = await world.person()
    const ceremony = await begin(browser)
    await query(hub, 'alter table feature_flags rename to hidden_flags')
    try {
      expect(await (await browser.get(AVAILABILITY)).json()).toEqual({ available: false, client: null })
      expect((await browser.get(ceremony.path)).status).toBe(404)
      expect((await browser.get('/_fw/account/mail')).status).toBe(200)
      expect((await browser.post('/_fw/auth/sign-out', { json: {} })).status).toBe(200)
      const signIn = await browser.post('/_fw/auth/sign-in/email', { json: { email, password: PASSWORD } })
      expect(signIn.status).toBe(200)
      expect((await sessionOf(browser)).email).toBe(email)
    } finally {
      await query(hub, 'alter table hidden_flags rename to feature_flags')
    }
    expect((await browser.get(ceremony.path)).status).toBe(200)
  })
})

describe('Desktop sign-in switch', () => {
  it('can be changed by operators only', async () => {
    const put = (browser: TestBrowser, json: unknown = { available: false }, headers = {}) =>
      browser.request(AVAILABILITY, { method: 'PUT', json, headers })
    expect(await statusAndCode(await put(createBrowser(hub.origin)))).toEqual([401, 'unauthenticated'])
    expect(await statusAndCode(await put((await world.person()).browser))).toEqual([404, 'not-found'])
    const operator = await world.person({ email: OPERATOR, verified: false })
    expect((await put(operator.browser)).status).toBe(404)
    await query(hub, 'update users set email_verified = 1 where email = ?', [OPERATOR])
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    expect(await statusAndCode(await put(operator.browser, { available: false }, foreign))).toEqual([
      403,
      'cross-origin',
    ])
    expect(await statusAndCode(await put(operator.browser, { available: 'no' }))).toEqual([400, 'invalid-input'])
    expect(await statusAndCode(await put(operator.browser, {}))).toEqual([400, 'invalid-input'])
    for (const available of [false, true]) {
      const answer = await put(operator.browser, { available })
      expect([answer.status, await answer.json()]).toEqual([200, { available, client: null }])
      const asked = await createBrowser(hub.origin).get(AVAILABILITY)
      expect(desktopAvailabilitySchema.parse(await asked.json())).toEqual({ available, client: null })
      expect(asked.headers.get('cache-control')).toBe('no-store')
    }
    const [row] = await query(hub, 'select updated_by from feature_flags')
    expect(row?.updated_by).toBe(operator.userId)
  })

  it('can be changed on the command line, but not turned on without a hub', async () => {
    const settings = { ...env, FW_BASE_URL: hub.origin }
    expect(await fwDesktop('off', hub, settings)).toMatchObject({ code: 0, both: expect.stringContaining('is off') })
    expect((await createBrowser(hub.origin).post(CEREMONIES, { json: aCeremony().input })).status).toBe(404)
    expect(await fwDesktop('on', hub, settings)).toMatchObject({ code: 0, both: expect.stringContaining('is on') })
    expect(await fwDesktop('status', hub, settings)).toMatchObject({
      code: 0,
      out: 'Desktop sign-in is on.\nThis application is an identity hub of 2 applications.\n',
    })
    const refused = await fwDesktop('on', plain, { FW_BASE_URL: plain.origin })
    expect(refused).toMatchObject({ code: 1, both: expect.stringContaining('A2A_SECRET') })
  }, 120_000)
})

describe('Desktop sign-in ceremony', () => {
  it('requires a session and a confirmed address, then allows one exchange', async () => {
    const browser = createBrowser(hub.origin)
    const ceremony = await begin(browser)
    expect(ceremony.answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^fw\.desktop_binding=[\w-]{43}; Path=\/_fw\/desktop; HttpOnly; SameSite=Lax; Max-Age=300$/,
      ),
    ])
    const signedOut = await browser.get(ceremony.path)
    expect([signedOut.status, signedOut.headers.get('location')]).toEqual([
      303,
      `/sign-in?${new URLSearchParams({ return: ceremony.path })}`,
    ])
    expect((await browser.get(ceremony.complete)).status).toBe(401)
    const email = 'ceremony@example.test'
    await signUp(browser, { email, password: PASSWORD, name: 'Ada' })
    const unverified = await browser.get(ceremony.path)
    expect([unverified.status, await unverified.text()]).toEqual([403, expect.stringContaining('email-not-verified')])
    await query(hub, 'update users set email_verified = 1 where email = ?', [email])
    expect(await statusAndCode(await exchange(browser, ceremony))).toEqual([409, 'ceremony-pending'])

    const page = await browser.get(ceremony.path)
    expect(page.status).toBe(200)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      // With no-referrer, a browser would send `null` as the origin of the page's form.
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining(`frame-ancestors 'none'`),
    })
    const html = await page.text()
    for (const shown of [email, 'mail.example.test', 'docs.example.test']) expect(html).toContain(shown)
    expect((await browser.get(ceremony.complete)).status).toBe(403)

    const done = await confirm(browser, ceremony.path)
    expect([done.status, done.headers.get('location')]).toEqual([303, ceremony.complete])
    const last = await browser.get(ceremony.complete)
    expect([last.status, await last.text()]).toEqual([200, expect.stringContaining('You can close this window')])
    const answer = await exchange(browser, ceremony)
    expect(answer.status).toBe(200)
    const told = desktopExchangeSchema.parse(await answer.json())
    expect([told.email, told.apps.map(({ appId }) => appId)]).toEqual([email, ['mail', 'docs']])
    expect(await statusAndCode(await exchange(browser, ceremony))).toEqual([410, 'ceremony-ended'])
    expect((await browser.get(ceremony.path)).status).toBe(410)
  })

  it('returns 400 for an invalid challenge or nonce', async () => {
    const { input } = aCeremony()
    const bad = [
      {},
      { ...input, codeChallenge: 'short' },
      { ...input, codeChallenge: `${input.codeChallenge}=` },
      { ...input, nonce: 'x'.repeat(31) },
      { ...input, nonce: 'x'.repeat(129) },
      { ...input, nonce: `${input.nonce}&` },
      { ...input, verifier: 'never sent' },
    ]
    for (const json of bad) {
      const answer = await createBrowser(hub.origin).post(CEREMONIES, { json })
      expect([json, answer.status, answer.headers.getSetCookie()]).toEqual([json, 400, []])
    }
  })

  it('lets the person sign in with another account', async () => {
    const { browser, userId } = await world.person()
    const { path } = await begin(browser)
    const answer = await browser.post(path, { form: { decision: 'other', account: userId } })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/sign-in?${new URLSearchParams({ return: path })}`,
    ])
    expect(await sessionOf(browser)).toBeNull()
    await signUp(browser, { email: 'another@example.test', password: PASSWORD, name: 'Another' })
    await query(hub, `update users set email_verified = 1 where email = 'another@example.test'`)
    expect(await (await browser.get(path)).text()).toContain('another@example.test')
  })
})

describe('GET /_fw/desktop/apps', () => {
  it('returns the applications to people signed in at the hub with a confirmed address', async () => {
    const ask = (browser: TestBrowser) => browser.get('/_fw/desktop/apps')
    const { browser, email } = await world.person()
    const told = desktopExchangeSchema.parse(await (await ask(browser)).json())
    expect([told.email, told.apps.map(({ appId }) => appId)]).toEqual([email, ['mail', 'docs']])
    expect(await statusAndCode(await ask(createBrowser(hub.origin)))).toEqual([401, 'unauthenticated'])
    const unverified = await world.person({ verified: false })
    expect(await statusAndCode(await ask(unverified.browser))).toEqual([403, 'email-not-verified'])
  })
})

describe('POST /_fw/desktop/ceremonies/{id}/exchange', () => {
  it('accepts the verifier in the header only', async () => {
    const { browser, ...ceremony } = await confirmed()
    for (const query of [`?verifier=${ceremony.verifier}`, '?a=1', '?']) {
      expect([query, (await exchange(browser, ceremony, query)).status]).toEqual([query, 400])
    }
    const asked = await browser.get(`${CEREMONIES}/${ceremony.id}/exchange`)
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await exchange(browser, ceremony)).status).toBe(200)
  })

  it('returns 500 without details for an incomplete row and keeps the row', async () => {
    const { browser, ...ceremony } = await confirmed()
    await query(hub, 'update fw_one_time set payload = null where hash = ?', [sha256(ceremony.id)])
    const answer = await exchange(browser, ceremony)
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('confirmed')])
    const rows = await query(hub, 'select used_at, payload from fw_one_time where hash = ?', [sha256(ceremony.id)])
    expect(rows).toMatchObject([{ used_at: null, payload: null }])
  })
})
