import { afterAll, describe, expect, it } from 'vitest'
import { type CustomerProvider, goThrough, startCustomerProvider } from '../../../support/customer-provider'
import { startDns } from '../../../support/dns'
import { codeOf, statusAndCode } from '../../../support/error-code'
import { createBrowser, sessionOf, type TestBrowser } from '../../../support/http'
import { borrowServer } from '../../../support/server'
import { useServer } from '../../../support/use-server'
import { newestMail, readOutbox } from '../../../support/mail'
import { query } from '../../../support/query'
import { createTeamWorld, type TeamPerson } from '../../../support/team'

const dns = await startDns()
const provider: CustomerProvider = await startCustomerProvider({ path: '/realms/larch' })
const server = useServer({ env: { FW_DNS_SERVERS: dns.address, FW_ISSUER_ORIGINS: provider.origin } })
const world = createTeamWorld(server)
afterAll(() => Promise.all([dns.stop(), provider.stop()]))

const PAGE = '/_fw/setup'
const LINKS = '/_fw/org/setup-links'
let count = 0

const add = (who: TeamPerson, email = `it${++count}@example.org`, days = 7) =>
  who.browser.post(LINKS, { json: { email, days } })
const list = async (who: TeamPerson) => (await (await who.browser.get(LINKS)).json()).links
const confirm = (who: TeamPerson, id: string, json: object, dryRun = false) =>
  who.browser.post(`${LINKS}/${id}/confirm${dryRun ? '?dryRun=true' : ''}`, { json })

/** An open link, and the browser of its contact after it has opened the mail. */
async function aContact(maker?: TeamPerson) {
  const owner = maker ?? (await world.person())
  const email = `it${++count}@example.org`
  const { id } = await (await add(owner, email)).json()
  const { link } = newestMail(server.dataDir, email)
  const browser = createBrowser(server.origin)
  const opened = await browser.get(link.pathname + link.search)
  const orgId = String((await sessionOf(owner.browser)).orgId)
  return { owner, orgId, email, id, link, browser, opened }
}

const press = (browser: TestBrowser, intent: string, form: Record<string, string> = {}) =>
  browser.post(PAGE, { form: { ...form, intent } })
const pageOf = async (browser: TestBrowser) => (await browser.get(PAGE)).text()
const auditOf = async (orgId: string) =>
  (
    await query(
      server,
      `select action, user_email as email, user_id as id from audit_log where org_id = ? and user_email like 'it%' order by at`,
      [orgId],
    )
  ).map(({ action, email, id }) => [action, email, id])
const proveDomain = async (orgId: string, domain: string) =>
  query(
    server,
    `insert into fw_org_domains (org_id, domain, token, status, proved_at, checked_at, created_by, created_at)
      values (?, ?, 'token', 'proved', 1, 9e12, 'test', 1)`,
    [orgId, domain],
  )

/** Goes with the contact as far as a tested connection. */
async function testedConnection({ browser, orgId }: Awaited<ReturnType<typeof aContact>>, domain: string) {
  await proveDomain(orgId, domain)
  await press(browser, 'add-connection', { name: 'Larch login' })
  const [row] = await query(server, 'select id from fw_org_connections where org_id = ?', [orgId])
  const client = { clientId: `fairway-${orgId}`, clientSecret: 'a-secret-between-the-two' }
  provider.register({ ...client, redirectUri: `${server.origin}/_fw/auth/callback/connection/${row?.id}` })
  await press(browser, 'save-connection', { ...client, issuer: provider.issuer, clientAuth: 'secret' })
  provider.person('admin', { email: `admin@${domain}`, email_verified: true })
  const start = await press(browser, 'test-connection')
  return { id: String(row?.id), start: start.headers.get('location') ?? '' }
}

