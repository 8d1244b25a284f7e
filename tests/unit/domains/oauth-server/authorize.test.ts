import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueTicket } from '#fairway/server/domains/oauth-server/authorize/consent-ticket'
import type { AuthorizeRequest } from '#fairway/server/domains/oauth-server/authorize/authorize-request'
import { createCodeVerifier, toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import type { App } from '#fairway/server/kernel/app-context'
import { createBrowser, sessionOf } from '../../../support/http'
import { instanceBeside, postForm } from '../../../support/oauth-grant'
import {
  AUTHORIZE,
  authorizePage,
  authorizeQuery,
  broughtBy,
  decide,
  formOf,
  registeredClient,
  WEB_REDIRECT,
} from '../../../support/oauth-host'
import { countRows, query } from '../../../support/query'
import { borrowServer, type TestServer } from '../../../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../../../support/team'

let server: TestServer
let world: ReturnType<typeof createTeamWorld>
let beside: App
let ada: TeamPerson
let web: string
let native: string

const LOOPBACK = 'http://127.0.0.1:3000/callback'
const UNKNOWN = '0199a1b2-0000-7000-8000-000000000000'

/** An app whose name matches its host, so the page shows no warning. */
const TRUSTED = { client_name: 'Example' }
let trusted: string

beforeAll(async () => {
  server = await borrowServer()
  world = createTeamWorld(server)
  beside = await instanceBeside(server)
  ada = await world.person({ name: 'Ada' })
  web = await registeredClient(server.origin)
  trusted = await registeredClient(server.origin, TRUSTED)
  native = await registeredClient(server.origin, { redirect_uris: [LOOPBACK, 'http://localhost/callback'] })
})
afterAll(async () => {
  await beside.db.close()
  await server.stop()
})

const anonymous = () => createBrowser(server.origin)

/** Expects our error page without a redirect: the person sees the error, and the app does not. */
async function expectPage(answer: Response, status: number, text: string) {
  const html = await answer.text()
  expect([answer.status, answer.headers.get('location')], html).toEqual([status, null])
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
  expect(html).toContain(text)
}

const escaped = (text: string) => text.replaceAll("'", '&#39;')
const isCode = (answer: Response) => /^[\w-]{43}$/.test(broughtBy(answer).code ?? '')

describe('GET /mcp/oauth/authorize: error page before the client and redirect URI are verified', () => {
  it.each<[string, (query: Record<string, string | undefined>) => void, string]>([
    ['no client_id', query => (query.client_id = undefined), 'client_id is missing'],
    ['an unknown client', query => (query.client_id = UNKNOWN), 'doesn’t recognize this app’s registration'],
    ['an http address as client', query => (query.client_id = 'http://host.example.com/c.json'), 'invalid_client'],
    ['a client on this machine', query => (query.client_id = 'https://127.0.0.1/c.json'), 'invalid_client'],
    ['a client without a path', query => (query.client_id = 'https://host.example.com/'), 'invalid_client'],
    ['a client of another scheme', query => (query.client_id = 'urn:x:y'), 'invalid_client'],
    ['an overlong client', query => (query.client_id = 'x'.repeat(3000)), 'too long'],
    ['no redirect_uri', query => (query.redirect_uri = undefined), 'redirect_uri is missing'],
    ['another address', query => (query.redirect_uri = 'https://evil.example/callback'), 'not one that the app'],
    ['a slash more', query => (query.redirect_uri = `${WEB_REDIRECT}/`), 'not one that the app'],
    ['a query more', query => (query.redirect_uri = `${WEB_REDIRECT}?x`), 'not one that the app'],
    ['javascript:', query => (query.redirect_uri = 'javascript:alert(1)'), 'not one that the app'],
    ['another loopback port of a web client', query => (query.redirect_uri = 'http://localhost:1/'), 'not one that'],
  ])('rejects a request with %s', async (_what, change, text) => {
    const parameters: Record<string, string | undefined> = {}
    change(parameters)
    const answer = await authorizePage(ada.browser, authorizeQuery(parameters.client_id ?? web, parameters))
    await expectPage(answer, 400, text)
  })

  it.each(['client_id', 'redirect_uri'])('rejects a request with %s twice', async name => {
    const query = authorizeQuery(web)
    const again = new URLSearchParams(query).get(name) ?? ''
    await expectPage(await authorizePage(ada.browser, `${query}&${name}=${encodeURIComponent(again)}`), 400, 'twice')
  })

  it('rejects a query over 8 KiB and an empty query', async () => {
    await expectPage(await authorizePage(ada.browser, `${authorizeQuery(web)}&x=${'x'.repeat(8192)}`), 400, 'too long')
    await expectPage(await authorizePage(ada.browser, ''), 400, 'client_id is missing')
  })

  it('does not render request parameters as markup', async () => {
    const answer = await authorizePage(ada.browser, authorizeQuery('"><script>alert(1)</script>'))
    expect(await answer.text()).not.toContain('<script>alert')
  })

  it.each(['en', 'de', 'ar'])('shows how each known host forgets a lost registration, in %s', async language => {
    const headers = { 'accept-language': language }
    const answer = await fetch(server.origin + AUTHORIZE + authorizeQuery(UNKNOWN), { headers })
    const html = await answer.text()
    expect([answer.status, html]).toEqual([400, expect.stringContaining(`<html lang="${language}"`)])
    const hosts = [...html.matchAll(/<dt>([^<]+)<\/dt>/g)].map(([, host]) => host)
    expect(hosts.slice(0, -1)).toEqual(['Claude Code', 'Codex', 'VS Code', 'Cursor', 'Claude', 'ChatGPT'])
    const commands = [...html.matchAll(/<code dir="ltr">([^<]+)<\/code>/g)].map(([, command]) => command)
    expect(commands).toEqual([
      'claude mcp logout &lt;name&gt;',
      'claude mcp login &lt;name&gt;',
      'codex mcp logout &lt;name&gt;',
      'codex mcp login &lt;name&gt;',
      'Authentication: Remove Dynamic Authentication Providers',
      'Cursor: Clear All MCP Tokens',
    ])
  })

  it('shows no steps for a registered client with another address', async () => {
    const query = authorizeQuery(web, { redirect_uri: 'https://evil.example/callback' })
    expect(await (await authorizePage(ada.browser, query)).text()).not.toContain('<dt>')
  })

  it('shows the error page to a signed-out person too', async () => {
    const answer = await authorizePage(anonymous(), authorizeQuery('nobody'))
    await expectPage(answer, 400, 'invalid_client')
  })
})

describe('GET /mcp/oauth/authorize: error redirect after the client and redirect URI are verified', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['an empty response_type', { response_type: '' }, 'invalid_request'],
    ['a token as response', { response_type: 'token' }, 'unsupported_response_type'],
    ['a code and more', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['a padded challenge', { code_challenge: `${'a'.repeat(43)}=` }, 'invalid_request'],
    ['a challenge of other characters', { code_challenge: `${'a'.repeat(42)}+` }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['s256', { code_challenge_method: 's256' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['an opaque resource', { resource: 'mcp' }, 'invalid_target'],
    ['an endless scope', { scope: `mcp:read ${'x '.repeat(1000)}` }, 'invalid_scope'],
    ['a request object', { request: 'a.b.c' }, 'invalid_request'],
    ['the address of one', { request_uri: 'https://a.example/r' }, 'invalid_request'],
    ['prompt=none with more', { prompt: 'none login' }, 'invalid_request'],
  ])('rejects a request with %s', async (_what, differing, error) => {
    for (const browser of [ada.browser, anonymous()]) {
      const answer = await authorizePage(browser, authorizeQuery(web, differing))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
      expect(answer.headers.get('location')).toMatch(/^https:\/\/host\.example\.com\/callback\?error=/)
      expect(broughtBy(answer)).toEqual({
        error,
        error_description: expect.any(String),
        state: 'a state & more=1',
        iss: server.origin,
      })
    }
  })

  it.each(['state', 'scope', 'code_challenge', 'response_type', 'prompt', 'nonce'])(
    'rejects a request with %s twice',
    async name => {
      const answer = await authorizePage(ada.browser, `${authorizeQuery(web, { [name]: 'x' })}&${name}=y`)
      expect(answer.status).toBe(302)
      expect(broughtBy(answer)).toMatchObject({ error: 'invalid_request', iss: server.origin })
      expect('state' in broughtBy(answer)).toBe(name !== 'state')
    },
  )

  it('returns invalid_target for a resource of another server next to our own', async () => {
    const query = `${authorizeQuery(web, { resource: `${server.origin}/mcp` })}&resource=https://other.example/mcp`
    expect(broughtBy(await authorizePage(ada.browser, query)).error).toBe('invalid_target')
  })

  it('returns invalid_request for a state of 4,097 characters', async () => {
    const answer = await authorizePage(ada.browser, authorizeQuery(web, { state: 'x'.repeat(4097) }))
    expect(broughtBy(answer).error).toBe('invalid_request')
  })

  it('appends the error to the redirect URI’s own query and omits state when the client sent none', async () => {
    const client = await registeredClient(server.origin, { redirect_uris: ['https://host.example.com/cb?x=%41&y'] })
    const query = authorizeQuery(client, {
      redirect_uri: 'https://host.example.com/cb?x=%41&y',
      state: undefined,
      response_type: 'token',
    })
    const location = (await authorizePage(ada.browser, query)).headers.get('location')
    expect(location).toMatch(/^https:\/\/host\.example\.com\/cb\?x=%41&y&error=unsupported_response_type&/)
    expect(location).not.toContain('state=')
  })
})

describe('prompt', () => {
  it('prompt=none returns login_required when signed out and consent_required when consent is needed', async () => {
    const query = authorizeQuery(web, { prompt: 'none' })
    const signedOut = broughtBy(await authorizePage(anonymous(), query))
    const signedIn = broughtBy(await authorizePage(ada.browser, query))
    expect(signedOut).toMatchObject({ error: 'login_required', state: 'a state & more=1', iss: server.origin })
    expect(signedIn).toMatchObject({ error: 'consent_required', state: 'a state & more=1', iss: server.origin })
  })

  it.each(['consent', 'select_account', 'consent select_account', 'something'])(
    'prompt=%s shows the consent page',
    async prompt => {
      expect((await authorizePage(ada.browser, authorizeQuery(web, { prompt }))).status).toBe(200)
    },
  )

  it('prompt=login requires signing in again once', async () => {
    const query = authorizeQuery(web, { prompt: 'login' })
    const person = await world.person()
    const first = await authorizePage(person.browser, query)
    const signIn = new URL(first.headers.get('location') ?? '', server.origin)
    expect([first.status, signIn.pathname, signIn.searchParams.get('again')]).toEqual([302, '/sign-in', '1'])
    const back = signIn.searchParams.get('return') ?? ''
    expect(back).toMatch(/^\/mcp\/oauth\/authorize\?pending=[\w-]{43}$/)
    const early = await person.browser.get(back)
    expect(new URL(early.headers.get('location') ?? '', server.origin).searchParams.get('return')).toBe(back)
    const form = { email: person.email, password: PASSWORD, intent: 'sign-in' }
    const signedIn = await person.browser.post(signIn.pathname + signIn.search, { form })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, back])
    const page = await person.browser.get(back)
    expect(page.status).toBe(200)
    const answer = await person.browser.post(back, { form: { ...formOf(await page.text()), decision: 'approve' } })
    expect(isCode(answer)).toBe(true)
  })
})

