import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { currentCodes, waitForEarlyStep } from '../support/authenticator'
import { codeOf, statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { startIssuer } from '../support/provider'
import { countRows, query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { PASSWORD } from '../support/team'
import { startWorkspace, type Workspace } from '../support/workspace'

const NEW_PASSWORD = 'copper meadow 19 violin'
const PAGE = '/_fw/claim?return=%2Fnotes'
const client = { clientId: 'fairway', clientSecret: 'a-secret-between-the-two' }

let smtp: Awaited<ReturnType<typeof startSmtp>>
let issuer: Awaited<ReturnType<typeof startIssuer>>
let server: TestServer
let count = 0

beforeAll(async () => {
  smtp = await startSmtp()
  issuer = await startIssuer(client)
  server = await borrowServer({
    env: {
      NODE_ENV: 'production',
      FW_RATE_LIMITS: 'off',
      SMTP_URL: smtp.url,
      EMAIL_FROM: 'Fairway <no-reply@example.test>',
      AUTH_REQUIRE_EMAIL_VERIFICATION: '0',
      FW_OIDC_PROVIDERS: JSON.stringify([{ id: 'corp', name: 'Corp', issuer: issuer.issuer, ...client }]),
    },
  })
})
afterAll(async () => {
  await server.stop()
  await issuer.stop()
  await smtp.stop()
})

const open = () => createBrowser(server.origin)
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? ''
const locationOf = (answer: Response) => answer.headers.get('location')
const decide = (browser: TestBrowser, decision: string, path = PAGE) => browser.post(path, { form: { decision } })

/** A person who signed up with an address that is not confirmed yet, and works in their personal organization. */
async function aStranger() {
  const browser = open()
  const email = `owner${++count}@example.test`
  await signUp(browser, { email, password: PASSWORD, name: 'Squatter' })
  const { userId, orgId } = await sessionOf(browser)
  return { browser, email, userId: String(userId), orgId: String(orgId) }
}

/** An invitation from before the server sent mail. Since then, an unconfirmed account cannot invite. */
async function anInvitation({ userId, orgId }: { userId: string; orgId: string }, email: string): Promise<string> {
  const id = `invitation-${++count}`
  await query(
    server,
    `insert into org_invitations (id, org_id, email, role, invited_by, status, token_hash, expires_at, created_at)
      values (?, ?, ?, 'owner', ?, 'pending', ?, 9e15, 0)`,
    [id, orgId, email, userId, id],
  )
  return id
}

async function linkFor(email: string, purpose: 'magic-link' | 'reset', browser = open()): Promise<string> {
  if (purpose === 'reset') {
    await browser.post('/_fw/auth/request-password-reset', { json: { email, redirectTo: '/notes' } })
    return (await smtp.mailTo(email, /password/)).link
  }
  await browser.post('/_fw/auth/sign-in/magic-link', { json: { email, callbackURL: '/notes' } })
  return (await smtp.mailTo(email, /Sign in/)).link
}

/** The owner of the address, signed in by an emailed link. */
async function itsOwner(email: string): Promise<TestBrowser> {
  const browser = open()
  const token = tokenOf(await linkFor(email, 'magic-link', browser))
  const answer = await browser.post('/_fw/auth/magic-link/verify', { json: { token } })
  if (!answer.ok) throw new Error(await answer.text())
  return browser
}

describe('Redirect to the account review page', () => {
  it('redirects after a click on the page of an emailed link', async () => {
    const { email } = await aStranger()
    const browser = open()
    const token = tokenOf(await linkFor(email, 'magic-link', browser))
    const answer = await browser.post('/_fw/auth/link', { form: { token, where: 'here' } })
    expect([answer.status, locationOf(answer)]).toEqual([303, PAGE])
  })

  it('returns the review page when an emailed link is verified through the API', async () => {
    const { email } = await aStranger()
    const token = tokenOf(await linkFor(email, 'magic-link'))
    const answer = await open().post('/_fw/auth/magic-link/verify', { json: { token } })
    expect((await answer.json()).location).toBe(PAGE)
  })

  it('returns the review page to the browser that waited for the link', async () => {
    const { email } = await aStranger()
    const waiting = open()
    const token = tokenOf(await linkFor(email, 'magic-link', waiting))
    await open().post('/_fw/auth/magic-link/verify', { json: { token, where: 'there' } })
    const answer = await waiting.post('/_fw/auth/waiting', { json: {} })
    expect(await answer.json()).toMatchObject({ status: 'signed-in', location: PAGE })
  })

  it('returns the review page after a password reset, and only-me keeps only the new password', async () => {
    const { email } = await aStranger()
    const browser = open()
    const token = tokenOf(await linkFor(email, 'reset'))
    const answer = await browser.post('/_fw/auth/reset-password', { json: { token, newPassword: NEW_PASSWORD } })
    expect((await answer.json()).location).toBe(PAGE)
    expect(await (await browser.get(PAGE)).text()).toMatch(/A password is set<\/strong>[^<]*stays/)
    await decide(browser, 'only-me')
    const signIn = (password: string) => open().post('/_fw/auth/sign-in/email', { json: { email, password } })
    expect((await signIn(NEW_PASSWORD)).status).toBe(200)
    expect(await codeOf(await signIn(PASSWORD))).toBe('invalid-credentials')
  })

  it('redirects after a sign-in with a provider, and only-me keeps that linked account', async () => {
    const { email, userId } = await aStranger()
    const browser = open()
    const begun = await browser.post('/_fw/auth/sign-in/social', { json: { provider: 'corp', callbackURL: '/notes' } })
    const back = issuer.approve((await begun.json()).url, { sub: email, email, email_verified: true })
    const answer = await browser.get(`/_fw/auth/callback/corp?${back}`)
    expect([answer.status, locationOf(answer)]).toEqual([302, PAGE])
    await decide(browser, 'only-me')
    expect(await query(server, 'select provider_id from accounts where user_id = ?', [userId])).toEqual([
      { provider_id: 'corp' },
    ])
  })

  it('returns the review page at each sign-in until a decision is made', async () => {
    const { email } = await aStranger()
    const location = async () => {
      const token = tokenOf(await linkFor(email, 'magic-link'))
      const answer = await open().post('/_fw/auth/magic-link/verify', { json: { token } })
      smtp.received.length = 0
      return (await answer.json()).location
    }
    expect([await location(), await location()]).toEqual([PAGE, PAGE])
    smtp.received.length = 0
    await decide(await itsOwner(email), 'all-mine')
    smtp.received.length = 0
    expect(await location()).toBe('/notes')
  })

  it('skips the two-factor authentication that a stranger set up, and only-me removes it', async () => {
    const { browser, email, userId } = await aStranger()
    await waitForEarlyStep()
    const { secret } = await (await browser.post('/_fw/two-factor', { json: { password: PASSWORD } })).json()
    await browser.request('/_fw/two-factor', { method: 'PUT', json: { code: currentCodes(secret)[0] } })
    expect(await countRows(server, 'two_factor where active_at is not null and user_id = ?', [userId])).toBe(1)
    const owner = await itsOwner(email)
    expect(await (await owner.get(PAGE)).text()).toContain('An authenticator app is set up')
    await decide(owner, 'only-me')
    expect(await countRows(server, 'two_factor where user_id = ?', [userId])).toBe(0)
  })

  it('does not open the review page for a new account', async () => {
    const token = tokenOf(await linkFor(`new${++count}@example.test`, 'magic-link'))
    const answer = await open().post('/_fw/auth/magic-link/verify', { json: { token } })
    expect((await answer.json()).location).toBe('/notes')
  })
})

describe('/_fw/claim page', () => {
  it('shows sign-in methods, sessions, invitations and credential names, but no credential values', async () => {
    const stranger = await aStranger()
    const { browser, email } = stranger
    await browser.request('/_fw/vault/PLANTED_KEY', { method: 'PUT', json: { value: 'the-value-of-a-stranger' } })
    await anInvitation(stranger, 'accomplice@example.test')
    const owner = await itsOwner(email)
    const answer = await owner.get(PAGE)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
    const text = await answer.text()
    for (const part of [
      'A password is set',
      'Signed in on',
      'this one, stays',
      'PLANTED_KEY',
      'accomplice@example.test',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('the-value-of-a-stranger')
    expect(text).toContain(`href="/notes"`)
  })

  it('escapes an organization name set by a stranger', async () => {
    const { browser, email } = await aStranger()
    await browser.request('/_fw/org', { method: 'PATCH', json: { name: '<img src=x onerror=alert(1)>' } })
    const text = await (await (await itsOwner(email)).get(PAGE)).text()
    expect(text).toContain('&lt;img src=x')
    expect(text).not.toContain('<img')
  })

  it('redirects signed-out visitors to the sign-in page with a return path', async () => {
    const answer = await open().get(PAGE)
    expect([answer.status, locationOf(answer)]).toEqual([303, `/sign-in?${new URLSearchParams({ return: PAGE })}`])
  })

  it('redirects to the return path without an open review, and never to another origin', async () => {
    const browser = open()
    await signUp(browser, { email: `plain${++count}@example.test`, password: PASSWORD, name: 'Plain' })
    for (const [back, expected] of [
      ['/notes', '/notes'],
      ['https://evil.example', '/'],
      ['//evil.example', '/'],
    ] as const) {
      const path = `/_fw/claim?${new URLSearchParams({ return: back })}`
      expect(locationOf(await browser.get(path))).toBe(expected)
      expect(locationOf(await decide(browser, 'only-me', path))).toBe(expected)
    }
  })
})

describe('Password session of a stranger', () => {
  it('returns 403 without details and cannot decide', async () => {
    const { browser, email, userId } = await aStranger()
    await browser.request('/_fw/vault/SECRET_NAME', { method: 'PUT', json: { value: 'a-value-that-is-long' } })
    await itsOwner(email)
    for (const answer of [
      await browser.get(PAGE),
      await decide(browser, 'only-me'),
      await decide(browser, 'all-mine'),
    ]) {
      const text = await answer.text()
      expect(answer.status).toBe(403)
      expect(text).toContain('claim-needs-proof')
      expect(text).not.toContain('SECRET_NAME')
      expect(text).toContain(`href="/sign-in?return=`)
    }
    expect(await countRows(server, 'users where claim_since is not null and id = ?', [userId])).toBe(1)
    expect((await sessionOf(browser)).mayClaim).toBeUndefined()
  })

  it('ends when the owner chooses only-me, and its password and reset link stop working', async () => {
    const { browser, email, userId } = await aStranger()
    const link = await linkFor(email, 'reset')
    const owner = await itsOwner(email)
    expect((await sessionOf(owner)).mayClaim).toBe(true)
    const answer = await decide(owner, 'only-me')
    expect([answer.status, locationOf(answer)]).toEqual([303, '/notes'])
    expect(await sessionOf(browser)).toBeNull()
    expect(await sessionOf(owner)).toMatchObject({ userId })
    expect((await sessionOf(owner)).mayClaim).toBeUndefined()
    const signIn = await open().post('/_fw/auth/sign-in/email', { json: { email, password: PASSWORD } })
    expect(await statusAndCode(signIn)).toEqual([401, 'invalid-credentials'])
    const reset = { token: tokenOf(link), newPassword: NEW_PASSWORD }
    expect((await open().post('/_fw/auth/reset-password', { json: reset })).status).toBe(410)
    expect(server.log()).not.toContain(email)
  })
})

describe('Open account review at an identity hub and its application', () => {
  const OPERATOR = 'operator@harbour-claim.test'
  let workspace: Workspace
  beforeAll(async () => {
    const lenient = { AUTH_REQUIRE_EMAIL_VERIFICATION: '0', FW_RATE_LIMITS: 'off' }
    const mail = { SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' }
    workspace = await startWorkspace({
      ids: ['mail'],
      hubEnv: { ...lenient, ...mail, FW_OPERATORS: OPERATOR },
      appEnv: lenient,
    })
  })
  afterAll(() => workspace.stop())

  /** Opens the application through the hub, as the person in the hub's cookies. */
  async function throughHub(atHub: TestBrowser) {
    const app = workspace.app('mail')
    const atApp = createBrowser(app.origin)
    const started = await atApp.get('/_fw/identity/login?return=%2Fnotes')
    const authorize = new URL(started.headers.get('location') ?? '')
    const answer = await atHub.get(authorize.pathname + authorize.search)
    const back = URL.parse(answer.headers.get('location') ?? '', workspace.hub.origin)
    if (back?.origin === app.origin) await atApp.get(back.pathname + back.search)
    return { status: answer.status, session: await sessionOf(atApp) }
  }

  it('treats the address as unconfirmed everywhere for a session that did not prove it', async () => {
    const { hub } = workspace
    const [stranger, owner, founder] = [0, 1, 2].map(() => createBrowser(hub.origin)) as [
      TestBrowser,
      TestBrowser,
      TestBrowser,
    ]
    await signUp(founder, { email: 'founder@harbour-claim.test', password: PASSWORD, name: 'Founder' })
    const { orgId } = await sessionOf(founder)
    await query(hub, `update users set email_verified = 1 where email = 'founder@harbour-claim.test'`)
    const domain = { method: 'PATCH', json: { allowedDomain: 'harbour-claim.test' } }
    expect((await founder.request('/_fw/org', domain)).status).toBe(200)

    await signUp(stranger, { email: OPERATOR, password: PASSWORD, name: 'Squatter' })
    await owner.post('/_fw/auth/sign-in/magic-link', { json: { email: OPERATOR } })
    const { link } = await smtp.mailTo(OPERATOR, /Sign in/)
    await owner.post('/_fw/auth/magic-link/verify', { json: { token: tokenOf(link) } })

    const proofs = async (browser: TestBrowser) => {
      const { emailVerified, isOperator = false } = await sessionOf(browser)
      const webhook = { scope: 'installation', url: 'https://hooks.example.com/', types: ['security.*'] }
      return {
        emailVerified,
        isOperator,
        events: (await browser.get('/_fw/security-events')).status,
        webhook: (await browser.post('/_fw/webhooks', { json: webhook })).status,
        join: (await browser.post('/_fw/org/join', { json: { orgId } })).status,
        domains: (await (await browser.get('/_fw/org')).json()).domainMatches.length,
        address: (await (await browser.get('/_fw/account/address')).json()).refusal,
        hub: await throughHub(browser).then(({ status, session }) => [status, session?.email ?? null]),
      }
    }
    expect(await proofs(stranger)).toEqual({
      emailVerified: false,
      isOperator: false,
      events: 404,
      webhook: 404,
      join: 403,
      domains: 0,
      address: 'email-not-verified',
      hub: [403, null],
    })
    const app = workspace.app('mail').server
    expect(await countRows(app, 'users where email = ?', [OPERATOR])).toBe(0)

    // A new mail signs in the browser that opens it, and does not help the stranger.
    smtp.received.length = 0
    await stranger.post('/_fw/auth/send-verification-email', { json: { email: OPERATOR } })
    const again = await smtp.mailTo(OPERATOR, /Sign in/)
    const opened = createBrowser(hub.origin)
    await opened.post('/_fw/auth/magic-link/verify', { json: { token: tokenOf(again.link) } })
    expect(await sessionOf(opened)).toMatchObject({ emailVerified: true, mayClaim: true })
    expect(await (await stranger.post('/_fw/auth/waiting', { json: {} })).json()).not.toMatchObject({
      status: 'signed-in',
    })
    expect(await sessionOf(stranger)).toMatchObject({ emailVerified: false })

    expect(await proofs(owner)).toMatchObject({
      emailVerified: true,
      isOperator: true,
      events: 200,
      hub: [303, OPERATOR],
    })
    await decide(owner, 'only-me')
    expect(await sessionOf(stranger)).toBeNull()
    expect(await throughHub(stranger)).toEqual({ status: 303, session: null })
    expect(await sessionOf(owner)).toMatchObject({ emailVerified: true, isOperator: true })
  })
})

describe('POST /_fw/claim', () => {
  it('returns 400 for a decision other than only-me or all-mine', async () => {
    const owner = await itsOwner((await aStranger()).email)
    const answer = await owner.post(PAGE, { form: { decision: 'yes' }, headers: { accept: 'application/json' } })
    expect(await statusAndCode(answer)).toEqual([400, 'invalid-request'])
  })

  it('blocks removal of the account by another owner until the decision, and only-me removes that owner', async () => {
    const stranger = await aStranger()
    const { email, userId, orgId } = stranger
    const accomplice = await aStranger()
    const path = `/_fw/org/invitations/${await anInvitation(stranger, accomplice.email)}/accept`
    const accepted = await accomplice.browser.post(path, { json: { confirm: true } })
    expect(accepted.status).toBe(200)
    const owner = await itsOwner(email)
    const removal = () => accomplice.browser.request(`/_fw/org/members/${email}`, { method: 'DELETE' })
    expect(await statusAndCode(await removal())).toEqual([409, 'claim-open'])
    await decide(owner, 'only-me')
    expect(await query(server, 'select user_id, role from org_members where org_id = ?', [orgId])).toEqual([
      { user_id: userId, role: 'owner' },
    ])
    expect((await removal()).status).toBeGreaterThanOrEqual(400)
  })
})

describe('Required email confirmation', () => {
  it('creates no session and no data for an unconfirmed account', async () => {
    const strict = await borrowServer({
      env: { NODE_ENV: 'production', SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' },
    })
    try {
      const browser = createBrowser(strict.origin)
      const email = `unconfirmed${++count}@example.test`
      const json = { email, password: PASSWORD, name: 'Squatter' }
      expect(await (await browser.post('/_fw/auth/sign-up/email', { json })).json()).toMatchObject({
        verification: 'sent',
      })
      const signIn = await browser.post('/_fw/auth/sign-in/email', { json })
      expect(await statusAndCode(signIn)).toEqual([403, 'email-not-verified'])
      expect(await sessionOf(browser)).toBeNull()
      // operations.test.ts checks that each operation returns 401 without a session.
      for (const table of ['sessions', 'organizations', 'org_invitations', 'vault_credentials', 'shares', 'notes']) {
        expect([table, await countRows(strict, table)]).toEqual([table, 0])
      }
    } finally {
      await strict.stop()
    }
  })
})
