import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { PASSWORD } from '../support/team'

let smtp: Awaited<ReturnType<typeof startSmtp>>
let server: TestServer
let owner: TestBrowser
let orgId: string
let count = 0

beforeAll(async () => {
  smtp = await startSmtp()
  const mail = { SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' }
  server = await borrowServer({ env: { ...mail, AUTH_SKIP_EMAIL_VERIFICATION: '0' } })
  owner = createBrowser(server.origin)
  await owner.post('/_fw/auth/sign-in/magic-link', { json: { email: 'maria@example.test' } })
  const token = new URL((await smtp.mailTo('maria@example.test')).link).searchParams.get('token')
  await owner.post('/_fw/auth/magic-link/verify', { json: { token } })
  await owner.post('/_fw/auth/update-user', { json: { name: 'Maria Ortiz' } })
  const { orgId: id } = await sessionOf(owner)
  orgId = id
  await owner.request('/_fw/org', { method: 'PATCH', json: { name: 'Northwind Traders' } })
})
afterAll(async () => {
  await server.stop()
  await smtp.stop()
})

const SUBJECT = 'Maria Ortiz invited you to Northwind Traders'

/** A person who was just invited, and the sign-in page that their link opens. */
async function invited() {
  const email = `guest${++count}@example.test`
  const made = await owner.post('/_fw/org/invitations', { json: { email } })
  expect(made.status).toBe(201)
  const link = new URL((await smtp.mailTo(email, /invited you/)).link)
  const path = link.pathname + link.search
  return { email, path, page: `/sign-in?return=${encodeURIComponent(path)}`, id: link.searchParams.get('id') }
}

/** The subjects of the mails to an address. Waits for a mail that was queued later. */
async function subjectsTo(email: string): Promise<string[]> {
  await invited()
  return smtp.received
    .filter(({ to }) => to.includes(email))
    .map(({ data }) => /^Subject: (.+)$/m.exec(data)?.[1]?.trim() ?? '')
}

const accountOf = async (email: string) =>
  (
    await query(server, 'select email_verified as verified, claim_since as claim from users where email = ?', [email])
  )[0]

describe('Invitation link opened while signed out', () => {
  it('shows who invites the person to which organization, with the address filled in', async () => {
    const { email, page } = await invited()
    const answer = await createBrowser(server.origin).get(page)
    const html = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(html).toContain(SUBJECT)
    expect(html).toMatch(new RegExp(`<section class="switch-default" id="sign-up">.*value="${email}" readonly`))
  })

  it('creates the account without a password first, and offers a password below', async () => {
    const { page } = await invited()
    const html = await (await createBrowser(server.origin).get(page)).text()
    const shown = html.slice(html.indexOf('<section class="switch-default"'))
    expect(shown).toContain('Create an account to accept.')
    expect(shown).toMatch(/<button name="intent" value="sign-up-link">Create account<\/button>/)
    expect(shown).toContain('href="#sign-up-password"')
    expect(shown).not.toContain('type="password"')
    expect(html).toMatch(/<section class="switch" id="sign-up-password">.*type="password"/)
  })

  it('creates a confirmed account with a password and sends no second email', async () => {
    const { email, page, path, id } = await invited()
    const browser = createBrowser(server.origin)
    const form = { intent: 'sign-up', email, name: 'Guest', password: PASSWORD }
    const answer = await browser.post(page, { form })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
    expect(await accountOf(email)).toMatchObject({ verified: 1, claim: null })
    const accepted = await browser.post(`/_fw/org/invitations/${id}/accept`, { json: {} })
    expect(accepted.status).toBe(200)
    expect(await sessionOf(browser)).toMatchObject({ email, orgId, emailVerified: true })
    expect(await subjectsTo(email)).toEqual([SUBJECT])
  })

  it('creates a confirmed account without a password', async () => {
    const { email, page, path } = await invited()
    const browser = createBrowser(server.origin)
    const answer = await browser.post(page, { form: { intent: 'sign-up-link', email, name: '' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
    expect(await sessionOf(browser)).toMatchObject({ email, emailVerified: true })
    expect(await subjectsTo(email)).toEqual([SUBJECT])
  })

  it.each(['sign-up', 'sign-up-link'])('does not confirm another address (%s)', async intent => {
    const { page } = await invited()
    const email = `other${++count}@example.test`
    const browser = createBrowser(server.origin)
    await browser.post(page, { form: { intent, email, name: 'Other', password: PASSWORD } })
    expect(await sessionOf(browser)).toBeNull()
    expect((await accountOf(email))?.verified ?? 0).toBe(0)
  })

  it('signs in once, and emails a link when the account already exists', async () => {
    const { email, page } = await invited()
    const form = { intent: 'sign-up-link', email, name: '' }
    await createBrowser(server.origin).post(page, { form })
    const second = createBrowser(server.origin)
    expect(await (await second.get(page)).text()).toContain(`Sign in as ${email} to accept.`)
    await second.post(page, { form })
    expect(await sessionOf(second)).toBeNull()
    expect(await subjectsTo(email)).toEqual([SUBJECT, expect.stringContaining('Sign in to')])
  })

  it('does not confirm the address after the invitation has ended or with another token', async () => {
    const { email, page, id } = await invited()
    const wrong = page.replace(/.{4}$/, 'xxxx')
    expect(await (await createBrowser(server.origin).get(wrong)).text()).not.toContain('Maria Ortiz')
    await owner.request(`/_fw/org/invitations/${id}`, { method: 'DELETE' })
    const browser = createBrowser(server.origin)
    expect(await (await browser.get(page)).text()).not.toContain('Maria Ortiz')
    await browser.post(page, { form: { intent: 'sign-up', email, name: 'Guest', password: PASSWORD } })
    expect(await sessionOf(browser)).toBeNull()
    expect((await accountOf(email))?.verified).toBe(0)
  })

  it('creates one account when six browsers try concurrently', async () => {
    const { email, page } = await invited()
    const browsers = Array.from({ length: 6 }, () => createBrowser(server.origin))
    await Promise.all(
      browsers.map(browser => browser.post(page, { form: { intent: 'sign-up-link', email, name: '' } })),
    )
    const signedIn = (await Promise.all(browsers.map(sessionOf))).filter(session => session !== null)
    expect(signedIn).toHaveLength(1)
    expect(await query(server, 'select 1 from users where email = ?', [email])).toHaveLength(1)
  })
})
