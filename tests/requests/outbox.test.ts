import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, sessionOf } from '../support/http'
import { borrowServer, type TestServer } from '../support/server'

const OUTBOX = '/_fw/dev/outbox'
const person = { name: 'Ada', email: 'ada@example.test', password: 'a long enough password' }
const confirming = { NODE_ENV: 'development', AUTH_SKIP_EMAIL_VERIFICATION: '0' }
const hrefsOf = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(/href="([^"]+)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .filter(href => pattern.test(href))

describe('development outbox', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await borrowServer({ env: confirming })
  })
  afterAll(() => server.stop())

  it('shows the confirmation email when email confirmation is switched on', async () => {
    const browser = createBrowser(server.origin)
    const empty = await browser.get(OUTBOX)
    expect([empty.status, empty.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await empty.text()).toContain('No emails yet.')
    await browser.post('/sign-in?return=/notes', { form: { intent: 'sign-up', ...person } })
    expect(await sessionOf(browser)).toBeNull()
    const list = await (await browser.get(OUTBOX)).text()
    expect(list).toContain(`To ${person.email}`)
    const [mail = ''] = hrefsOf(list, /mail=/)
    const shown = await (await browser.get(mail)).text()
    const [html = ''] = hrefsOf(shown, /part=html/)
    const asMail = await browser.get(html)
    expect(asMail.headers.get('content-security-policy')).toContain(`default-src 'none'; style-src 'unsafe-inline'`)
    const [link = ''] = hrefsOf(await asMail.text(), /auth\/link/)
    expect(hrefsOf(shown, /auth\/link/)).toEqual([link])
    const { pathname, search, searchParams } = new URL(link)
    await browser.get(pathname + search)
    const form = { token: searchParams.get('token') ?? '', where: 'here' }
    expect((await browser.post('/_fw/auth/link', { form })).status).toBe(303)
    expect(await sessionOf(browser)).toMatchObject({ email: person.email, emailVerified: true })
  })

  it('is linked from the pages that mention emails, and sign-in offers the emailed link first', async () => {
    const browser = createBrowser(server.origin)
    const page = await (await browser.get('/sign-in?return=/')).text()
    expect(page).toContain('<section class="switch-default" id="magic-link"')
    expect(hrefsOf(page, /outbox/)).toEqual([OUTBOX])
    const waiting = await (await browser.get('/sign-in?step=check-mail')).text()
    expect(hrefsOf(waiting, /outbox/)).toEqual([OUTBOX])
  })

  it('is available in German', async () => {
    const page = await createBrowser(server.origin).get(OUTBOX, { headers: { 'accept-language': 'de-AT' } })
    expect(await page.text()).toContain('<html lang="de">')
  })

  it.each([
    ['an id that is not there', '?mail=01900000-0000-7000-8000-000000000000'],
    ['a path', '?mail=../fairway'],
    ['several', '?mail=a&mail=b'],
    ['nothing', '?mail='],
  ])('returns 404 for %s', async (_, query) => {
    expect((await createBrowser(server.origin).get(OUTBOX + query)).status).toBe(404)
  })

  it('is visible only from this machine', async () => {
    const through = { headers: { 'x-forwarded-for': '203.0.113.7' } }
    expect((await createBrowser(server.origin).get(OUTBOX, through)).status).toBe(404)
  })
})

it.each([
  ['in production', { NODE_ENV: 'production' }],
  ['in tests', { NODE_ENV: 'test' }],
  ['where mails are sent', { NODE_ENV: 'development', SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'a@example.test' }],
  ['where more than this machine may be listened to', { NODE_ENV: 'development', FW_DISABLE_AUTO_DEV_ACCOUNT: '1' }],
])('the outbox does not exist %s', async (_, env) => {
  const server = await borrowServer({ env })
  const browser = createBrowser(server.origin)
  expect((await browser.get(OUTBOX)).status).toBe(404)
  expect(await (await browser.get('/sign-in?error=provider-failed')).text()).not.toContain('outbox')
  await server.stop()
})
