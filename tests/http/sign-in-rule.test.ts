import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf, statusAndCode } from '../support/error-code'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { newestMail } from '../support/mail'
import { borrowWithCorp, type OidcProvider, signInWithCorp } from '../support/provider-oidc'
import type { TestServer } from '../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

const NEW_PASSWORD = 'another quilt 8 lantern'
const HEIR = 'heir@example.test'
const CLOSED = [403, 'provider-required']

let provider: OidcProvider
let server: TestServer
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  ;({ provider, server } = await borrowWithCorp({ FW_LOCAL_DATA_OWNER: HEIR }))
  world = createTeamWorld(server)
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

/** A team whose organization requires Corp. The owner is signed in with Corp, and the others are signed out. */
async function aTeamWithRule() {
  const team = await world.team()
  await signInWithCorp(provider, team.owner.browser, team.owner.email)
  const { orgName } = await sessionOf(team.owner.browser)
  await require_(team.owner, 'corp')
  await signInWithCorp(provider, team.owner.browser, team.owner.email)
  return { ...team, orgName: String(orgName) }
}

async function require_(owner: TeamPerson, id: string | null): Promise<void> {
  const answer = await owner.browser.request('/_fw/org/auth-provider', { method: 'PUT', json: { provider: id } })
  if (!answer.ok) throw new Error(await answer.text())
}

async function withPassword(email: string, password = PASSWORD): Promise<TestBrowser> {
  const browser = createBrowser(server.origin)
  const answer = await browser.post('/_fw/auth/sign-in/email', { json: { email, password } })
  expect(answer.status).toBe(200)
  return browser
}

const switchTo = (browser: TestBrowser, orgId: string | null, confirm = false) =>
  browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm } })

const refusal = async (answer: Response) => [answer.status, await codeOf(answer)]

describe('organization with a sign-in rule', () => {
  it('tells other sessions which organization is closed and which provider opens it', async () => {
    const { orgId, orgName, member } = await aTeamWithRule()
    const browser = await withPassword(member.email)
    expect(await sessionOf(browser)).toMatchObject({
      email: member.email,
      provider: 'password',
      orgId: null,
      orgName: null,
      orgRole: null,
      closedOrg: { id: orgId, name: orgName, provider: 'corp', providerName: 'Corp', signIn: '/sign-in?again=1' },
    })
    const refused = await browser.get('/_fw/org/members')
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({
        code: 'provider-required',
        organization: { id: orgId, name: orgName },
        provider: 'corp',
        signIn: '/sign-in?again=1',
      }),
    ])
  })

  it.each([
    ['GET', '/_fw/org/members'],
    ['GET', '/_fw/org/auth-provider'],
    ['PUT', '/_fw/org/auth-provider', { provider: null }],
    ['PATCH', '/_fw/org', { name: 'Mine now' }],
    ['DELETE', '/_fw/org', { name: 'x' }],
    ['POST', '/_fw/org/leave', {}],
    ['POST', '/_fw/org/transfer', { email: 'a@example.test' }],
    ['GET', '/_fw/org/invitations'],
    ['POST', '/_fw/org/invitations', { email: 'a@example.test' }],
    ['GET', '/_fw/org/grants'],
    ['GET', '/_fw/org/vault'],
    ['GET', '/_fw/org/audit'],
    ['GET', '/_fw/org/audit/export'],
    ['GET', '/_fw/org/app-roles'],
    ['GET', '/_fw/actions/list-notes'],
    ['POST', '/_fw/actions/create-note', { title: 'A', body: 'b' }],
    ['POST', '/_fw/actions/list-members', {}],
    ['GET', '/team-members'],
    ['GET', '/note-list'],
    ['POST', '/_fw/embed/tickets', { path: '/embed/notes' }],
  ])('returns 403 for %s %s to an owner who signed in with a password', async (method, path, json?: unknown) => {
    const owner = await ownerWithRule()
    const headers = { accept: 'application/json' }
    expect(await refusal(await owner.closed.request(path, { method, json, headers }))).toEqual(CLOSED)
  })

  // All rows share this owner, because every request is refused.
  const ownerWithRule = memo(async () => {
    const { owner } = await aTeamWithRule()
    return { closed: await withPassword(owner.email) }
  })

  it('moves no local data from a session that it is closed to', async () => {
    const heir = await world.person({ email: HEIR })
    await signInWithCorp(provider, heir.browser, HEIR)
    await require_(heir, 'corp')
    const move = (browser: TestBrowser) => browser.post('/_fw/local-migration', { json: {} })
    expect(await refusal(await move(await withPassword(HEIR)))).toEqual(CLOSED)
    await signInWithCorp(provider, heir.browser, HEIR)
    expect((await move(heir.browser)).status).toBe(200)
  })

  it('opens to a session from its provider', async () => {
    const { orgId, member } = await aTeamWithRule()
    const browser = createBrowser(server.origin)
    await signInWithCorp(provider, browser, member.email)
    const session = await sessionOf(browser)
    expect(session).toMatchObject({ orgId, orgRole: 'member', provider: 'corp' })
    expect(session).not.toHaveProperty('closedOrg')
    expect((await browser.get('/_fw/org/members')).status).toBe(200)
    expect((await browser.get('/_fw/actions/list-notes')).status).toBe(200)
  })

  it('records a denied call in its own audit log', async () => {
    const { owner, member } = await aTeamWithRule()
    const closed = await withPassword(member.email)
    await closed.get('/_fw/actions/list-notes')
    const { entries } = await (await owner.browser.get('/_fw/org/audit')).json()
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'list-notes',
        userEmail: member.email,
        outcome: 'denied',
        errorCode: 'provider-required',
      }),
    )
  })
})