describe('authorization request from a signed-out person', () => {
  const returnOf = (answer: Response) =>
    new URL(answer.headers.get('location') ?? '', server.origin).searchParams.get('return') ?? ''

  it('redirects to the sign-in page and back to exactly this request', async () => {
    const query = authorizeQuery(web)
    const answer = await authorizePage(anonymous(), query)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(/^\/sign-in\?return=/)
    expect(returnOf(answer)).toBe(AUTHORIZE + query)
  })

  it.each([
    ['a long state', { state: 's'.repeat(4000) }],
    ['a state that grows when it is encoded', { state: 'ä'.repeat(700) }],
  ])('survives the sign-in with %s', async (_what, differing) => {
    const query = authorizeQuery(web, differing)
    const browser = anonymous()
    const answer = await authorizePage(browser, query)
    const signIn = answer.headers.get('location') ?? ''
    expect(returnOf(answer).length).toBeLessThan(200)
    const form = { email: ada.email, password: PASSWORD, intent: 'sign-in' }
    const signedIn = await browser.post(signIn, { form })
    const page = await browser.get(signedIn.headers.get('location') ?? '')
    expect(page.status).toBe(200)
    const path = signedIn.headers.get('location') ?? ''
    const decided = await browser.post(path, { form: { ...formOf(await page.text()), decision: 'approve' } })
    expect(broughtBy(decided)).toMatchObject({ state: differing.state, iss: server.origin })
  })

  it('survives the sign-in with characters that a return path cannot contain', async () => {
    const query = `${authorizeQuery(web, { state: undefined })}&state=a\\b`
    const signIn = (await authorizePage(anonymous(), query)).headers.get('location') ?? ''
    const browser = anonymous()
    const form = { email: ada.email, password: PASSWORD, intent: 'sign-in' }
    const path = (await browser.post(signIn, { form })).headers.get('location') ?? ''
    const page = await browser.get(path)
    const decided = await browser.post(path, { form: { ...formOf(await page.text()), decision: 'deny' } })
    expect(broughtBy(decided)).toMatchObject({ error: 'access_denied', state: 'a\\b' })
  })

  it('returns 400 for an unknown pending request', async () => {
    await expectPage(await authorizePage(ada.browser, `?pending=${'x'.repeat(43)}`), 400, 'no longer valid')
  })
})

