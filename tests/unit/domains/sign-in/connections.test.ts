import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CustomerProvider, goThrough, startCustomerProvider } from '../../../support/customer-provider'
import { codeOf, statusAndCode } from '../../../support/error-code'
import { createBrowser, sessionOf, type TestBrowser } from '../../../support/http'
import { borrowServer, type TestServer } from '../../../support/server'
import { useServer } from '../../../support/use-server'
import { newestMail } from '../../../support/mail'
import { query } from '../../../support/query'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../../../support/team'

const TENANT = '0b9b7cb1-6f5a-4b37-9d1c-2f9a7a4f3c11'
const vendors: Record<'okta' | 'entra' | 'keycloak', CustomerProvider> = {
  okta: await startCustomerProvider(),
  entra: await startCustomerProvider({ path: `/${TENANT}/v2.0`, sendsIss: false }),
  keycloak: await startCustomerProvider({ path: '/realms/larch' }),
}
const { okta } = vendors
const server = useServer({
  env: {
    AUTH_MAGIC_LINK: '1',
    FW_ISSUER_ORIGINS: Object.values(vendors)
      .map(({ origin }) => origin)
      .join(','),
  },
})
const world = createTeamWorld(server)
afterAll(() => Promise.all(Object.values(vendors).map(vendor => vendor.stop())))

let count = 0
const CLIENT_SECRET = 'a-secret-between-the-two'
/** Each customer registers this application anew. */
const aClient = () => ({ clientId: `fairway-${count}`, clientSecret: CLIENT_SECRET })

interface Customer {
  owner: TeamPerson
  orgId: string
  domain: string
  id: string
  provider: CustomerProvider
}

/** Customers of a server. */
function customersOf(server: TestServer, world: ReturnType<typeof createTeamWorld>) {
  /** An organization with a proved domain and a draft of a connection. */
  async function aCustomer(provider = okta, settings: object = {}): Promise<Customer> {
    const owner = await world.person()
    const { orgId } = await sessionOf(owner.browser)
    const domain = `customer${++count}.example.org`
    await query(
      server,
      `insert into fw_org_domains (org_id, domain, token, status, proved_at, checked_at, created_by, created_at)
        values (?, ?, 'token', 'proved', 1, 9e12, ?, 1)`,
      [orgId, domain, owner.userId],
    )
    const client = { ...aClient(), ...settings }
    const added = await owner.browser.post('/_fw/org/connections', {
      json: { name: 'Larch login', issuer: provider.issuer, ...client },
    })
    if (added.status !== 201) throw new Error(await added.text())
    const { id, redirectUri, jwksUri } = await added.json()
    provider.register({ ...client, redirectUri, jwksUri })
    return { owner, orgId: String(orgId), domain, id, provider }
  }

  const change = ({ owner, id }: Customer, json: object) =>
    owner.browser.request(`/_fw/org/connections/${id}`, { method: 'PATCH', json })
  const act = ({ owner, id }: Customer, what: string) => owner.browser.post(`/_fw/org/connections/${id}/${what}`)

  async function test({ owner, id, provider }: Customer, sub: string): Promise<URL> {
    const { url } = await (await owner.browser.post(`/_fw/org/connections/${id}/test`)).json()
    const answer = await goThrough(provider, owner.browser, url, sub)
    return new URL(answer.headers.get('location') ?? '', server.origin)
  }

  /** The same, tested and activated. */
  async function anActiveCustomer(provider = okta, settings: object = {}): Promise<Customer> {
    const customer = await aCustomer(provider, settings)
    provider.person('admin', { email: `admin@${customer.domain}`, email_verified: true, name: 'Admin' })
    await test(customer, 'admin')
    const activated = await act(customer, 'activate')
    if (activated.status !== 200) throw new Error(await activated.text())
    return customer
  }

  /** Signs in from the address; returns the answer of the callback. */
  async function signIn(customer: Customer, browser: TestBrowser, email: string, sub: string): Promise<Response> {
    const start = await browser.post('/_fw/auth/sign-in/connection', { json: { email, callbackURL: '/notes' } })
    if (!start.ok) throw new Error(await start.text())
    return goThrough(customer.provider, browser, (await start.json()).url, sub)
  }

  return { aCustomer, anActiveCustomer, change, act, test, signIn }
}

