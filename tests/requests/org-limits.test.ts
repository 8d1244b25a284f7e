import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf, userAgents } from '../support/http'
import { startSmtp } from '../support/mail'
import { sendMessage } from '../support/mcp'
import { countRows, query } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

const INVITATIONS = '/_fw/org/invitations'
const OWNER = 'owner@example.test'
const limited = [429, 'rate-limited']
const times = <T>(number: number, make: (index: number) => T): T[] => Array.from({ length: number }, (_, i) => make(i))
let count = 0
const stranger = () => `stranger${++count}@example.test`
/** Headers for a network that no other test uses. */
const network = () => ({ 'x-forwarded-for': `198.51.100.${++count}` })

describe('invitation emails with a mail server', () => {
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let server: TestServer
  beforeAll(async () => {
    smtp = await startSmtp()
    const mail = { SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.test>' }
    server = await borrowServer({ env: { ...mail, AUTH_SKIP_EMAIL_VERIFICATION: '1' } })
  })
  afterAll(async () => {
    await server.stop()
    await smtp.stop()
  })

  it('are rejected in every way until the inviter’s address is confirmed', async () => {
    const eve = await createTeamWorld(server).person({ verified: false })
    await sessionOf(eve.browser)
    const wanted = [stranger(), stranger(), stranger()]
    const [one = '', two = '', three = ''] = wanted
    const refusals = [
      await eve.browser.post(INVITATIONS, { json: { email: one } }),
      await eve.browser.post(INVITATIONS, { json: { invitations: [{ email: two }] } }),
      await eve.browser.post('/_fw/actions/invite-member', { json: { email: three } }),
    ]
    for (const refusal of refusals) {
      expect(refusal.status).toBe(403)
      const problem = await refusal.json()
      expect(problem).toMatchObject({ code: 'email-not-verified', detail: expect.stringMatching(/link .*mailed/) })
    }
    expect(await countRows(server, 'org_invitations')).toBe(0)
    expect(await (await eve.browser.get(INVITATIONS)).json()).toEqual({ invitations: [], needsVerifiedEmail: true })

    await query(server, 'update users set email_verified = 1 where email = ?', [eve.email])
    expect(await (await eve.browser.get(INVITATIONS)).json()).toEqual({ invitations: [], needsVerifiedEmail: false })
    for (const email of wanted) {
      expect((await eve.browser.post(INVITATIONS, { json: { email } })).status).toBe(201)
      await smtp.mailTo(email)
    }
    expect(smtp.received.filter(({ to }) => wanted.includes(String(to)))).toHaveLength(3)
  })

  it('are not sent again for an account with an unconfirmed address', async () => {
    const eve = await createTeamWorld(server).person({ email: 'again@example.test' })
    await sessionOf(eve.browser)
    const { invited } = await (await eve.browser.post(INVITATIONS, { json: { email: stranger() } })).json()
    await query(server, 'update users set email_verified = 0 where email = ?', [eve.email])
    const again = await eve.browser.post(`${INVITATIONS}/${invited[0].id}/resend`)
    expect(await statusAndCode(again)).toEqual([403, 'email-not-verified'])
  })

  it('contain no user-supplied text in the subject except plain names of the inviter and organization', async () => {
    const email = 'zorro-prize@example.test'
    const headers = { 'user-agent': `${userAgents.firefoxOnLinux} Zorro`, 'accept-language': 'zorro' }
    const zorro = await createTeamWorld(server).person({ email, name: 'Zorro: you won' })
    await sessionOf(zorro.browser)
    const mailFrom = async (name: string, orgName: string) => {
      await zorro.browser.post('/_fw/auth/update-user', { json: { name } })
      await zorro.browser.request('/_fw/org', { method: 'PATCH', json: { name: orgName } })
      const guest = stranger()
      await zorro.browser.post(INVITATIONS, { json: { email: guest } })
      return smtp.mailTo(guest)
    }
    const odd = await mailFrom('Zorro: you won', 'Zorro <b>Prizes</b>')
    expect(odd.subject).toBe(`${email} invited you to Fairway`)
    expect(odd.text).not.toContain('Prizes')
    const plain = await mailFrom('Maria Ortiz', 'Northwind & Co')
    expect(plain.subject).toBe('Maria Ortiz invited you to Northwind & Co')
    expect(plain.text).toContain('Maria Ortiz invited you to Northwind & Co in Fairway')
    expect(plain.html).toContain('Northwind &amp; Co')

    const ask = (path: string, json: object) =>
      createBrowser(server.origin).post(`/_fw/auth/${path}`, { json, headers })
    const callbackURL = '/zorro'
    await ask('sign-in/magic-link', { email, callbackURL })
    await ask('request-password-reset', { email, redirectTo: callbackURL })
    await ask('request-password-reset', { email: 'zorro-unknown@example.test', redirectTo: callbackURL })
    await ask('sign-in/email', { email, password: PASSWORD })
    await query(server, 'update users set email_verified = 0 where email = ?', [email])
    await ask('send-verification-email', { email, callbackURL })
    await zorro.browser.post('/_fw/auth/change-password', {
      json: { currentPassword: PASSWORD, newPassword: 'a quieter lantern 9' },
    })
    for (const subject of [/Sign in to/, /Set a new/, /New sign-in/, /Confirm your/, /was changed/]) {
      await smtp.mailTo(email, subject)
    }
    await smtp.mailTo('zorro-unknown@example.test', /No account/)
    const subjects = smtp.received.map(({ data }) => /^Subject: .+(?:\r\n[ \t].+)*/m.exec(data)?.[0] ?? '')
    const others = subjects.filter(subject => !subject.includes('invited you to'))
    expect(others.filter(subject => /zorro|priz|=\?/i.test(subject))).toEqual([])
  })
})

describe('invitation and organization limits', () => {
  let server: TestServer
  let world: ReturnType<typeof createTeamWorld>
  beforeAll(async () => {
    server = await borrowServer({
      env: {
        FW_RATE_LIMITS: 'on',
        FW_TRUSTED_PROXIES: '127.0.0.1,0:0:0:0:0:0:0:1',
        ACCESS_TOKEN: STATIC_TOKEN,
        FW_OWNER_EMAIL: OWNER,
      },
    })
    world = createTeamWorld(server)
  })
  afterAll(() => server.stop())

  async function anOwner(email?: string): Promise<TeamPerson> {
    const owner = await world.person(email ? { email } : {})
    await sessionOf(owner.browser)
    return owner
  }
  const invite = (who: TeamPerson, headers: Record<string, string>) =>
    who.browser.post(INVITATIONS, { json: { email: stranger() }, headers })
  const statusesOf = (answers: Response[], status: number) => answers.filter(answer => answer.status === status).length

  it('allow an account 20 invitations per hour across organizations, methods and networks', async () => {
    const eve = await anOwner()
    const answers: Response[] = []
    for (let org = 0; org < 3; org++) {
      if (org > 0) await eve.browser.post('/_fw/org', { json: { name: `Org ${org}`, confirm: true } })
      answers.push(...(await Promise.all(times(10, () => invite(eve, network())))))
    }
    expect([statusesOf(answers, 201), statusesOf(answers, 429)]).toEqual([20, 10])
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3000)

    expect(await countRows(server, 'org_invitations where invited_by = ?', [eve.userId])).toBe(20)
    const act = await eve.browser.post('/_fw/actions/invite-member', { json: { email: stranger() } })
    expect(await statusAndCode(act)).toEqual(limited)
    const invitations = [{ email: stranger() }, { email: stranger() }]
    const list = await eve.browser.post(INVITATIONS, { json: { invitations }, headers: network() })
    expect(Number(list.headers.get('retry-after'))).toBeGreaterThan(3000)
    expect(await statusAndCode(list)).toEqual(limited)
    const grace = await anOwner()
    expect((await invite(grace, network())).status).toBe(201)
  })

  it('send the invitations of a list that are within the limit and name the others', async () => {
    const owner = await anOwner()
    const invitations = times(22, () => ({ email: stranger() }))
    const answer = await owner.browser.post(INVITATIONS, { json: { invitations }, headers: network() })
    expect(answer.status).toBe(201)
    const { invited, failed } = await answer.json()
    expect(invited).toHaveLength(20)
    expect(failed).toEqual(invitations.slice(20).map(({ email }) => ({ email, code: 'rate-limited' })))
  })

  it('count a resend like an invitation', async () => {
    const owner = await anOwner()
    const { invited } = await (await invite(owner, network())).json()
    const again = () => owner.browser.post(`${INVITATIONS}/${invited[0].id}/resend`, { headers: network() })
    const answers = await Promise.all(times(20, again))
    expect([statusesOf(answers, 204), statusesOf(answers, 429)]).toEqual([19, 1])
  })

  it('allow a network 20 invitations per hour across accounts, the API and MCP hosts', async () => {
    const home = network()
    const owners = [await anOwner(), await anOwner()]
    const answers = await Promise.all(times(30, index => invite(owners[index % 2]!, home)))
    expect([statusesOf(answers, 201), statusesOf(answers, 429)]).toEqual([20, 10])
    const act = await owners[0]!.browser.post('/_fw/actions/invite-member', {
      json: { email: stranger() },
      headers: home,
    })
    expect(await statusAndCode(act)).toEqual(limited)

    await anOwner(OWNER)
    const name = 'invite-member'
    const byHost = async (headers: Record<string, string>) => {
      const params = { name, arguments: { email: stranger() } }
      const answer = await sendMessage(server.origin, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
      return answer.text()
    }
    expect(await byHost(home)).toContain('rate-limited')
    expect(await byHost(network())).toContain('"emailSent":true')
  })
})
