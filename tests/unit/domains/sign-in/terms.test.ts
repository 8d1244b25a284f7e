import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findPersonDetails } from '#fairway/server/domains/people'
import { authenticateAccessToken, answerTokenRequest } from '#fairway/server/domains/oauth-server'
import { findCookieSession } from '#fairway/server/domains/sessions/cookie-session'
import { exportAccount } from '#fairway/server/domains/sign-in'
import { signInPage } from '#fairway/server/domains/sign-in/sign-in-page'
import type { App } from '#fairway/server/kernel/app-context'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'
import terms from '#fairway/server/routes/_fw/terms'
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
  server = await serveHandlers(app, { routes: { '/_fw/terms': terms } })
})
afterEach(async () => {
  await server.stop()
  await test.close()
})

/** The same installation after its terms have changed. */
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

describe('terms that people accept', () => {
  it('are asked for once, recorded with version and time, and lead on to where the person was going', async () => {
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

  it('are asked for again when the version changes, and a version that was not shown is not accepted', async () => {
    await accept()
    const later = withVersion('2027-01-01')
    expect(await sessionIn(later)).toMatchObject({ termsDue: true })
    expect((await accept('2027-01-01')).headers.get('location')).toContain('/_fw/terms?return=')
    expect(await query(app, 'select version from fw_terms_acceptances')).toEqual([{ version: '2026-11-01' }])
  })

  it('are not accepted without the tick, or by many at once more than once', async () => {
    expect((await post({ version: legal.terms.version, decision: 'accept' })).status).toBe(400)
    expect(await query(app, 'select version from fw_terms_acceptances')).toEqual([])
    await Promise.all(Array.from({ length: 10 }, () => accept()))
    expect(await query(app, 'select version from fw_terms_acceptances')).toHaveLength(1)
  })

  it('may be refused by signing out, and are no affair of a browser without a session', async () => {
    const out = await post({ decision: 'sign-out' })
    expect(out.headers.get('location')).toBe('/sign-in')
    expect(await sessionIn(app)).toBeUndefined()
    expect((await visit({}, {})).headers.get('location')).toMatch(/^\/sign-in\?return=/)
  })

  it('keep no token and no connected app from working', async () => {
    const tokens = await answerTokenRequest(app, { form: await approve(app, person) })
    expect((await authenticateAccessToken(app, tokens.access_token))?.session.orgId).toBe(person.orgId)
  })

  it('are in the person’s own file and in what operators see, and go with the account', async () => {
    await accept()
    const { text } = await exportAccount(app, person)
    let file = ''
    for await (const piece of text) file += piece
    expect(JSON.parse(file).account.terms).toMatchObject([{ version: '2026-11-01' }])
    expect((await findPersonDetails(app, person.userId))?.terms).toMatchObject([{ version: '2026-11-01' }])
    await query(app, 'delete from users where id = ?', [person.userId])
    expect(await query(app, 'select 1 from fw_terms_acceptances')).toEqual([])
  })

  it('are not asked of the development account, and not without a declaration', async () => {
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

describe('the sign-up form', () => {
  it('says that terms will be asked for, with links to what is declared', async () => {
    const { html } = (await signInPage(app, { language: 'de', offersDev: false })) as unknown as { html: string }
    expect(html).toContain('Nach der ersten Anmeldung bitten wir Sie')
    expect(html).toContain('href="https://example.com/privacy"')
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