/** Marks a person's grant as used, with these permissions. */
const use = (userId: string, scope: string, mayDelete: number) =>
  query(server, 'update oauth_grants set last_used_at = created_at, scope = ?, may_delete = ? where user_id = ?', [
    scope,
    mayDelete,
    userId,
  ])
const kept = async (userId: string) =>
  (await query(server, 'select scope, may_delete from oauth_grants where user_id = ?', [userId])).map(row => [
    row.scope,
    row.may_delete,
  ])

describe('consent page', () => {
  it('is not cached and cannot be framed', async () => {
    const answer = await authorizePage(ada.browser, authorizeQuery(web))
    const policy = answer.headers.get('content-security-policy')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(policy).toContain(`frame-ancestors 'none'`)
    expect(policy).not.toContain('form-action')
  })

  it('shows the app, the account, the organization, the redirect host and that the app is unverified', async () => {
    const { orgName } = await sessionOf(ada.browser)
    const html = await (await authorizePage(ada.browser, authorizeQuery(web))).text()
    for (const text of ['Test host', ada.email, escaped(orgName), 'host.example.com', 'Unverified app']) {
      expect(html).toContain(text)
    }
    expect(html).not.toContain('on this computer')
  })

  it('names an app on this computer as the recipient without a warning', async () => {
    const redirects = ['http://localhost:51234/callback', 'http://127.0.0.1:3000/callback']
    for (const redirectUri of redirects) {
      const query = authorizeQuery(native, { redirect_uri: redirectUri })
      const html = await (await authorizePage(ada.browser, query)).text()
      expect(html).toContain(`an app on this computer (${new URL(redirectUri).host})`)
      expect(html).not.toContain('class="banner"')
    }
  })

  it('warns when the app’s name does not match the host that it redirects to', async () => {
    const html = await (await authorizePage(ada.browser, authorizeQuery(web))).text()
    expect(html).toMatch(/class="banner">This app sends you to host\.example\.com, which doesn’t match its name/)
    // The safe answer comes first, and neither is a filled button.
    expect(html).toMatch(/value="deny" class="quiet">.*value="approve" class="quiet">/s)
    const trustedPage = await (await authorizePage(ada.browser, authorizeQuery(trusted))).text()
    expect(trustedPage).toMatch(/value="approve" class="">.*value="deny" class="quiet">/s)
  })

  it('uses the language of the browser', async () => {
    const query = authorizeQuery(web)
    const pageIn = async (headers: Record<string, string>) =>
      (await ada.browser.get(AUTHORIZE + query, { headers })).text()
    expect(await pageIn({ 'accept-language': 'de-AT,de;q=0.9' })).toMatch(/<html lang="de">.*Ablehnen/s)
    expect(await pageIn({ 'accept-language': 'ar-EG' })).toMatch(/<html lang="ar" dir="rtl">.*رفض/s)
  })

  it('withholds permission to delete unless its box is ticked, and stores the choice', async () => {
    const person = await world.person()
    const query = authorizeQuery(web)
    await decide(person.browser, query)
    expect(await kept(person.userId)).toEqual([['mcp:read mcp:write', 0]])
    await decide(person.browser, query, 'approve', { delete: 'on' })
    expect(await kept(person.userId)).toContainEqual(['mcp:read mcp:write', 1])
  })

  it('has the person asked before something is deleted unless that box is unticked', async () => {
    const person = await world.person()
    const consent = authorizeQuery(web)
    const asksFirst = async () =>
      (
        await query(server, 'select asks_first from oauth_grants where user_id = ? order by created_at, id', [
          person.userId,
        ])
      ).map(row => row.asks_first)
    for (const withoutBox of [{}, { delete: 'on' }] as Record<string, string>[]) {
      const { 'ask-first': box, ...form } = formOf(await (await authorizePage(person.browser, consent)).text())
      expect(box).toBe('on')
      await person.browser.post(AUTHORIZE + consent, { form: { ...form, ...withoutBox, decision: 'approve' } })
    }
    await decide(person.browser, consent, 'approve', { delete: 'on' })
    // Without permission to delete, the box is hidden.
    expect(await asksFirst()).toEqual([1, 0, 1])
  })

  it('escapes the app’s name', async () => {
    const client = await registeredClient(server.origin, { client_name: '<img src=x onerror=alert(1)>' })
    const html = await (await authorizePage(ada.browser, authorizeQuery(client))).text()
    expect(html).toContain('&lt;img src=x')
    expect(html).not.toContain('<img src=x')
  })

  it.each<[string, string | undefined, Record<string, string | undefined>]>([
    ['reading only', 'mcp:read', {}],
    ['nothing: reading, and writing is offered', undefined, { 'ask-first': 'on' }],
    ['an empty text: the same', '', { 'ask-first': 'on' }],
    ['reading and writing', 'mcp:read mcp:write', { 'mcp:write': 'on', 'ask-first': 'on' }],
    [
      'all',
      'mcp:read mcp:write mcp:apps offline_access',
      { 'mcp:write': 'on', 'ask-first': 'on', 'mcp:apps': 'on', offline_access: 'on' },
    ],
    ['some that do not exist', 'openid mcp:read email', {}],
    ['to stay connected alone', 'offline_access', { 'ask-first': 'on', offline_access: 'on' }],
    ['what an OpenID provider would have', 'openid profile email', { 'ask-first': 'on' }],
    ['that and to stay', 'openid offline_access', { 'ask-first': 'on', offline_access: 'on' }],
  ])('ticks the expected boxes when an app asks for %s', async (_what, scope, ticked) => {
    const html = await (await authorizePage(ada.browser, authorizeQuery(trusted, { scope }))).text()
    const { ticket, org, ...boxes } = formOf(html)
    expect([boxes, Boolean(ticket), Boolean(org)]).toEqual([ticked, true, true])
    expect(html).toContain('name="offline_access"')
    expect(html.includes('name="mcp:write"')).toBe(scope?.includes('mcp:read') !== true || scope.includes('mcp:write'))
  })

  it.each<[string, string, number, Record<string, string>]>([
    ['reads', 'mcp:read', 0, { 'ask-first': 'on' }],
    ['writes', 'mcp:read mcp:write', 0, { 'mcp:write': 'on', 'ask-first': 'on' }],
    ['deletes', 'mcp:read mcp:write', 1, { 'mcp:write': 'on', delete: 'on', 'ask-first': 'on' }],
  ])('starts from what the app may do now when it %s and asks once more', async (_what, scope, mayDelete, ticked) => {
    const person = await world.person()
    const query = authorizeQuery(trusted)
    await decide(person.browser, query)
    await use(person.userId, scope, mayDelete)
    const html = await (await authorizePage(person.browser, query)).text()
    const { ticket, org, ...boxes } = formOf(html)
    expect([boxes, Boolean(ticket), Boolean(org)]).toEqual([ticked, true, true])
    expect(html.includes('Not allowed until now.')).toBe(scope === 'mcp:read')
  })

  it('leaves “Delete” unticked below a warning, even for an app that may delete', async () => {
    const person = await world.person()
    await decide(person.browser, authorizeQuery(web))
    await use(person.userId, 'mcp:read mcp:write', 1)
    const html = await (await authorizePage(person.browser, authorizeQuery(web))).text()
    expect([formOf(html)['mcp:write'], formOf(html).delete]).toEqual(['on', undefined])
  })

  it('leaves "Keep this app connected" unticked when it shows a warning', async () => {
    const html = await (await authorizePage(ada.browser, authorizeQuery(web, { scope: 'offline_access' }))).text()
    expect(html).toContain('class="banner"')
    expect(formOf(html).offline_access).toBeUndefined()
  })

  it.each<[string, Record<string, unknown>, boolean]>([
    ['registered the grant type refresh_token', { grant_types: ['authorization_code', 'refresh_token'] }, true],
    ['registered without it', { grant_types: ['authorization_code'] }, false],
    ['registered without a word about it', {}, false],
  ])(
    'shows the stay-connected box for an app that %s (ticked: %s) and issues a refresh token only when ticked',
    async (_which, metadata, isTicked) => {
      const client = await registeredClient(server.origin, { ...TRUSTED, ...metadata })
      const search = authorizeQuery(client)
      const html = await (await authorizePage(ada.browser, search)).text()
      expect([html.includes('name="offline_access"'), formOf(html).offline_access]).toEqual([
        true,
        isTicked ? 'on' : undefined,
      ])
      const verifier = createCodeVerifier()
      const code = broughtBy(
        await decide(ada.browser, authorizeQuery(client, { code_challenge: toCodeChallenge(verifier) })),
      ).code
      const tokens = await postForm(`${server.origin}/mcp/oauth/token`, {
        grant_type: 'authorization_code',
        client_id: client,
        code: code ?? '',
        redirect_uri: WEB_REDIRECT,
        code_verifier: verifier,
      })
      expect('refresh_token' in (await tokens.json())).toBe(isTicked)
    },
  )

  it.each(['/mcp', '/mcp/', '', '/'])('accepts the resource %j of this server', async path => {
    const answer = await authorizePage(ada.browser, authorizeQuery(web, { resource: server.origin + path }))
    expect(answer.status).toBe(200)
  })

  it('lists several organizations with the active one first, and connects the chosen one', async () => {
    const person = await world.person()
    const first = await sessionOf(person.browser)
    await person.browser.post('/_fw/org', { json: { name: 'Second works', confirm: true } })
    const { orgId } = await sessionOf(person.browser)
    const html = await (await authorizePage(person.browser, authorizeQuery(web))).text()
    expect(html).toContain('Second works')
    expect(html).toContain(escaped(first.orgName))
    expect(formOf(html).org).toBe(orgId)
    await decide(person.browser, authorizeQuery(web), 'approve', { org: first.orgId })
    const [grant] = await query(server, 'select org_id from oauth_grants where user_id = ?', [person.userId])
    expect(grant?.org_id).toBe(first.orgId)
  })

  it('returns 403 with instructions for a person without an organization, and access_denied for either decision', async () => {
    const person = await world.person()
    await query(server, 'delete from org_members where user_id = ?', [person.userId])
    await query(
      server,
      `insert into user_settings (user_id, key, value) values (?, 'active-org-id', '')
      on conflict do update set value = ''`,
      [person.userId],
    )
    const search = authorizeQuery(web)
    const answer = await authorizePage(person.browser, search)
    const html = await answer.text()
    expect(answer.status).toBe(403)
    expect(html).toContain('You are not in an organization')
    const denied = await person.browser.post(AUTHORIZE + search, { form: { ...formOf(html), decision: 'deny' } })
    expect(broughtBy(denied).error).toBe('access_denied')
    const forced = await authorizePage(person.browser, search)
    const approved = await person.browser.post(AUTHORIZE + search, {
      form: { ...formOf(await forced.text()), decision: 'approve' },
    })
    expect(broughtBy(approved).error).toBe('access_denied')
  })
})