describe('member of a closed organization', () => {
  it('can use other organizations and switch to them without confirmation', async () => {
    const { orgId, outsider, owner } = await aTeamWithRule()
    const { orgId: ownOrg } = await sessionOf(outsider.browser)
    await world.join(owner, 'member', outsider)
    expect(await sessionOf(outsider.browser)).toMatchObject({ orgId: null, closedOrg: { id: orgId } })
    const overview = await (await outsider.browser.get('/_fw/org')).json()
    expect(overview).toMatchObject({ activeOrgId: orgId, active: null })
    expect(overview.orgs.map(({ id }: { id: string }) => id)).toEqual([ownOrg, orgId])
    expect((await switchTo(outsider.browser, ownOrg)).status).toBe(200)
    expect((await outsider.browser.get('/_fw/org/members')).status).toBe(200)
    expect(await refusal(await switchTo(outsider.browser, orgId))).toEqual([409, 'confirm-organization-switch'])
    const back = await switchTo(outsider.browser, orgId, true)
    expect([back.status, await back.json()]).toMatchObject([200, { orgId: null, closedOrg: { id: orgId } }])
    expect((await switchTo(outsider.browser, null)).status).toBe(200)
    expect(await sessionOf(outsider.browser)).toMatchObject({ orgId: null })
    expect((await outsider.browser.get('/_fw/actions/list-notes')).status).toBe(200)
  })

  it('learns nothing about its credentials when they switch to another organization', async () => {
    const { orgId, owner, member } = await aTeamWithRule()
    await owner.browser.request('/_fw/org/vault/secret-partner', { method: 'PUT', json: { value: 'x'.repeat(20) } })
    const closed = await withPassword(member.email)
    const asked = await closed.post('/_fw/org', { json: { name: 'Second' } })
    expect([asked.status, await asked.text()]).toEqual([409, expect.not.stringContaining('secret-partner')])
    expect((await closed.post('/_fw/org', { json: { name: 'Second', confirm: true } })).status).toBe(201)
    const back = await switchTo(closed, orgId, true)
    const left = await switchTo(closed, null)
    expect(await back.text()).not.toContain('secret-partner')
    expect(await left.text()).not.toContain('secret-partner')
  })

  it('keeps access to settings, devices, own credentials and their password', async () => {
    const { member } = await aTeamWithRule()
    const closed = await withPassword(member.email)
    for (const path of ['/_fw/sessions', '/_fw/vault', '/_fw/connections', '/_fw/grants', '/_fw/passkeys'])
      expect([path, (await closed.get(path)).status]).toEqual([path, 200])
    const json = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    const changed = await closed.post('/_fw/auth/change-password', { json })
    expect(changed.status).toBe(200)
    expect(await sessionOf(closed)).toMatchObject({ email: member.email })
    await withPassword(member.email, NEW_PASSWORD)
    const old = await createBrowser(server.origin).post('/_fw/auth/sign-in/email', {
      json: { email: member.email, password: PASSWORD },
    })
    expect(await statusAndCode(old)).toEqual([401, 'invalid-credentials'])
  })

  it('keeps access after changing the password in a session from the required provider', async () => {
    const { member, orgId } = await aTeamWithRule()
    const browser = createBrowser(server.origin)
    await signInWithCorp(provider, browser, member.email)
    const json = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    expect((await browser.post('/_fw/auth/change-password', { json })).status).toBe(200)
    expect(await sessionOf(browser)).toMatchObject({ orgId, provider: 'corp' })
    const stranger = { email: 'second.account@example.test', password: PASSWORD, name: 'Second' }
    expect((await browser.post('/_fw/auth/sign-up/email', { json: stranger })).status).toBe(200)
    expect(await sessionOf(browser)).toMatchObject({ email: stranger.email, provider: 'password' })
  })

  it('can join another closed organization, which stays closed until they use its provider', async () => {
    const { owner, orgId } = await aTeamWithRule()
    const guest = await world.person()
    await world.join(owner, 'member', guest)
    expect(await sessionOf(guest.browser)).toMatchObject({ closedOrg: { id: orgId } })
    expect(await refusal(await guest.browser.get('/_fw/org/members'))).toEqual(CLOSED)
    await signInWithCorp(provider, guest.browser, guest.email)
    expect(await sessionOf(guest.browser)).toMatchObject({ orgId, orgRole: 'member', provider: 'corp' })
  })
})

