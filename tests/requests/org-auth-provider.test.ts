import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '../support/error-code'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { borrowWithCorp, type OidcProvider, signInWithCorp } from '../support/provider-oidc'
import { query } from '../support/query'
import type { TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

let provider: OidcProvider
let server: TestServer
let world: ReturnType<typeof createTeamWorld>

beforeAll(async () => {
  ;({ provider, server } = await borrowWithCorp())
  world = createTeamWorld(server)
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

const signIn = (browser: TestBrowser, email: string, callbackURL?: string) =>
  signInWithCorp(provider, browser, email, callbackURL)

const put = (who: TeamPerson, json: unknown, query = '') =>
  who.browser.request(`/_fw/org/auth-provider${query}`, { method: 'PUT', json })

describe('sign-in with an OpenID provider', () => {
  it('creates a session that records the provider and redirects to the requested page', async () => {
    const browser = createBrowser(server.origin)
    const answer = await signIn(browser, 'new@example.test')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/notes'])
    const { session } = await (await browser.get('/_fw/session')).json()
    expect(session).toMatchObject({ email: 'new@example.test', emailVerified: true, provider: 'corp' })
    const accounts = await query(
      server,
      `select account_id, access_token from accounts where provider_id = 'corp' and user_id = ?`,
      [session.userId],
    )
    expect(accounts).toMatchObject([{ account_id: 'new@example.test', access_token: null }])
  })
  it('is offered on the sign-in page and works from there', async () => {
    const browser = createBrowser(server.origin)
    expect(await (await browser.get('/sign-in')).text()).toContain('Continue with Corp')
    const posted = await browser.post('/sign-in?return=%2Fsettings', { form: { provider: 'corp' } })
    expect(posted.status).toBe(303)
    const back = new URL(await provider.signIn(posted.headers.get('location') ?? '', 'form@example.test'))
    const answer = await browser.get(back.pathname + back.search)
    expect(answer.headers.get('location')).toBe('/settings')
  })
})

describe('PUT /_fw/org/auth-provider', () => {
  it('rejects unknown providers, members, and rules that would lock the caller out', async () => {
    const { owner, member } = await world.team()
    const answers = [
      await put(owner, { provider: 'nonsense' }),
      await put(member, { provider: 'corp' }),
      await put(owner, { provider: 'corp' }),
    ]
    expect(answers.map(answer => answer.status)).toEqual([400, 403, 409])
    expect(await codeOf(answers[2] as Response)).toBe('would-lock-you-out')
    expect(await (await owner.browser.get('/_fw/org/auth-provider')).json()).toEqual({
      provider: null,
      domain: null,
      providers: [{ id: 'corp', name: 'Corp' }],
    })
  })

  it('returns 409 for a provider that is not configured, even with confirmation', async () => {
    const owner = await world.person()
    for (const [json, dryRun] of [
      [{ provider: 'google' }, ''],
      [{ provider: 'google', confirm: true }, ''],
      [{ provider: 'github', confirm: true }, '?dryRun=true'],
    ] as const) {
      const answer = await put(owner, json, dryRun)
      expect([answer.status, await codeOf(answer)]).toEqual([409, 'provider-not-configured'])
    }
    expect(await sessionOf(owner.browser)).not.toBeNull()
    expect((await (await owner.browser.get('/_fw/org')).json()).active.requiredAuthProvider).toBeNull()
  })

  it('lists the members who would lose access before anything changes', async () => {
    const { owner, admin, member } = await world.team()
    const answer = await (await put(owner, { provider: 'corp' }, '?dryRun=true')).json()
    expect(answer).toMatchObject({ provider: 'corp', revokedSessions: 3 })
    expect(
      answer.affected.map((person: { email: string; hasProvider: boolean }) => [person.email, person.hasProvider]),
    ).toEqual([owner, admin, member].map(person => [person.email, false]))
    expect(await sessionOf(owner.browser)).not.toBeNull()
  })

  it('ends every session of the members and no session of other people', async () => {
    const { owner, admin, member, outsider } = await world.team()
    // The admin has signed in with the provider before, so the rule does not lock them out.
    await signIn(admin.browser, admin.email)
    const set = await put(admin, { provider: 'corp' })
    expect([set.status, await set.json()]).toEqual([
      200,
      { provider: 'corp', domain: null, revokedSessions: 4, revokedGrants: 0 },
    ])
    for (const person of [owner, admin, member]) expect(await sessionOf(person.browser)).toBeNull()
    expect(await sessionOf(outsider.browser)).not.toBeNull()

    const again = await signIn(member.browser, member.email)
    expect(again.headers.get('location')).toBe('/notes')
    expect(await sessionOf(member.browser)).toMatchObject({ provider: 'corp', orgRole: 'member' })
    expect((await (await put(member, { provider: null })).json()).code).toBe('forbidden')
  })

  it('can require an email domain at the provider and stays closed to accounts of other domains', async () => {
    const { owner, member, orgId } = await world.team()
    const rule = { provider: 'corp', domain: 'Works.Example.' }
    expect(await codeOf(await put(owner, { ...rule, domain: 'gmail.com' }))).toBe('free-mail-domain')
    expect(await codeOf(await put(owner, { provider: null, domain: 'works.example' }))).toBe('invalid-input')
    await signIn(owner.browser, owner.email)
    expect(await codeOf(await put(owner, rule))).toBe('would-lock-you-out')

    const begin = { provider: 'corp', returnPath: '/settings' }
    const begun = await owner.browser.post('/_fw/linked-accounts', { json: begin })
    const back = new URL(await provider.signIn((await begun.json()).url, 'boss@works.example'))
    await owner.browser.get(back.pathname + back.search)
    expect(await (await put(owner, rule, '?dryRun=true')).json()).toMatchObject({
      domain: 'works.example',
      affected: [
        { id: owner.userId, email: owner.email, image: null, hasProvider: true },
        { hasProvider: false },
        { hasProvider: false },
      ],
    })
    expect(await (await put(owner, rule)).json()).toMatchObject({ provider: 'corp', domain: 'works.example' })

    await signIn(owner.browser, 'boss@works.example')
    expect(await sessionOf(owner.browser)).toMatchObject({ orgId, provider: 'corp', providerDomain: 'works.example' })
    await signIn(member.browser, member.email)
    expect(await sessionOf(member.browser)).toMatchObject({
      orgId: null,
      closedOrg: { provider: 'corp', domain: 'works.example' },
    })
    const refused = await member.browser.get('/_fw/org/members')
    expect(await refused.json()).toMatchObject({ code: 'provider-required', domain: 'works.example' })
    const token = (who: TeamPerson) =>
      who.browser.post('/_fw/tokens', { json: { name: 'mine', scopes: ['mcp:read'], expiresInDays: 7, orgId } })
    expect([(await token(owner)).status, (await token(member)).status]).toEqual([201, 403])
  })
})