const { aCustomer, anActiveCustomer, change, act, test, signIn } = customersOf(server, world)

const errorOf = (answer: Response) =>
  new URL(answer.headers.get('location') ?? '', server.origin).searchParams.get('error')

describe('a connection', () => {
  it('goes from draft over a test to active, and never shows its secret', async () => {
    const customer = await aCustomer()
    expect(await statusAndCode(await act(customer, 'activate'))).toEqual([409, 'connection-not-tested'])
    okta.person('ada', { email: `ada@${customer.domain}`, email_verified: true })
    const back = await test(customer, 'ada')
    expect(back.pathname + back.search).toBe(`/team/single-sign-on?connection=${customer.id}&tested=1`)
    const listed = await (await customer.owner.browser.get('/_fw/org/connections')).json()
    expect(listed.connections).toEqual([
      expect.objectContaining({
        state: 'tested',
        hasSecret: true,
        test: {
          at: expect.any(String),
          email: `ada@${customer.domain}`,
          isInDomain: true,
          isVerified: true,
          subject: 'ada',
        },
      }),
    ])
    expect(JSON.stringify(listed)).not.toContain(CLIENT_SECRET)
    expect(JSON.stringify(await query(server, 'select * from fw_org_connections', []))).not.toContain(CLIENT_SECRET)
    const dry = await customer.owner.browser.post(`/_fw/org/connections/${customer.id}/activate?dryRun=true`)
    expect(await dry.json()).toMatchObject({ people: 0, connection: { state: 'tested' } })
    expect((await (await act(customer, 'activate')).json()).connection.state).toBe('active')
    // The test created no account and no session of the provider.
    expect(await query(server, 'select 1 from users where email = ?', [`ada@${customer.domain}`])).toEqual([])
  })

  it('keeps the last day of its secret until another secret or day is entered', async () => {
    const customer = await aCustomer(okta, { secretEndsOn: '2027-05-20' })
    const lastDay = async (json: object) => (await (await change(customer, json)).json()).secretEndsOn
    expect(await lastDay({ name: 'Renamed' })).toBe('2027-05-20')
    expect((await change(customer, { secretEndsOn: 'soon' })).status).toBe(400)
    expect(await lastDay({ secretEndsOn: '2028-01-31' })).toBe('2028-01-31')
    expect(await lastDay({ clientSecret: 'another-secret' })).toBeNull()
  })

  it('needs a proved domain before it is active', async () => {
    const customer = await aCustomer()
    okta.person('ada', { email: `ada@${customer.domain}`, email_verified: true })
    await test(customer, 'ada')
    await query(server, `update fw_org_domains set status = 'lapsed' where domain = ?`, [customer.domain])
    expect(await statusAndCode(await act(customer, 'activate'))).toEqual([409, 'domain-required'])
  })

  it('is prepared and tested by admins, and decided by owners', async () => {
    const { owner, admin, member } = await world.team()
    const add = (who: TeamPerson) =>
      who.browser.post('/_fw/org/connections', { json: { name: 'Corp', issuer: okta.issuer, ...aClient() } })
    expect((await add(member)).status).toBe(403)
    const { id } = await (await add(admin)).json()
    expect((await admin.browser.post(`/_fw/org/connections/${id}/test`)).status).toBe(200)
    expect(await statusAndCode(await admin.browser.post(`/_fw/org/connections/${id}/activate`))).toEqual([
      403,
      'forbidden',
    ])
    await query(server, `update fw_org_connections set state = 'active' where id = ?`, [id])
    const path = `/_fw/org/connections/${id}`
    expect((await admin.browser.request(path, { method: 'PATCH', json: { name: 'Mine' } })).status).toBe(403)
    expect((await owner.browser.request(path, { method: 'PATCH', json: { name: 'Ours' } })).status).toBe(200)
    const stranger = await world.person()
    expect((await stranger.browser.request(path, { method: 'PATCH', json: { name: 'Theirs' } })).status).toBe(404)
  })

  it('keeps issuer and client while it is active, and is deleted only when it is off', async () => {
    const customer = await anActiveCustomer()
    const remove = () => customer.owner.browser.request(`/_fw/org/connections/${customer.id}`, { method: 'DELETE' })
    expect(await statusAndCode(await change(customer, { clientId: 'another' }))).toEqual([409, 'in-use'])
    expect(await statusAndCode(await remove())).toEqual([409, 'in-use'])
    expect((await change(customer, { clientSecret: 'renewed' })).status).toBe(200)
    await act(customer, 'deactivate')
    expect((await (await change(customer, { clientId: 'another' })).json()).state).toBe('draft')
    expect((await remove()).status).toBe(204)
  })

  it.each([
    ['http://issuer.example.com', 'An issuer begins with https://.'],
    [
      'https://login.microsoftonline.com/common/v2.0',
      'Name your tenant: https://login.microsoftonline.com/<tenant ID>/v2.0',
    ],
    ['https://issuer.example.com/?x=1', 'An issuer has no query and no fragment.'],
    ['https://10.0.0.1', expect.stringMatching(/^No OpenID provider answers there/)],
    ['no address', 'Enter the address of the issuer. It begins with https://.'],
  ])('refuses the issuer %s', async (issuer, message) => {
    const owner = await world.person()
    const answer = await owner.browser.post('/_fw/org/connections', { json: { name: 'Corp', issuer } })
    expect(answer.status).toBe(400)
    expect((await answer.json()).errors).toEqual([{ path: 'issuer', message }])
  })

  it('never sends a stored secret to another issuer', async () => {
    const customer = await aCustomer()
    const { issuer } = vendors.keycloak
    expect(await (await change(customer, { clientId: 'another' })).json()).toMatchObject({ hasSecret: true })
    expect(await (await change(customer, { issuer })).json()).toMatchObject({
      issuer,
      hasSecret: false,
      state: 'draft',
    })
    expect(await statusAndCode(await act(customer, 'test'))).toEqual([400, 'invalid-input'])
    const again = await change(customer, { issuer: okta.issuer, clientSecret: CLIENT_SECRET })
    expect(await again.json()).toMatchObject({ hasSecret: true })
  })

  it('takes the address of the metadata for the issuer', async () => {
    const owner = await world.person()
    const issuer = `${vendors.keycloak.issuer}/.well-known/openid-configuration`
    const added = await owner.browser.post('/_fw/org/connections', { json: { name: 'Corp', issuer } })
    expect((await added.json()).issuer).toBe(vendors.keycloak.issuer)
  })

  it('authenticates by a signed assertion where the customer wants no secret', async () => {
    const settings = { clientAuth: 'private_key_jwt', clientSecret: undefined }
    const customer = await anActiveCustomer(vendors.keycloak, settings)
    const browser = createBrowser(server.origin)
    const answer = await signIn(customer, browser, `admin@${customer.domain}`, 'admin')
    expect(answer.headers.get('location')).toBe('/notes')
    const { keys } = await (await browser.get('/_fw/auth/jwks')).json()
    expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' })
    expect(keys[0]).not.toHaveProperty('d')
  })
})

