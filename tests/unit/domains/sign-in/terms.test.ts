import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmailLink, findPersonDetails, issueEmailLink } from '#fairway/server/domains/people'
import { authenticateAccessToken, answerTokenRequest } from '#fairway/server/domains/oauth-server'
import { findCookieSession } from '#fairway/server/domains/sessions/cookie-session'
import { exportAccount } from '#fairway/server/domains/sign-in'
import { showLink, submitLink } from '#fairway/server/domains/sign-in/open-link'
import { signUp } from '#fairway/server/domains/sign-in/password-sign-in'
import { signInPage } from '#fairway/server/domains/sign-in/sign-in-page'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import terms from '#fairway/server/routes/_fw/terms'
import signInRoute from '#fairway/server/routes/sign-in'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { addPerson, aMember, signInAs } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const legal = { terms: { version: '2026-11-01', url: '/terms' }, privacy: { url: 'https://example.com/privacy' } }
let test: TestApp
let app: App
let person: Session
let cookie: string
let origin: string
let server: Awaited<ReturnType<typeof serveHandlers>>

beforeEach(async () => {
  origin = `http://localhost:${await freePort()}`
  test = await createTestApp({ FW_BASE_URL: origin }, { legal })
  app = test.app
  person = await aMember(app)
  cookie = (await signInAs(app, person)).split(';', 1)[0] ?? ''
  server = await serveHandlers(app, { routes: { '/_fw/terms': terms, '/sign-in': signInRoute } })
})
afterEach(async () => {
  await server.stop()
  await test.close()
})

/** The same installation with another version of its terms. */
const withVersion = (version: string): App => ({
  ...app,
  config: { ...app.config, legal: { ...legal, terms: { ...legal.terms, version } } },
  memo: (_name, make) => make(),
})
const sessionIn = async (on: App) => (await findCookieSession(on, cookie))?.session
const visit = (init: RequestInit = {}, headers: Record<string, string> = { cookie }) =>
  fetch(`${origin}/_fw/terms?return=%2Fnotes`, { redirect: 'manual', ...init, headers })
const post = (form: Record<string, string>) =>
  visit(
    { method: 'POST', body: new URLSearchParams(form) },
    { cookie, 'content-type': 'application/x-www-form-urlencoded' },
  )
const accept = (version = legal.terms.version) => post({ version, accepts: 'yes', decision: 'accept' })

describe('the terms page', () => {
  it('asks once, records version and time, and redirects to the return path', async () => {
    expect(await sessionIn(app)).toMatchObject({ termsDue: true, orgId: person.orgId })
    const page = await (await visit()).text()
    expect(page).toContain('version 2026-11-01')
    expect(page).toContain('href="/terms"')
    expect(page).toContain('href="https://example.com/privacy"')
    const accepted = await accept()
    expect(accepted.headers.get('location')).toBe('/notes')
    expect(await sessionIn(app)).not.toHaveProperty('termsDue')
    const [row] = await query(app, 'select user_id, version, accepted_at from fw_terms_acceptances')
    expect(row).toMatchObject({ user_id: person.userId, version: '2026-11-01', accepted_at: expect.any(Number) })
    expect((await visit()).headers.get('location')).toBe('/notes')
  })

  it('asks again when the version changes, and refuses a version that was not shown', async () => {
    await accept()
    const later = withVersion('2027-01-01')
    expect(await sessionIn(later)).toMatchObject({ termsDue: true })
    expect((await accept('2027-01-01')).headers.get('location')).toContain('/_fw/terms?return=')
    expect(await query(app, 'select version from fw_terms_acceptances')).toEqual([{ version: '2026-11-01' }])
  })

  it('requires the checkbox, and records one acceptance for concurrent requests', async () => {
    expect((await post({ version: legal.terms.version, decision: 'accept' })).status).toBe(400)
    expect(await query(app, 'select version from fw_terms_acceptances')).toEqual([])
    await Promise.all(Array.from({ length: 10 }, () => accept()))
    expect(await query(app, 'select version from fw_terms_acceptances')).toHaveLength(1)
  })

  it('offers to sign out instead, and redirects a browser without a session to the sign-in page', async () => {
    const out = await post({ decision: 'sign-out' })
    expect(out.headers.get('location')).toBe('/sign-in')
    expect(await sessionIn(app)).toBeUndefined()
    expect((await visit({}, {})).headers.get('location')).toMatch(/^\/sign-in\?return=/)
  })

  it('does not block access tokens of connected apps', async () => {
    const tokens = await answerTokenRequest(app, { form: await approve(app, person) })
    expect((await authenticateAccessToken(app, tokens.access_token))?.session.orgId).toBe(person.orgId)
  })

  it('adds acceptances to the account export and operator view, and deletes them with the account', async () => {
    await accept()
    const { text } = await exportAccount(app, person)
    let file = ''
    for await (const piece of text) file += piece
    expect(JSON.parse(file).account.terms).toMatchObject([{ version: '2026-11-01' }])
    expect((await findPersonDetails(app, person.userId))?.terms).toMatchObject([{ version: '2026-11-01' }])
    await query(app, 'delete from users where id = ?', [person.userId])
    expect(await query(app, 'select 1 from fw_terms_acceptances')).toEqual([])
  })

  it('does not ask the development account, and does not ask without declared terms', async () => {
    const dev = await addPerson(app, { kind: 'dev', email: 'dev@local.test' })
    cookie = (await signInAs(app, { userId: dev.id, email: dev.email })).split(';', 1)[0] ?? ''
    expect(await sessionIn(app)).not.toHaveProperty('termsDue')
    const plain = await createTestApp()
    const ada = await aMember(plain.app)
    cookie = (await signInAs(plain.app, ada)).split(';', 1)[0] ?? ''
    expect(await sessionIn(plain.app)).not.toHaveProperty('termsDue')
    await plain.close()
  })
})