describe('POST /mcp/oauth/authorize', () => {
  it('returns a code that can be exchanged for the ticked scopes when the person approves', async () => {
    const verifier = createCodeVerifier()
    const challenge = { code_challenge: toCodeChallenge(verifier), scope: 'mcp:read mcp:write offline_access' }
    const answer = await decide(ada.browser, authorizeQuery(trusted, challenge))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store'])
    const { code, ...rest } = broughtBy(answer)
    expect(rest).toEqual({ state: 'a state & more=1', iss: server.origin })
    const tokens = await postForm(`${server.origin}/mcp/oauth/token`, {
      grant_type: 'authorization_code',
      client_id: trusted,
      code: code ?? '',
      redirect_uri: WEB_REDIRECT,
      code_verifier: verifier,
    })
    const body = await tokens.json()
    expect(body).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) })
    expect(body.scope.split(' ').toSorted()).toEqual(['mcp:read', 'mcp:write', 'offline_access'])
  })

  it('grants the ticked scopes and ignores mcp:apps when it was not requested', async () => {
    const search = authorizeQuery(web, { scope: 'mcp:read mcp:write' })
    const html = await (await authorizePage(ada.browser, search)).text()
    const { 'mcp:write': _unticked, ...fields } = formOf(html)
    const form = { ...fields, 'mcp:apps': 'on', offline_access: 'on', decision: 'approve' }
    expect(isCode(await ada.browser.post(AUTHORIZE + search, { form }))).toBe(true)
    const [grant] = await query(server, 'select scope from oauth_grants order by created_at desc, id desc limit 1')
    expect(grant?.scope).toBe('mcp:read offline_access')
  })

  it('returns 400 when no permission is ticked and accepts the form once one is', async () => {
    const query = authorizeQuery(web, { scope: 'mcp:write' })
    const { 'mcp:write': _unticked, ...fields } = formOf(await (await authorizePage(ada.browser, query)).text())
    const answer = await ada.browser.post(AUTHORIZE + query, { form: { ...fields, decision: 'approve' } })
    await expectPage(answer, 400, 'No permissions selected')
    const ticked = await ada.browser.post(AUTHORIZE + query, {
      form: { ...fields, 'mcp:write': 'on', decision: 'approve' },
    })
    expect(isCode(ticked)).toBe(true)
  })

  it('redirects with access_denied and creates no grant when the person cancels', async () => {
    const before = await countRows(server, 'oauth_grants')
    const answer = await decide(ada.browser, authorizeQuery(web), 'deny')
    expect(answer.status).toBe(303)
    expect(broughtBy(answer)).toMatchObject({ error: 'access_denied', state: 'a state & more=1', iss: server.origin })
    expect(await countRows(server, 'oauth_grants')).toEqual(before)
  })

  it('shows a page with a link for an app with a custom URL scheme', async () => {
    const client = await registeredClient(server.origin, { redirect_uris: ['cursor://x/cb'] })
    const answer = await decide(ada.browser, authorizeQuery(client, { redirect_uri: 'cursor://x/cb' }))
    const html = await answer.text()
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
    expect(html).toMatch(/href="cursor:\/\/x\/cb\?code=[\w-]{43}&amp;state=/)
    const denied = await decide(ada.browser, authorizeQuery(client, { redirect_uri: 'cursor://x/cb' }), 'deny')
    expect(await denied.text()).toContain('href="cursor://x/cb?error=access_denied')
  })

  it('accepts the form without the query because the ticket contains it', async () => {
    const form = formOf(await (await authorizePage(ada.browser, authorizeQuery(web))).text())
    expect(isCode(await ada.browser.post(AUTHORIZE, { form: { ...form, decision: 'approve' } }))).toBe(true)
  })

  it('writes one log line for each decision and each refused request', async () => {
    const lines = () =>
      server
        .log()
        .split('\n')
        .filter(line => line.includes('authorization decided'))
        .map(line => JSON.parse(line))
    const before = lines().length
    await decide(ada.browser, authorizeQuery(web))
    await decide(ada.browser, authorizeQuery(web), 'deny')
    await authorizePage(ada.browser, authorizeQuery('nobody'))
    await authorizePage(ada.browser, authorizeQuery(web, { response_type: 'token' }))
    expect(lines().slice(before)).toMatchObject([
      { decision: 'approved', client: web, userId: ada.userId, scope: 'mcp:read mcp:write' },
      { decision: 'denied', client: web, userId: ada.userId },
      { decision: 'refused', client: 'nobody', error: 'invalid_client' },
      { decision: 'refused', client: web, error: 'unsupported_response_type' },
    ])
  })
})

