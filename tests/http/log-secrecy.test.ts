import { describe, expect, it } from 'vitest'
import { fwBeside } from '../support/fw'
import { createBrowser, signUp, type TestBrowser, userAgents } from '../support/http'
import { startSmtp } from '../support/mail'
import { startOidcProvider } from '../support/provider-oidc'
import { query } from '../support/query'
import { expectNoSecrets } from '../support/secrets'
import { startServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD } from '../support/team'

const CLIENT_SECRET = 'a-secret-between-the-two'

/** Every value of a column that must not appear in a log. */
const column = async (server: TestServer, sql: string): Promise<string[]> =>
  (await query(server, sql)).map(row => String(row[0])).filter(Boolean)

async function signInWith(
  provider: Awaited<ReturnType<typeof startOidcProvider>>,
  browser: TestBrowser,
  email: string,
) {
  const start = await browser.post('/_fw/auth/sign-in/social', { json: { provider: 'corp', callbackURL: '/' } })
  const back = new URL(await provider.signIn((await start.json()).url, email))
  await browser.get(back.pathname + back.search)
  // The state is used up, so the server refuses this request and logs the refusal.
  await browser.get(back.pathname + back.search)
  return [...back.searchParams.values()]
}

describe('Server log of a whole run', () => {
  it('contains no passwords, cookies, tokens, codes, Authorization values or addresses, even at debug level', async () => {
    const provider = await startOidcProvider({ clientId: 'fairway', clientSecret: CLIENT_SECRET })
    const corp = { id: 'corp', name: 'Corp', issuer: provider.issuer, clientId: 'fairway', clientSecret: CLIENT_SECRET }
    const server = await startServer({ env: { FW_LOG_LEVEL: 'debug', FW_OIDC_PROVIDERS: JSON.stringify([corp]) } })
    provider.allow(`${server.origin}/_fw/auth/callback/corp`)
    const world = createTeamWorld(server)
    const { owner, member, outsider } = await world.team()

    const phone = createBrowser(server.origin)
    const headers = { 'user-agent': userAgents.safariOnPhone, authorization: 'Bearer swordfish-0123456789' }
    await phone.post('/_fw/auth/sign-in/email', { json: { email: owner.email, password: 'not the one 5' }, headers })
    await phone.post('/_fw/auth/sign-in/email', { json: { email: owner.email, password: PASSWORD }, headers })
    await phone.post('/sign-in?return=/notes', {
      form: { intent: 'sign-in', email: owner.email, password: 'nor this 6' },
    })
    await phone.post('/_fw/auth/sign-up/email', { json: { email: owner.email, password: PASSWORD, name: 'Again' } })
    await phone.post('/_fw/auth/change-password', { json: { currentPassword: 'nor that 7', newPassword: PASSWORD } })
    const codes = await signInWith(provider, createBrowser(server.origin), 'new@example.test')

    await owner.browser.post('/_fw/org/invitations', { json: { email: outsider.email, role: 'member' } })
    const { id, token } = world.linkFor(outsider.email)
    await createBrowser(server.origin).get(`/invitation?id=${id}&token=${token}`)
    await member.browser.post(`/_fw/org/invitations/${id}/accept`, { json: { token } })
    await owner.browser.request(`/_fw/org/members/${encodeURIComponent('nobody@example.test')}`, { method: 'DELETE' })
    await member.browser.request(`/_fw/org/members/${owner.email}`, { method: 'DELETE' })
    await owner.browser.post('/_fw/actions/create-note', { json: { title: 'Only for me: swordfish-note' } })
    await owner.browser.post('/_fw/actions/create-note', { json: { title: 5 } })
    await owner.browser.get(`/_fw/session?token=${token}&fw.session_token=${token}`)
    const asOwner = { AUTH_MODE: 'local', FW_USER_EMAIL: owner.email }
    const { err: cli } = await fwBeside(server, ['action', 'list-notes'], asOwner)
    await phone.request('/_fw/sessions', { method: 'DELETE' })
    await phone.request('/_fw/session', { method: 'DELETE' })

    const tokens = await column(server, 'select token from sessions')
    const addresses = await column(server, 'select email from users')
    const hashes = await column(server, 'select password from accounts where password is not null')
    expect([tokens.length > 3, addresses.length, hashes.length]).toEqual([true, 5, 4])
    const secrets = [
      ...tokens,
      ...addresses,
      ...hashes,
      ...codes,
      token,
      CLIENT_SECRET,
      'not the one 5',
      'nor this 6',
      'nor that 7',
      'swordfish',
      owner.browser.cookieHeader(),
    ]
    expect(server.log()).toContain('"level":"debug"')
    expect(server.log()).toContain('"message":"security event"')
    expect(server.log()).toContain('/_fw/org/members/[address]')
    // The command prints the account that it acts as to the person who runs it. The rest of its output counts as log.
    expect(cli).toContain(`Acting as ${owner.email}.`)
    expectNoSecrets(server.log() + cli.replace(`Acting as ${owner.email}.`, ''), secrets)
    await server.stop()
    await provider.stop()
  })

  it('contains no secrets when the database or the mail server fails', async () => {
    const smtp = await startSmtp({ refuses: 'for-now' })
    const server = await startServer({
      env: { FW_LOG_LEVEL: 'debug', SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' },
    })
    const browser = createBrowser(server.origin)
    const person = { email: 'ada@example.test', password: PASSWORD, name: 'Ada' }
    await signUp(browser, person)
    await column(server, 'update users set email_verified = 1')
    await browser.post('/_fw/org/invitations', { json: { email: 'grace@example.test', role: 'member' } })
    await column(server, 'alter table accounts rename to accounts_gone')
    await column(server, 'alter table org_invitations rename to org_invitations_gone')
    const [token = ''] = await column(server, 'select token from sessions')
    const failed = [
      await browser.post('/_fw/auth/sign-in/email', { json: person }),
      await browser.post('/_fw/auth/sign-up/email', { json: { ...person, email: 'other@example.test' } }),
      await browser.post('/_fw/org/invitations', { json: { email: 'alan@example.test', role: 'member' } }),
    ]
    expect(failed.map(({ status }) => status)).toContain(500)
    expect(server.log()).toMatch(/"level":"error".*no such table/)
    await expect.poll(() => server.log()).toMatch(/"message":"a job is tried again"/)
    expectNoSecrets(server.log(), [token, person.email, 'grace@example.test', 'alan@example.test'])
    await server.stop()
    await smtp.stop()
  })
})

describe('expectNoSecrets', () => {
  const token = 'T3s7yUuY0pQ2rS4tV6wX8zA1bC3dE5fG7hJ9kL1mN2o'
  it.each([
    `{"message":"x","cookie":"fw.session_token=${token}.abc"}`,
    `GET /invitation?id=1&token=${token}`,
    `{"token":"${token}"}`,
    `value ${token}.${'A'.repeat(43)}%3D`,
    `authorization: Bearer ${token}`,
    'mailed to ada.lovelace@example.test',
    '/_fw/org/members/ada%40example.test',
    'tried zebra quilt 7 lantern',
    'hash $argon2id$v=19$m=19456',
  ])('detects %j', line => {
    expect(() => expectNoSecrets(`{"level":"info"}\n${line}\n`)).toThrow(/the log holds/)
  })

  it('accepts an ordinary log', () => {
    expectNoSecrets(
      '{"time":"2026-01-02T03:04:05.000Z","level":"error","message":"failed","requestId":"0199a5e2-7c1b-7000-8000-3c0f8a6f0b11","stack":"at /app/node_modules/@libsql/client/lib-esm/node.js:1"}',
    )
  })
})
