import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, type TestBrowser } from '../support/http'
import { newRequest, registered } from '../support/hub'
import { startSmtp } from '../support/mail'
import { postForm } from '../support/oauth-grant'
import { query } from '../support/query'
import { A2A_SECRET } from '../support/secrets'
import { startServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'

const APP = 'https://mail.example.com'
const CALLBACK = `${APP}/_fw/identity/callback`
const AUTHORIZE = '/_fw/identity/authorize'
const env = {
  A2A_SECRET,
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify([{ appId: 'broken' }, registered('mail', APP)]),
}

/** Two processes that share one database and one public address. */
let hub: TestServer
let beside: TestServer
let world: ReturnType<typeof createTeamWorld>
beforeAll(async () => {
  const FW_DATA_DIR = mkdtempSync(join(tmpdir(), 'fw-hub-'))
  hub = await startServer({ env: { ...env, FW_DATA_DIR } })
  beside = await startServer({ env: { ...env, FW_DATA_DIR, FW_BASE_URL: hub.origin } })
  hub = { ...hub, dataDir: FW_DATA_DIR }
  world = createTeamWorld(hub)
})
afterAll(async () => {
  await hub.stop()
  await beside.stop()
})

const locationOf = (answer: Response) => new URL(answer.headers.get('location') ?? '', hub.origin)

/** The fields of a token request with a new code for this browser. */
async function codeFor(browser: TestBrowser) {
  const { query, verifier } = newRequest('mail', CALLBACK)
  const code = locationOf(await browser.get(AUTHORIZE + query)).searchParams.get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: 'mail',
    redirect_uri: CALLBACK,
  }
}

const tokenUrl = (server = hub) => `${server.origin}/_fw/identity/token`
const postJson = (body: unknown, headers: Record<string, string> = {}, server = hub) =>
  fetch(tokenUrl(server), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('GET /_fw/identity/authorize', () => {
  it('signs the person in at the hub and returns a code that the application redeems', async () => {
    const { email, userId } = await world.person()
    const browser = createBrowser(hub.origin)
    const { query, parameters, verifier } = newRequest('mail', CALLBACK)
    const first = await browser.get(AUTHORIZE + query)
    expect([first.status, locationOf(first).pathname]).toEqual([303, '/sign-in'])
    expect(locationOf(first).searchParams.get('return')).toBe(AUTHORIZE + query)
    const form = { intent: 'sign-in', email, password: PASSWORD }
    const signedIn = await browser.post(first.headers.get('location') ?? '', { form })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, AUTHORIZE + query])
    const back = await browser.get(signedIn.headers.get('location') ?? '')
    expect([back.status, back.headers.get('cache-control'), back.headers.get('referrer-policy')]).toEqual([
      303,
      'no-store',
      'no-referrer',
    ])
    expect(back.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
    const { searchParams, origin, pathname } = locationOf(back)
    expect([origin + pathname, [...searchParams.keys()]]).toEqual([CALLBACK, ['code', 'state']])
    expect(searchParams.get('state')).toBe(parameters.state)
    const answer = await postJson({
      grant_type: 'authorization_code',
      code: searchParams.get('code'),
      code_verifier: verifier,
      client_id: 'mail',
      redirect_uri: CALLBACK,
    })
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual([
      200,
      'private, no-store',
      'no-cache',
    ])
    const body = await answer.json()
    expect(body).toEqual({ assertion: expect.any(String), token_type: 'identity-assertion', expires_in: 60 })
    expect(decodeJwt(body.assertion)).toMatchObject({
      iss: hub.origin,
      aud: CALLBACK,
      sub: userId,
      email,
      auth_provider: 'password',
    })
  })
})