describe('invitation or domain of an organization with a sign-in rule', () => {
  it('does not restrict how an invited person signs in', async () => {
    const { owner } = await aTeamWithRule()
    const stranger = await world.person()
    await owner.browser.post('/_fw/org/invitations', { json: { email: stranger.email } })
    await withPassword(stranger.email)
    const resetting = createBrowser(server.origin)
    await resetting.post('/_fw/auth/request-password-reset', { json: { email: stranger.email } })
    const token = newestMail(server.dataDir, stranger.email).link.searchParams.get('token')
    const reset = await resetting.post('/_fw/auth/reset-password', { json: { token, newPassword: NEW_PASSWORD } })
    expect(reset.status).toBe(200)
    await withPassword(stranger.email, NEW_PASSWORD)
  })

  it('does not reveal the rule during sign-up', async () => {
    const { owner } = await aTeamWithRule()
    const invited = 'invited.stranger@example.test'
    await owner.browser.post('/_fw/org/invitations', { json: { email: invited } })
    const answers = []
    for (const email of [invited, 'plain.stranger@example.test']) {
      const json = { email, password: PASSWORD, name: 'Stranger' }
      const answer = await createBrowser(server.origin).post('/_fw/auth/sign-up/email', { json })
      answers.push([answer.status, Object.keys(await answer.json())])
    }
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.[0]).toBe(200)
  })

  it('lets a person with an address of the domain join, without opening the organization to them', async () => {
    const owner = await world.person({ email: 'boss@anchor-firm.test' })
    await signInWithCorp(provider, owner.browser, owner.email)
    await owner.browser.request('/_fw/org', { method: 'PATCH', json: { allowedDomain: 'anchor-firm.test' } })
    await require_(owner, 'corp')
    const colleague = await world.person({ email: 'new@anchor-firm.test' })
    const { domainMatches } = await (await colleague.browser.get('/_fw/org')).json()
    const joined = await colleague.browser.post('/_fw/org/join', { json: { orgId: domainMatches[0].id } })
    expect(joined.status).toBe(200)
    expect(await sessionOf(colleague.browser)).toMatchObject({ orgId: null, closedOrg: { id: domainMatches[0].id } })
  })
})

function memo<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