describe('the mailed link of a setup', () => {
  it('moves its secret into a cookie of the page, and opens it as often as wanted', async () => {
    const { browser, opened, link, id, owner } = await aContact()
    expect([opened.status, opened.headers.get('location')]).toEqual([303, PAGE])
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
    expect(opened.headers.getSetCookie()[0]).toMatch(
      /^fw\.setup=[\w-]{43}; Path=\/_fw\/setup; HttpOnly; SameSite=Lax; Max-Age=60\d{4}$/,
    )
    expect((await createBrowser(server.origin).get(link.pathname + link.search)).status).toBe(303)
    const page = await browser.get(PAGE)
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const text = await page.text()
    expect(text).toContain(owner.email)
    expect(text).not.toContain(link.searchParams.get('token'))
    expect(JSON.stringify(await query(server, 'select * from fw_setup_links', []))).not.toContain(
      link.searchParams.get('token'),
    )
    expect(await list(owner)).toEqual([
      expect.objectContaining({ id, createdBy: owner.email, lastUsedAt: expect.any(String), waiting: [] }),
    ])
  })

  it.each<[string, (contact: Awaited<ReturnType<typeof aContact>>) => Promise<unknown>]>([
    ['has ended', ({ owner, id }) => owner.browser.request(`${LINKS}/${id}`, { method: 'DELETE' })],
    ['has expired', ({ id }) => query(server, 'update fw_setup_links set expires_at = 1 where id = ?', [id])],
    ['is of a maker who left', ({ orgId }) => query(server, 'delete from org_members where org_id = ?', [orgId])],
    [
      'is of a maker without the role',
      ({ orgId }) => query(server, `update org_members set role = 'member' where org_id = ?`, [orgId]),
    ],
    [
      'is of an organization that was deleted',
      async ({ owner }) => {
        const { orgName: name } = await sessionOf(owner.browser)
        return owner.browser.request('/_fw/org', { method: 'DELETE', json: { name } })
      },
    ],
  ])('shows the same page as an unknown one when it %s', async (_what, end) => {
    const contact = await aContact()
    await end(contact)
    const unknown = await createBrowser(server.origin).get(`${PAGE}?token=${'a'.repeat(43)}`)
    const expected = [unknown.status, await unknown.text()]
    expect(expected[0]).toBe(404)
    const again = await contact.browser.get(contact.link.pathname + contact.link.search)
    expect([again.status, await again.text()]).toEqual(expected)
    const page = await contact.browser.get(PAGE)
    expect([page.status, await page.text()]).toEqual(expected)
    const form = await press(contact.browser, 'claim-domain', { domain: 'late.example.org' })
    expect([form.status, await form.text()]).toEqual(expected)
    expect(await query(server, 'select 1 from fw_org_domains where domain = ?', ['late.example.org'])).toEqual([])
  })

  it('is guessed from one network only so often', async () => {
    const strict = await borrowServer({ env: { FW_RATE_LIMITS: 'on' } })
    try {
      const browser = createBrowser(strict.origin)
      const statuses: number[] = []
      for (let guess = 0; guess < 31; guess++) statuses.push((await browser.get(`${PAGE}?token=guess-${guess}`)).status)
      expect(statuses.slice(-2)).toEqual([404, 429])
    } finally {
      await strict.stop()
    }
  })

  it('is sent by owners and admins, to five contacts at most, who see nothing of other organizations', async () => {
    const { owner, admin, member, outsider } = await world.team()
    expect(await statusAndCode(await add(member))).toEqual([403, 'forbidden'])
    const { id } = await (await add(admin)).json()
    for (let more = 0; more < 4; more++) expect((await add(owner)).status).toBe(201)
    expect(await statusAndCode(await add(owner))).toEqual([409, 'setup-link-limit'])
    expect((await add(owner, 'it@example.org', 15)).status).toBe(400)
    expect((await outsider.browser.request(`${LINKS}/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await statusAndCode(await confirm(outsider, id, { step: 'directory' }))).toEqual([404, 'not-found'])
    expect((await admin.browser.request(`${LINKS}/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await add(owner)).status).toBe(201)
  })
})

describe('the setup page', () => {
  it('proves a domain, leaves audit rows with the address of the contact, and mails the owners', async () => {
    const { browser, orgId, email, owner } = await aContact()
    const refused = await press(browser, 'claim-domain', { domain: 'gmail.com' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/value="gmail\.com"[^]*id="claim-domain-domain-fault"[^]*Anyone can have/)
    const claimed = await press(browser, 'claim-domain', { domain: 'larch1.example.org' })
    expect([claimed.status, claimed.headers.get('location')]).toEqual([303, `${PAGE}#domain`])
    const value = /fairway-domain=\w+/.exec(await pageOf(browser))?.[0] ?? ''
    const missing = await press(browser, 'check-domain', { domain: 'larch1.example.org' })
    expect(await missing.text()).toContain('The DNS has no record at this name yet.')
    dns.set('_fairway-challenge.larch1.example.org', [value])
    expect(await (await press(browser, 'check-domain', { domain: 'larch1.example.org' })).text()).toContain(
      'larch1.example.org is proved.',
    )
    expect(await auditOf(orgId)).toEqual(
      ['claim-domain', 'check-domain', 'check-domain'].map(action => [action, email, null]),
    )
    const told = readOutbox(server.dataDir).filter(({ to, text }) => to === owner.email && text.includes(email))
    expect(told.map(({ text }) => /The domain [^.]+\.\S+\.\w+ [^.]+\./.exec(text)?.[0])).toEqual([
      'The domain larch1.example.org was added.',
      'The domain larch1.example.org is proved.',
    ])
  })

  it('keeps what was typed when the issuer does not answer', async () => {
    const { browser } = await aContact()
    await press(browser, 'add-connection', { name: 'Larch login' })
    const typed = { issuer: `${provider.origin}/nowhere`, clientId: 'my-client', clientSecret: 'my-secret-value' }
    const answer = await press(browser, 'save-connection', { ...typed, clientAuth: 'secret' })
    const text = await answer.text()
    expect(answer.status).toBe(400)
    for (const value of Object.values(typed)) expect(text).toContain(`value="${value}"`)
    expect(text).toMatch(/id="save-connection-issuer-fault"[^>]*>No OpenID provider answers there/)
  })

  it('tests a connection for the browser that began, and waits for an owner with the result', async () => {
    const contact = await aContact()
    const { browser, owner, id } = contact
    const { start } = await testedConnection(contact, 'larch2.example.org')
    const back = new URL(await provider.signIn(start, 'admin'))
    const elsewhere = await createBrowser(server.origin).get(back.pathname + back.search)
    expect(elsewhere.headers.get('location')).toContain('/sign-in?error=invalid-state')
    const done = await goThrough(provider, browser, start, 'admin')
    expect(done.headers.get('location')).toMatch(/^\/_fw\/setup\?connection=[\w-]+&tested=1$/)
    expect(await pageOf(browser)).toContain('Tested with admin@larch2.example.org.')
    await press(browser, 'propose-connection')
    expect((await list(owner))[0].waiting).toEqual([{ step: 'connection', proposedAt: expect.any(String) }])
    expect(await pageOf(browser)).toContain('Waits for an owner')
    const dry = await (await confirm(owner, id, { step: 'connection' }, true)).json()
    expect(dry).toMatchObject({ people: 0, connection: { state: 'tested', issuer: provider.issuer } })
    const confirmed = await confirm(owner, id, { step: 'connection', version: dry.version })
    expect((await confirmed.json()).step).toBe('connection')
    expect(await pageOf(browser)).toContain('People sign in by this connection.')
    expect(await statusAndCode(await confirm(owner, id, { step: 'connection' }))).toEqual([404, 'not-found'])
    const changed = await press(browser, 'save-connection', { issuer: '', clientId: '', clientAuth: 'secret' })
    expect(changed.status).toBe(403)
  })

  it('refuses the test of a link that ended at the provider', async () => {
    const contact = await aContact()
    const { start, id } = await testedConnection(contact, 'larch3.example.org')
    await contact.owner.browser.request(`${LINKS}/${contact.id}`, { method: 'DELETE' })
    const done = await goThrough(provider, contact.browser, start, 'admin')
    expect(done.headers.get('location')).toContain('test-failed=invalid-state')
    expect(await query(server, 'select test from fw_org_connections where id = ?', [id])).toEqual([{ test: null }])
  })

  it('shows the address and the token of the directory once, after an owner confirmed it', async () => {
    const { browser, owner, id, orgId } = await aContact()
    expect((await press(browser, 'open-directory')).status).toBe(410)
    await press(browser, 'propose-directory')
    expect((await press(browser, 'open-directory')).status).toBe(410)
    expect(await query(server, 'select 1 from fw_directories where org_id = ?', [orgId])).toEqual([])
    const dry = await (await confirm(owner, id, { step: 'directory' }, true)).json()
    expect(dry).toMatchObject({ step: 'directory', directory: null })
    expect((await confirm(owner, id, { step: 'directory' })).status).toBe(200)
    const shown = await (await press(browser, 'open-directory')).text()
    const token = /fwd_[\w-]+/.exec(shown)?.[0] ?? ''
    const users = await fetch(`${server.origin}/_fw/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } })
    expect(users.status).toBe(200)
    expect(await pageOf(browser)).not.toContain('fwd_')
    expect((await press(browser, 'open-directory')).status).toBe(410)
    expect((await query(server, 'select created_by from fw_directories where org_id = ?', [orgId]))[0]).toEqual({
      created_by: owner.userId,
    })
  })

  it('proposes a session policy, which an owner confirms as they have seen it', async () => {
    const { owner, admin, orgId } = await world.team()
    const { browser, id } = await aContact(admin)
    const wrong = await press(browser, 'propose-policy', { idleMinutes: '5', maxHours: '', networks: 'office' })
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('>office</textarea>')])
    await press(browser, 'propose-policy', { idleMinutes: '', maxHours: '12', networks: '127.0.0.0/8 ::1', apps: 'on' })
    const { version, policy } = await (await confirm(owner, id, { step: 'policy' }, true)).json()
    expect(policy).toMatchObject({ maxHours: 12, networks: ['127.0.0.0/8', '::1/128'], apps: true, sessions: 0 })
    expect(await statusAndCode(await confirm(admin, id, { step: 'policy' }))).toEqual([403, 'forbidden'])
    await press(browser, 'propose-policy', { maxHours: '1' })
    expect(await codeOf(await confirm(owner, id, { step: 'policy', version }))).toBe('conflict')
    const limit = () => query(server, 'select session_max_hours as hours from organizations where id = ?', [orgId])
    expect(await limit()).toEqual([{ hours: null }])
    const both = await Promise.all([1, 2].map(() => confirm(owner, id, { step: 'policy' })))
    expect(both.map(({ status }) => status === 200).filter(Boolean)).toHaveLength(1)
    expect(await limit()).toEqual([{ hours: 1 }])
  })

  it('proposes managed agents, whose issuers an owner sees before they count', async () => {
    const contact = await aContact()
    const { browser, owner, id, orgId } = contact
    expect(await pageOf(browser)).toContain('Set up the identity provider first.')
    await testedConnection(contact, `agents-${orgId}.example.org`)
    const wrong = await press(browser, 'propose-agents', { assertionIssuers: `${provider.origin}/nowhere` })
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('/nowhere</textarea>')])
    await press(browser, 'propose-agents', { assertionIssuers: '' })
    const { version, agents } = await (await confirm(owner, id, { step: 'agents' }, true)).json()
    expect(agents).toEqual({ connection: 'Larch login', issuers: [provider.issuer] })
    const isOn = () => query(server, 'select managed_agents as isOn from fw_org_connections where org_id = ?', [orgId])
    expect(await isOn()).toEqual([{ isOn: 0 }])
    expect((await confirm(owner, id, { step: 'agents', version })).status).toBe(200)
    expect(await isOn()).toEqual([{ isOn: 1 }])
  })

  it('goes on with a connection that an admin has begun, and never shows its secret', async () => {
    const owner = await world.person()
    const json = { name: 'Begun', clientId: 'known-client', clientSecret: 'a-secret-of-the-admin' }
    await owner.browser.post('/_fw/org/connections', { json })
    const { browser } = await aContact(owner)
    const text = await pageOf(browser)
    expect(text).toContain('value="known-client"')
    expect(text).not.toContain(json.clientSecret)
  })

  it('is closed to forms of other sites', async () => {
    const { browser } = await aContact()
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const form = { intent: 'propose-directory' }
    expect((await browser.request(PAGE, { method: 'POST', form, headers })).status).toBe(403)
  })

  it('opens nothing else: its cookie is no session', async () => {
    const { browser } = await aContact()
    for (const path of ['/_fw/org/members', '/_fw/org/connections', '/_fw/org/domains', LINKS])
      expect((await browser.get(path)).status).toBe(401)
  })
})