describe('signing in by a connection', () => {
  let customer: Customer
  beforeAll(async () => {
    customer = await anActiveCustomer()
  })
  const at = (name: string) => `${name}@${customer.domain}`

  it('leads an address of the domain to the provider, and makes a new person a member', async () => {
    okta.person('new', { email: at('new'), email_verified: true, name: 'New Person' })
    const browser = createBrowser(server.origin)
    const answer = await signIn(customer, browser, at('new'), 'new')
    expect(answer.headers.get('location')).toBe('/notes')
    const session = await sessionOf(browser)
    expect(session).toMatchObject({
      email: at('new'),
      name: 'New Person',
      provider: `connection:${customer.id}`,
      orgId: customer.orgId,
      orgRole: 'member',
    })
  })

  it('answers by the domain alone, and not for other domains', async () => {
    const ask = (email: string) =>
      createBrowser(server.origin).post('/_fw/auth/sign-in/connection', { json: { email } })
    expect([(await ask(at('nobody'))).status, (await ask(at('new'))).status]).toEqual([200, 200])
    expect(await statusAndCode(await ask(`ada@sub.${customer.domain}`))).toEqual([404, 'no-connection'])
    expect(await statusAndCode(await ask('ada@elsewhere.example'))).toEqual([404, 'no-connection'])
  })

  it('is offered by the address field of the sign-in page', async () => {
    const browser = createBrowser(server.origin)
    const posted = await browser.post('/sign-in?return=%2Fnotes', { form: { intent: 'magic-link', email: at('form') } })
    expect(posted.status).toBe(303)
    const location = new URL(posted.headers.get('location') ?? '')
    expect([location.origin, location.searchParams.get('login_hint')]).toEqual([okta.origin, at('form')])
  })

  it('starts at the provider’s dashboard, for the right issuer only', async () => {
    const start = (query: string) => createBrowser(server.origin).get(`/_fw/auth/connection/${customer.id}?${query}`)
    const right = await start(
      new URLSearchParams({ iss: okta.issuer, target_link_uri: `${server.origin}/notes` }).toString(),
    )
    expect(right.status).toBe(302)
    expect(new URL(right.headers.get('location') ?? '').origin).toBe(okta.origin)
    expect(await statusAndCode(await start('iss=https%3A%2F%2Fevil.example'))).toEqual([404, 'no-connection'])
    okta.person('tile', { email: at('tile'), email_verified: true })
    const browser = createBrowser(server.origin)
    const elsewhere = await browser.get(
      `/_fw/auth/connection/${customer.id}?target_link_uri=https%3A%2F%2Fevil.example%2F`,
    )
    const answer = await goThrough(okta, browser, elsewhere.headers.get('location') ?? '', 'tile')
    expect(answer.headers.get('location')).toBe('/')
  })

  it('refuses addresses outside the proved domains, and those that the provider denies', async () => {
    okta.person('foreign', { email: 'ceo@victim.example', email_verified: true })
    okta.person('denied', { email: at('denied'), email_verified: false })
    okta.person('nameless', {})
    const refused = async (sub: string) => errorOf(await signIn(customer, createBrowser(server.origin), at('x'), sub))
    expect([await refused('foreign'), await refused('denied'), await refused('nameless')]).toEqual([
      'domain-not-proved',
      'provider-email-not-verified',
      'domain-not-proved',
    ])
    expect(
      await query(server, 'select 1 from users where email in (?, ?)', ['ceo@victim.example', at('denied')]),
    ).toEqual([])
  })

  it.each([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['another audience', { claims: { aud: 'another-client' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['an expired token', { claims: { exp: 1_000_000 } }],
    ['a token of the future', { claims: { iat: 9e9, nbf: 9e9 } }],
    ['a foreign key', { hasForeignKey: true }],
    ['a client that it was not made for', { claims: { azp: 'another-client' } }],
    ['no subject', { claims: { sub: '' } }],
  ])('lets nobody in with %s', async (_name, how) => {
    okta.person('victim', { email: at('victim'), email_verified: true })
    okta.misbehave(how)
    const browser = createBrowser(server.origin)
    const answer = await signIn(customer, browser, at('victim'), 'victim').finally(() => okta.misbehave())
    expect(errorOf(answer)).toBe('invalid-provider-answer')
    expect((await (await browser.get('/_fw/session')).json()).session).toBeNull()
  })

  it('refuses the answer of another connection: each has its own address (RFC 9700 §4.4)', async () => {
    const other = await anActiveCustomer(vendors.keycloak)
    const browser = createBrowser(server.origin)
    const start = await browser.post('/_fw/auth/sign-in/connection', { json: { email: at('mix') } })
    okta.person('mix', { email: at('mix'), email_verified: true })
    const back = new URL(await okta.signIn((await start.json()).url, 'mix'))
    const answer = await browser.get(`/_fw/auth/callback/connection/${other.id}${back.search}`)
    expect(errorOf(answer)).toBe('invalid-state')
  })

  it('knows a person by connection and subject: another address at the provider is the same account', async () => {
    okta.person('renamed', { email: at('before'), email_verified: true })
    const first = createBrowser(server.origin)
    await signIn(customer, first, at('before'), 'renamed')
    const { userId } = await sessionOf(first)
    okta.person('renamed', { email: at('after'), email_verified: true })
    const second = createBrowser(server.origin)
    await signIn(customer, second, at('after'), 'renamed')
    expect((await sessionOf(second)).userId).toBe(userId)
  })

  it('lets people who are linked go on when the domain has lapsed, and nobody new', async () => {
    const lapsing = await anActiveCustomer()
    okta.person('linked', { email: `linked@${lapsing.domain}`, email_verified: true })
    okta.person('late', { email: `late@${lapsing.domain}`, email_verified: true })
    await signIn(lapsing, createBrowser(server.origin), `linked@${lapsing.domain}`, 'linked')
    await query(server, `update fw_org_domains set status = 'lapsed' where domain = ?`, [lapsing.domain])
    const again = await signIn(lapsing, createBrowser(server.origin), `linked@${lapsing.domain}`, 'linked')
    expect(again.headers.get('location')).toBe('/notes')
    const late = await signIn(lapsing, createBrowser(server.origin), `late@${lapsing.domain}`, 'late')
    expect(errorOf(late)).toBe('domain-not-proved')
  })

  it('ends with the connection: a deactivated one lets nobody in', async () => {
    const ending = await anActiveCustomer(vendors.keycloak)
    const browser = createBrowser(server.origin)
    const email = `ada@${ending.domain}`
    const start = await browser.post('/_fw/auth/sign-in/connection', { json: { email } })
    const { url } = await start.json()
    await act(ending, 'deactivate')
    vendors.keycloak.person('ada', { email, email_verified: true })
    expect(errorOf(await goThrough(vendors.keycloak, browser, url, 'ada'))).toBe('no-connection')
  })

  it('admits members only where it does not provision', async () => {
    const closed = await anActiveCustomer(vendors.keycloak, { provision: false })
    const email = `ada@${closed.domain}`
    vendors.keycloak.person('ada', { email, email_verified: true })
    const answer = await signIn(closed, createBrowser(server.origin), email, 'ada')
    expect(errorOf(answer)).toBe('not-a-member')
    expect(await query(server, 'select 1 from users where email = ?', [email])).toEqual([])
    await world.join(closed.owner, 'member', await world.person({ email }))
    const member = createBrowser(server.origin)
    expect((await signIn(closed, member, email, 'ada')).headers.get('location')).toBe('/notes')
    expect((await sessionOf(member)).orgId).toBe(closed.orgId)
  })
})

describe('an account that exists already', () => {
  let customer: Customer
  beforeAll(async () => {
    customer = await anActiveCustomer(vendors.entra)
    await signIn(customer, createBrowser(server.origin), `admin@${customer.domain}`, 'admin').catch(() => undefined)
  })
  const at = (name: string) => `${name}@${customer.domain}`
  const returned = (answer: Response) => new URL(answer.headers.get('location') ?? '', server.origin)

  it('is linked at once when the provider vouches for the address', async () => {
    const person = await world.person({ email: at('vouched') })
    vendors.entra.person('vouched', { email: at('vouched'), email_verified: true })
    const browser = createBrowser(server.origin)
    const answer = await signIn(customer, browser, at('vouched'), 'vouched')
    expect(answer.headers.get('location')).toBe('/notes')
    expect((await sessionOf(browser)).userId).toBe(person.userId)
  })

  it('proves its mailbox once when the provider says nothing', async () => {
    const person = await world.person({ email: at('silent') })
    vendors.entra.person('silent', { preferred_username: at('silent') })
    const browser = createBrowser(server.origin)
    const waiting = returned(await signIn(customer, browser, at('silent'), 'silent'))
    expect(waiting.pathname).toBe('/sign-in')
    expect(waiting.searchParams.get('error')).toBe('connection-proof-required')
    // A password proves no mailbox.
    await browser.post('/_fw/auth/sign-in/email', { json: { email: at('silent'), password: PASSWORD } })
    expect(returned(await browser.get('/_fw/auth/connection-link')).searchParams.get('error')).toBe(
      'connection-proof-required',
    )
    const asked = await browser.post('/sign-in?return=%2F_fw%2Fauth%2Fconnection-link', {
      form: { intent: 'magic-link', email: at('silent') },
    })
    expect(returned(asked).origin).toBe(server.origin)
    const { link } = newestMail(server.dataDir, at('silent'))
    await browser.post('/_fw/auth/magic-link/verify', { json: { token: link.searchParams.get('token') } })
    const answer = await browser.get('/_fw/auth/connection-link')
    expect(answer.headers.get('location')).toBe('/notes')
    expect(await sessionOf(browser)).toMatchObject({ userId: person.userId, provider: `connection:${customer.id}` })
    // From then on, the subject is enough.
    const later = createBrowser(server.origin)
    expect((await signIn(customer, later, at('silent'), 'silent')).headers.get('location')).toBe('/notes')
  })

  it('proves its second factor once, although the provider vouches for the address', async () => {
    const person = await world.person({ email: at('factor') })
    await query(
      server,
      `insert into two_factor (user_id, secret, active_at, last_step, created_at) values (?, 'sealed', 1, 0, 1)`,
      [person.userId],
    )
    vendors.entra.person('factor', { email: at('factor'), email_verified: true })
    const browser = createBrowser(server.origin)
    expect(returned(await signIn(customer, browser, at('factor'), 'factor')).searchParams.get('error')).toBe(
      'connection-proof-required',
    )
    expect(await query(server, 'select 1 from accounts where account_id = ?', ['factor'])).toEqual([])
  })

  it('is not linked by the session of another account', async () => {
    await world.person({ email: at('target') })
    vendors.entra.person('target', { preferred_username: at('target') })
    const attacker = await world.person()
    const answer = await signIn(customer, attacker.browser, at('target'), 'target')
    expect(errorOf(answer)).toBe('connection-proof-required')
    const refused = returned(await attacker.browser.get('/_fw/auth/connection-link'))
    expect(refused.searchParams.get('error')).toBe('connection-proof-required')
    expect(await query(server, 'select 1 from accounts where account_id = ?', ['target'])).toEqual([])
  })

  it('keeps its access to other organizations', async () => {
    const person = await world.person({ email: at('elsewhere') })
    const before = await sessionOf(person.browser)
    vendors.entra.person('elsewhere', { email: at('elsewhere'), email_verified: true })
    const browser = createBrowser(server.origin)
    await signIn(customer, browser, at('elsewhere'), 'elsewhere')
    const { orgs } = await (await browser.get('/_fw/org')).json()
    expect(orgs.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([before.orgId, customer.orgId]))
  })
})

describe('the test of a connection', () => {
  it('says what is missing, and is for the admin who began it', async () => {
    const customer = await aCustomer()
    okta.person('outside', { email: 'ada@elsewhere.example', email_verified: true })
    await test(customer, 'outside')
    const { connections } = await (await customer.owner.browser.get('/_fw/org/connections')).json()
    expect(connections[0].test).toMatchObject({ email: 'ada@elsewhere.example', isInDomain: false })
    const { url } = await (await customer.owner.browser.post(`/_fw/org/connections/${customer.id}/test`)).json()
    await customer.owner.browser.post('/_fw/auth/sign-out')
    const answer = await goThrough(okta, customer.owner.browser, url, 'outside')
    expect(answer.headers.get('location')).toBe(
      `/team/single-sign-on?connection=${customer.id}&test-failed=invalid-state`,
    )
  })

  it('is refused before issuer and client are there', async () => {
    const owner = await world.person()
    const { id } = await (await owner.browser.post('/_fw/org/connections', { json: { name: 'Corp' } })).json()
    const answer = await owner.browser.post(`/_fw/org/connections/${id}/test`)
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'invalid-input'])
  })
})

describe('a rule that requires a connection', () => {
  const put = ({ owner, id }: Customer, more: object = {}, dryRun = '') =>
    owner.browser.request(`/_fw/org/auth-provider${dryRun}`, {
      method: 'PUT',
      json: { provider: `connection:${id}`, confirm: true, ...more },
    })

  it('closes the organization to other sign-ins and says where to go; the connection opens it', async () => {
    const customer = await anActiveCustomer()
    const email = `ada@${customer.domain}`
    okta.person('ada-ruled', { email, email_verified: true })
    const ada = createBrowser(server.origin)
    await signIn(customer, ada, email, 'ada-ruled')
    const unconfirmed = await customer.owner.browser.request('/_fw/org/auth-provider', {
      method: 'PUT',
      json: { provider: `connection:${customer.id}` },
    })
    expect(await statusAndCode(unconfirmed)).toEqual([409, 'would-lock-you-out'])
    expect(await (await put(customer, {}, '?dryRun=true')).json()).toMatchObject({
      affected: [
        { email: customer.owner.email, hasProvider: false },
        { email, hasProvider: true },
      ],
    })
    expect(await (await put(customer)).json()).toMatchObject({ revokedSessions: 2, guests: false })
    await signIn(customer, ada, email, 'ada-ruled')
    expect((await sessionOf(ada)).orgId).toBe(customer.orgId)
    await customer.owner.browser.post('/_fw/auth/sign-in/email', {
      json: { email: customer.owner.email, password: PASSWORD },
    })
    expect(await sessionOf(customer.owner.browser)).toMatchObject({
      orgId: null,
      closedOrg: {
        id: customer.orgId,
        provider: `connection:${customer.id}`,
        providerName: 'Larch login',
        signIn: `/_fw/auth/connection/${customer.id}`,
      },
    })
  })

  it('leaves guests their other ways in, and ends none of their sessions', async () => {
    const customer = await anActiveCustomer()
    const inside = await world.join(customer.owner, 'member', await world.person({ email: `in@${customer.domain}` }))
    expect(await (await put(customer, { guests: true }, '?dryRun=true')).json()).toMatchObject({
      affected: [{ email: inside.email }],
    })
    expect(await (await put(customer, { guests: true })).json()).toMatchObject({ revokedSessions: 1, guests: true })
    expect((await sessionOf(customer.owner.browser)).orgId).toBe(customer.orgId)
    await inside.browser.post('/_fw/auth/sign-in/email', { json: { email: inside.email, password: PASSWORD } })
    expect(await sessionOf(inside.browser)).toMatchObject({ closedOrg: { id: customer.orgId } })
    // A lapsed domain is still the organization's own: it makes nobody a guest.
    await query(server, `update fw_org_domains set status = 'lapsed' where domain = ?`, [customer.domain])
    expect(await sessionOf(inside.browser)).toMatchObject({ closedOrg: { id: customer.orgId } })
  })

  it('is set by owners, for active connections of their own organization', async () => {
    const { owner, admin } = await world.team()
    const foreign = await anActiveCustomer()
    const set = (who: TeamPerson, json: object) =>
      who.browser.request('/_fw/org/auth-provider', { method: 'PUT', json: { confirm: true, ...json } })
    expect(await statusAndCode(await set(admin, { provider: `connection:${foreign.id}` }))).toEqual([403, 'forbidden'])
    expect(await statusAndCode(await set(owner, { provider: `connection:${foreign.id}` }))).toEqual([
      409,
      'provider-not-configured',
    ])
    expect((await set(owner, { provider: null, guests: true })).status).toBe(400)
  })

  it('keeps connection and domain: both are in use until the rule ends', async () => {
    const customer = await anActiveCustomer()
    await put(customer, { guests: true })
    const remove = (path: string) => customer.owner.browser.request(path, { method: 'DELETE' })
    const usesOf = async (answer: Response) => [answer.status, (await answer.json()).uses]
    const rule = { kind: 'rule', id: customer.id, name: 'Larch login' }
    expect(await usesOf(await act(customer, 'deactivate'))).toEqual([409, [rule]])
    expect(await usesOf(await remove(`/_fw/org/domains/${customer.domain}`))).toEqual([
      409,
      [rule, { ...rule, kind: 'connection' }],
    ])
    await customer.owner.browser.request('/_fw/org/auth-provider', { method: 'PUT', json: { provider: null } })
    expect((await act(customer, 'deactivate')).status).toBe(200)
    expect((await remove(`/_fw/org/domains/${customer.domain}`)).status).toBe(204)
  })
})

describe('a company behind one address', () => {
  it('begins its day: good answers do not use up the limit of their network', async () => {
    const limited = await borrowServer({ env: { FW_ISSUER_ORIGINS: okta.origin, FW_RATE_LIMITS: 'on' } })
    const there = customersOf(limited, createTeamWorld(limited))
    const customer = await there.anActiveCustomer()
    for (let person = 0; person < 35; person++) {
      const sub = `early-${person}`
      const email = `${sub}@${customer.domain}`
      okta.person(sub, { email, email_verified: true })
      const answer = await there.signIn(customer, createBrowser(limited.origin), email, sub)
      expect(answer.headers.get('location')).toBe('/notes')
    }
    await limited.stop()
  }, 60_000)
})