const VERSION = legal.terms.version
const request = { clientAddress: '192.0.2.1', userAgent: 'test' }
const accepted = (email: string) =>
  query(
    app,
    'select t.version as version from fw_terms_acceptances t join users u on u.id = t.user_id where u.email = ?',
    [email],
  )
const htmlOf = (page: unknown): string => (page as { html: string }).html

describe('the sign-up form', () => {
  const signUpAs = (email: string, termsVersion?: string) =>
    signUp(app, { email, password: 'zebra quilt 7 lantern', name: 'New', termsVersion }, request)

  it('has a required checkbox with links to the declared documents', async () => {
    const html = htmlOf(await signInPage(app, { language: 'de', offersDev: false }))
    expect(html).toMatch(/<input type="checkbox" name="termsVersion" value="2026-11-01" required[^>]*>/)
    expect(html).toContain('Ich akzeptiere die Nutzungsbedingungen und die Datenschutzerklärung.')
    expect(html).toContain('href="https://example.com/privacy"')
  })

  it('has no checkbox without declared terms', async () => {
    const plain = await createTestApp()
    expect(htmlOf(await signInPage(plain.app, { language: 'en', offersDev: false }))).not.toContain('termsVersion')
    await plain.close()
  })

  it.each(['sign-up', 'sign-up-link'])('opens no account without the tick: %s', async intent => {
    const send = (more: Record<string, string>) =>
      fetch(`${origin}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({
          intent,
          email: 'new@example.test',
          password: 'zebra quilt 7 lantern',
          name: 'New',
          ...more,
        }),
      })
    for (const more of [{}, { termsVersion: '2020-01-01' }] as Record<string, string>[]) {
      const answer = await send(more)
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('terms-due')])
    }
    expect(await query(app, "select 1 from users where email = 'new@example.test'")).toEqual([])
    expect(await (await send({ termsVersion: VERSION })).text()).not.toContain('terms-due')
  })

  it('records the accepted version, so that the terms page does not ask', async () => {
    const { setCookies } = await signUpAs('new@example.test', VERSION)
    expect(await accepted('new@example.test')).toEqual([{ version: VERSION }])
    cookie = setCookies[0]?.split(';', 1)[0] ?? ''
    const session = await sessionIn(app)
    expect([session?.email, session?.termsDue]).toEqual(['new@example.test', undefined])
  })

  it.each([undefined, '2020-01-01'])(
    'records no acceptance for version %s, so that the terms page asks',
    async version => {
      const { setCookies } = await signUpAs('new@example.test', version)
      expect(await accepted('new@example.test')).toEqual([])
      cookie = setCookies[0]?.split(';', 1)[0] ?? ''
      expect(await sessionIn(app)).toMatchObject({ termsDue: true })
    },
  )
})

describe('the page of a mailed link', () => {
  const linkTo = async (email: string, purpose: EmailLink['purpose'], more: { termsVersion?: string } = {}) => {
    const payload = { returnPath: '/', ...request, ...more }
    const { href, setCookie } = await issueEmailLink(app, { purpose, email, payload })
    const token = new URL(href).searchParams.get('token') ?? ''
    const cookieHeader = setCookie.split(';', 1)[0]
    return { token, cookieHeader }
  }
  const asks = async ({ token, cookieHeader }: { token: string; cookieHeader?: string }) =>
    JSON.stringify(await showLink(app, { token, language: 'en' }, { ...request, cookieHeader })).includes(
      'termsVersion',
    )

  it('asks a new person to accept the terms and records it, but does not ask again', async () => {
    const link = await linkTo('new@example.test', 'magic-link')
    expect(await asks(link)).toBe(true)
    await submitLink(app, { token: link.token, where: 'here', termsVersion: VERSION }, request)
    expect(await accepted('new@example.test')).toEqual([{ version: VERSION }])
    expect(await asks(await linkTo('new@example.test', 'magic-link'))).toBe(false)
    expect(await asks(await linkTo('other@example.test', 'password-reset'))).toBe(false)
  })

  it('leaves a new version to the terms page', async () => {
    await accept()
    app = withVersion('2027-01-01')
    expect(await asks(await linkTo(person.email, 'magic-link'))).toBe(false)
  })

  it('accepts the sign-up checkbox in the same browser, and asks in another', async () => {
    const link = await linkTo('new@example.test', 'verification', { termsVersion: VERSION })
    expect([await asks(link), await asks({ token: link.token })]).toEqual([false, true])
    await submitLink(app, { token: link.token, where: 'here' }, { ...request, cookieHeader: link.cookieHeader })
    expect(await accepted('new@example.test')).toEqual([{ version: VERSION }])
    const elsewhere = await linkTo('third@example.test', 'magic-link', { termsVersion: VERSION })
    const refused = await submitLink(app, { token: elsewhere.token, where: 'here' }, request)
    expect(JSON.stringify(refused)).toContain('terms-due')
    expect(await query(app, "select 1 from users where email = 'third@example.test'")).toEqual([])
    await submitLink(app, { token: elsewhere.token, where: 'here', termsVersion: VERSION }, request)
    expect(await accepted('third@example.test')).toEqual([{ version: VERSION }])
  })
})

describe('legal in fw.config.ts', () => {
  it.each(['javascript:alert(1)', '//evil.example', 'http://example.com/terms', 'terms'])(
    'refuses the address %j',
    url => {
      expect(() => defineFwConfig({ legal: { terms: { version: '1', url } } })).toThrow(/legal\.terms\.url/)
    },
  )
})