describe('GET /_fw/identity/authorize with an unconfirmed address', () => {
  it('lets the person confirm it by an emailed link and continue to the application', async () => {
    const smtp = await startSmtp()
    const mail = { SMTP_URL: smtp.url, EMAIL_FROM: 'Hub <no-reply@example.test>' }
    const server = await startServer({ env: { ...env, ...mail } })
    const { query } = newRequest('mail', CALLBACK)
    const there = createTeamWorld(server)
    const { browser, email } = await there.person({ verified: false })
    const page = await (await browser.get(AUTHORIZE + query)).text()
    const href = /class="button" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect((await browser.get(href)).status).toBe(200)
    await browser.post(href, { form: { intent: 'magic-link', email } })
    const { link } = await smtp.mailTo(email, /Sign in/)
    const { pathname, search, searchParams } = new URL(link)
    await browser.get(pathname + search)
    const form = { token: searchParams.get('token') ?? '', where: 'here' }
    const confirmed = await browser.post('/_fw/auth/link', { form })
    // The account was used before its address was confirmed, so its owner reviews it first.
    const claim = `/_fw/claim?${new URLSearchParams({ return: AUTHORIZE + query })}`
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, claim])
    const decided = await browser.post(claim, { form: { decision: 'all-mine' } })
    expect([decided.status, decided.headers.get('location')]).toEqual([303, AUTHORIZE + query])
    const back = await browser.get(AUTHORIZE + query)
    expect([back.status, locationOf(back).origin + locationOf(back).pathname]).toEqual([303, CALLBACK])
    await server.stop()
    await smtp.stop()
  })
})

describe('Authorization request validation', () => {
  const { query } = newRequest('mail', 'https://evil.mail.example.com/_fw/identity/callback')
  const bad = [
    '',
    query,
    newRequest('nobody', CALLBACK).query,
    newRequest('mail', `${CALLBACK}?next=/`).query,
    `${newRequest('mail', CALLBACK).query}&state=${'a'.repeat(43)}`,
  ]

  it.each(bad)('returns 400 with a page to everyone, signed in or not: %s', async asked => {
    const { browser } = await world.person()
    for (const visitor of [browser, createBrowser(hub.origin)]) {
      const answer = await visitor.get(AUTHORIZE + asked, { headers: { accept: 'text/html' } })
      expect([answer.status, answer.headers.get('location'), answer.headers.get('referrer-policy')]).toEqual([
        400,
        null,
        'no-referrer',
      ])
      expect(answer.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
      const html = await answer.text()
      expect(html).toMatch(/This application cannot sign people in here/)
      expect(html).not.toContain('mail.example.com')
    }
  })

  it('ignores forwarded and referer headers, and returns 405 for POST', async () => {
    const headers = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test', referer: 'https://evil.test/' }
    const answer = await fetch(hub.origin + AUTHORIZE + newRequest('mail', CALLBACK).query, {
      redirect: 'manual',
      headers,
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/sign-in\?return=/)])
    expect((await fetch(hub.origin + AUTHORIZE, { method: 'POST' })).status).toBe(405)
  })
})