describe('consent ticket', () => {
  /** Opens the page and posts its form with a change. */
  async function post(change: (form: Record<string, string>) => Record<string, string>, at = authorizeQuery(web)) {
    const form = formOf(await (await authorizePage(ada.browser, at)).text())
    return ada.browser.post(AUTHORIZE + at, { form: { ...change(form), decision: 'approve' } })
  }

  it.each<[string, (ticket: string) => string]>([
    ['missing', () => ''],
    ['made up', () => 'a.b'],
    ['cut', ticket => ticket.slice(0, -1)],
    ['changed', ticket => ticket.slice(0, 40) + (ticket[40] === 'A' ? 'B' : 'A') + ticket.slice(41)],
    ['under another key', ticket => `00000000${ticket.slice(8)}`],
  ])('is rejected when it is %s', async (_what, change) => {
    await expectPage(await post(form => ({ ...form, ticket: change(form.ticket ?? '') })), 400, 'no longer valid')
  })

  it('works once, even when it is sent 20 times at once', async () => {
    const query = authorizeQuery(web)
    const form = { ...formOf(await (await authorizePage(ada.browser, query)).text()), decision: 'approve' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.browser.post(AUTHORIZE + query, { form })))
    expect(answers.filter(isCode)).toHaveLength(1)
    expect(answers.filter(answer => answer.status === 400)).toHaveLength(19)
    await expectPage(await ada.browser.post(AUTHORIZE + query, { form }), 400, 'no longer valid')
  })

  it('is used up when the person cancels', async () => {
    const query = authorizeQuery(web)
    const form = formOf(await (await authorizePage(ada.browser, query)).text())
    await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision: 'deny' } })
    const answer = await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision: 'approve' } })
    await expectPage(answer, 400, 'no longer valid')
  })

  it('is rejected for another person', async () => {
    const query = authorizeQuery(web)
    const eve = await world.person()
    const form = formOf(await (await authorizePage(eve.browser, query)).text())
    const answer = await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision: 'approve' } })
    await expectPage(answer, 400, 'no longer valid')
  })

  it('is rejected in another session of the same person', async () => {
    const query = authorizeQuery(web)
    const other = anonymous()
    await other.post('/_fw/auth/sign-in/email', { json: { email: ada.email, password: PASSWORD } })
    const form = formOf(await (await authorizePage(other, query)).text())
    const answer = await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision: 'approve' } })
    await expectPage(answer, 400, 'no longer valid')
  })

  it.each<[string, Record<string, string>]>([
    ['client', { client_id: 'native' }],
    ['challenge', { code_challenge: 'b'.repeat(43) }],
    ['scope', { scope: 'mcp:read' }],
    ['state', { state: 'another' }],
  ])('is rejected for another %s', async (_what, differing) => {
    const form = formOf(await (await authorizePage(ada.browser, authorizeQuery(web))).text())
    const query = authorizeQuery(differing.client_id ? native : web, { ...differing, client_id: undefined })
    const answer = await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision: 'approve' } })
    await expectPage(answer, 400, 'no longer valid')
  })

  it('expires after ten minutes', async () => {
    const search = authorizeQuery(web)
    const form = formOf(await (await authorizePage(ada.browser, search)).text())
    const [session] = await query(server, 'select id from sessions where user_id = ?', [ada.userId])
    const request: AuthorizeRequest = {
      client: {
        id: web,
        name: 'x',
        source: 'registered',
        host: null,
        redirectUris: [],
        applicationType: 'web',
        renews: false,
      },
      redirectUri: WEB_REDIRECT,
      state: undefined,
      scopes: ['mcp:read'],
      namesScopes: true,
      resource: `${server.origin}/mcp`,
      codeChallenge: 'a'.repeat(43),
      prompts: new Set(),
    }
    const made = (minutesAgo: number) => {
      const app = { ...beside, now: () => new Date(Date.now() - minutesAgo * 60_000) }
      return issueTicket(app, { userId: ada.userId, sessionId: String(session?.id), query: search }, request, 'x')
    }
    const send = (ticket: string) =>
      ada.browser.post(AUTHORIZE + search, { form: { ...form, ticket, decision: 'approve' } })
    await expectPage(await send(made(11)), 400, 'no longer valid')
    expect(isCode(await send(made(9)))).toBe(true)
  })

  it('is rejected without a valid decision and remains valid', async () => {
    const query = authorizeQuery(web)
    const form = formOf(await (await authorizePage(ada.browser, query)).text())
    for (const decision of ['', 'maybe']) {
      expect((await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision } })).status).toBe(400)
    }
    expect(isCode(await ada.browser.post(AUTHORIZE + query, { form: { ...form, decision: 'approve' } }))).toBe(true)
  })

  it('is rejected from another site and remains valid', async () => {
    const query = authorizeQuery(web)
    const form = { ...formOf(await (await authorizePage(ada.browser, query)).text()), decision: 'approve' }
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
    ]) {
      expect((await ada.browser.post(AUTHORIZE + query, { form, headers })).status).toBe(403)
    }
    expect(isCode(await ada.browser.post(AUTHORIZE + query, { form }))).toBe(true)
  })

  it('redirects to the sign-in page when the person has signed out', async () => {
    const query = authorizeQuery(web)
    const answer = await anonymous().post(AUTHORIZE + query, { form: { ticket: 'x', decision: 'approve' } })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(/^\/sign-in\?return=/)
  })

  it('returns access_denied for an organization that the person is not a member of', async () => {
    const { orgId } = await sessionOf((await world.person()).browser)
    const answer = await post(form => ({ ...form, org: orgId }))
    expect(broughtBy(answer)).toMatchObject({ error: 'access_denied' })
    const fields = await post(form => ({ ...form, org: "' or 1=1 --" }))
    expect(broughtBy(fields)).toMatchObject({ error: 'access_denied' })
  })
})