describe('POST /_fw/identity/token', () => {
  it('accepts a form and returns errors in the OAuth format', async () => {
    const fields = await codeFor((await world.person()).browser)
    const answer = await postForm(tokenUrl(), fields)
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ expires_in: 60 })])
    const again = await postForm(tokenUrl(), fields)
    expect([again.status, again.headers.get('cache-control'), await again.json()]).toEqual([
      400,
      'private, no-store',
      { error: 'invalid_grant', error_description: expect.any(String) },
    ])
    const twice = await postForm(tokenUrl(), `${new URLSearchParams(fields)}&code=x`)
    expect([twice.status, await twice.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })

  it('accepts just the code and its verifier, as JSON and as a form', async () => {
    const { browser } = await world.person()
    const alone = async () => {
      const { code, code_verifier } = await codeFor(browser)
      return { code, code_verifier }
    }
    const answers = [await postJson(await alone()), await postForm(tokenUrl(), await alone())]
    for (const answer of answers) expect(await answer.json()).toMatchObject({ token_type: 'identity-assertion' })
    const other = await postForm(tokenUrl(), { ...(await alone()), redirect_uri: `${APP}/other` })
    expect([other.status, await other.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  })

  it('rejects other media types, malformed bodies and large bodies', async () => {
    const type = (contentType: string, body: string) =>
      fetch(tokenUrl(), { method: 'POST', headers: { 'content-type': contentType }, body })
    const answers = [
      [await type('text/plain', '{}'), 415],
      [await type('text/plain;application/json', '{}'), 415],
      [await type('application/jsonx', '{}'), 415],
      [await type('multipart/form-data; boundary=x', '--x--'), 415],
      [await fetch(tokenUrl(), { method: 'POST' }), 415],
      [await type('application/json', '{'), 400],
      [await type('application/json', '[]'), 400],
      [await type('application/json; charset=utf-8', '{}'), 400],
      [await type('application/json', JSON.stringify({ code: 'a'.repeat(9000) })), 413],
    ] as const
    for (const [answer, status] of answers) {
      expect([answer.status, await answer.json()]).toMatchObject([status, { error: 'invalid_request' }])
    }
    expect((await fetch(tokenUrl())).status).toBe(405)
  })

  it('rejects other origins and ignores cookies', async () => {
    const { browser } = await world.person()
    const fields = await codeFor(browser)
    const preflight = await fetch(tokenUrl(), { method: 'OPTIONS', headers: { origin: APP } })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null])
    const cookies: Record<string, string>[] = [{}, { cookie: browser.cookieHeader() }]
    for (const cookie of cookies) {
      const foreign = await postJson(fields, { ...cookie, origin: APP })
      expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null])
    }
    const answer = await postJson(fields)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('redeems a code of another instance once under concurrent requests to both', async () => {
    const { browser, userId } = await world.person()
    for (let round = 0; round < 4; round++) {
      const fields = await codeFor(browser)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => postJson(fields, {}, index % 2 ? hub : beside)),
      )
      const bodies = await Promise.all(answers.map(answer => answer.json()))
      expect(bodies.filter(body => 'assertion' in body)).toHaveLength(1)
      expect(bodies.filter(body => body.error === 'invalid_grant')).toHaveLength(19)
    }
    const [row] = await query(
      hub,
      `select count(*) as count from security_events where kind = 'identity-code-replayed' and user_id = ?`,
      [userId],
    )
    expect(row?.count).toBe(4 * 19)
  })

  it('keeps the assertion, the code and the verifier out of the log', async () => {
    const fields = await codeFor((await world.person()).browser)
    const { assertion } = await (await postJson(fields)).json()
    expect([assertion, fields.code, fields.code_verifier].filter(text => hub.log().includes(text))).toEqual([])
  })
})

describe('GET /_fw/identity/registration', () => {
  it('returns 401 without a valid token', async () => {
    const query = new URLSearchParams({ app: 'mail', client_id: 'mail', redirect_uri: CALLBACK })
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: 'Basic eDp4' }] as object[]) {
      const answer = await fetch(`${hub.origin}/_fw/identity/registration?${query}`, { headers: { ...headers } })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)])
      expect(JSON.stringify(await answer.json())).not.toContain('registered')
    }
  })
})

describe('Application that is not a hub', () => {
  it.each<[string, Record<string, string>]>([
    ['with nothing set', {}],
    ['with a registry and no secret', { IDENTITY_SSO_APP_REGISTRY_JSON: env.IDENTITY_SSO_APP_REGISTRY_JSON }],
    ['with a secret and no application', { A2A_SECRET }],
    ['with a registry that is not JSON', { A2A_SECRET, IDENTITY_SSO_APP_REGISTRY_JSON: '[{' }],
  ])('returns 404 for the hub endpoints %s', async (_, settings) => {
    const server = await startServer({ env: settings })
    for (const path of ['authorize', 'token', 'registration']) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
        const [here, nowhere] = await Promise.all(
          [path, 'no-such-endpoint'].map(name => fetch(`${server.origin}/_fw/identity/${name}`, { method })),
        )
        expect([here?.status, nowhere?.status]).toEqual([404, 404])
        expect(Object.keys((await here?.json()) ?? {})).toEqual(Object.keys((await nowhere?.json()) ?? {}))
      }
    }
    await server.stop()
  })
})