describe('consent for an organization that requires another sign-in method', () => {
  it('is missing from the page and returns access_denied when the organization is chosen', async () => {
    const { orgId, member } = await world.team()
    const search = authorizeQuery(web)
    const form = formOf(await (await authorizePage(member.browser, search)).text())
    await query(server, `update organizations set required_auth_provider = 'corp' where id = ?`, [orgId])
    const decided = await member.browser.post(AUTHORIZE + search, {
      form: { ...form, org: orgId, decision: 'approve' },
    })
    expect(broughtBy(decided)).toMatchObject({ error: 'access_denied' })
    const html = await (await authorizePage(member.browser, search)).text()
    expect(formOf(html).org).not.toBe(orgId)
  })

  it('returns 403 with a link to the required sign-in method when the person has no other organization', async () => {
    const { orgId, orgName, browser } = await world
      .person()
      .then(async who => ({ ...who, ...(await sessionOf(who.browser)) }))
    await query(server, `update organizations set required_auth_provider = 'corp' where id = ?`, [orgId])
    const page = await authorizePage(browser, authorizeQuery(web))
    const html = await page.text()
    expect([page.status, html]).toEqual([403, expect.stringContaining('provider-required')])
    expect(html).toContain(`${orgName} requires signing in with corp`.replaceAll("'", '&#39;'))
    expect(html).toMatch(/href="\/sign-in\?return=[^"]*again=1"/)
  })
})

describe('/mcp/oauth/authorize', () => {
  it('returns 405 with Allow for other methods', async () => {
    const answer = await ada.browser.request(AUTHORIZE, { method: 'PUT', headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('sends no Access-Control-Allow-Origin header to other sites', async () => {
    const answer = await fetch(server.origin + AUTHORIZE, { headers: { origin: 'https://evil.example' } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})
