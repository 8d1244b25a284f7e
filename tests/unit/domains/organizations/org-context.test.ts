import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ACTIVE_ORG_SETTING, writeUserSetting } from '#fairway/server/domains/people'
import { setActiveOrgId, setActiveOrgIdOf } from '#fairway/server/domains/organizations'
import { findOrgContext, openOrgContext } from '#fairway/server/domains/organizations/org-context'
import { orgOpensTo } from '#fairway/server/domains/organizations/sign-in-rule'
import { sessionCookie } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import { offerLanguages } from '#fairway/server/kernel/messages'
import { localSession } from '#fairway/cli/local-app'
import { createTestApp, type TestApp } from '../../../support/app'
import { countStatements, withLatency } from '../../../support/database-slow'
import { aMember, anotherOrg, signInAs } from '../../../support/members'
import { query } from '../../../support/query'

let test: TestApp
beforeEach(async () => {
  test = await createTestApp()
})
afterEach(() => test.close())

const person = { userId: 'u', email: 'jo.ann-lee@gmail.com', name: '', provider: 'password' }
const insertPerson = (app: App) =>
  query(
    app,
    `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, ?, ?, 1, 'person', 0, 0)`,
    [person.userId, person.name, person.email],
  )

describe('default organization', () => {
  it('is named after the email when the account has no name', async () => {
    await insertPerson(test.app)
    expect((await findOrgContext(test.app, person)).orgName).toBe("Jo Ann Lee's organization")
  })

  it('is named in the default language of the application', async () => {
    onTestFinished(() => offerLanguages({}))
    offerLanguages({ defaultLanguage: 'de', languages: ['de', 'en'] })
    await insertPerson(test.app)
    expect((await findOrgContext(test.app, person)).orgName).toBe('Organisation von Jo Ann Lee')
  })

  it('is not created when it is disabled, or when the account chose to have none', async () => {
    await insertPerson(test.app)
    const off = { ...test.app, config: { ...test.app.config, autoCreateDefaultOrg: false } }
    expect((await findOrgContext(off, person)).orgId).toBeNull()
    await setActiveOrgId(off, person, null, 'test')
    expect((await findOrgContext(test.app, person)).orgId).toBeNull()
    expect(await query(test.app, 'select id from organizations')).toEqual([])
  })

  it.each(['org_invitations', 'org_members', 'organizations'])(
    'is not created when %s cannot be read, which throws an error',
    async table => {
      await insertPerson(test.app)
      await query(test.app, `alter table ${table} rename to hidden`)
      await expect(findOrgContext(test.app, person)).rejects.toThrow()
    },
  )
})

describe('active organization', () => {
  it('is logged with both names when it changes or is left, but not for the first or the same organization', async () => {
    const first = await aMember(test.app)
    const warnings = () =>
      test.lines().filter(line => line.message === 'the active organization of an account has changed')
    await setActiveOrgId(test.app, first, first.orgId, 'same')
    expect(warnings()).toEqual([])
    await setActiveOrgId(test.app, first, null, 'none')
    await setActiveOrgId(test.app, first, first.orgId, 'back')
    const second = await anotherOrg(test.app, first)
    expect(warnings()).toMatchObject([
      { from: { id: first.orgId }, to: null, reason: 'none', noLongerReadable: [] },
      { from: { id: first.orgId }, to: { id: second.orgId, name: 'Second' }, noLongerReadable: [] },
    ])
    expect(JSON.stringify(test.lines())).not.toContain(first.email)
  })

  it('is changed by actions through setActiveOrgId, and cannot be written as a user setting', async () => {
    const first = await aMember(test.app)
    const second = await anotherOrg(test.app, first)
    const run = <T>(work: () => T) => withRun({ app: test.app, session: null }, work)
    await run(() => setActiveOrgIdOf(first.email.toUpperCase(), first.orgId, 'an action'))
    expect((await findOrgContext(test.app, first)).orgId).toBe(first.orgId)
    await expect(run(() => setActiveOrgIdOf('nobody@example.test', second.orgId, 'x'))).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(run(() => setActiveOrgIdOf(first.email, 'elsewhere', 'x'))).rejects.toMatchObject({
      code: 'forbidden',
    })
    for (const value of [second.orgId, '', null])
      await expect(writeUserSetting(test.app, first.userId, ACTIVE_ORG_SETTING, value)).rejects.toMatchObject({
        code: 'forbidden',
      })
    expect((await findOrgContext(test.app, first)).orgId).toBe(first.orgId)
  })
})

describe('organization with a required sign-in provider', () => {
  it('is closed to sessions of every other provider, and open to the required one', async () => {
    const owner = await aMember(test.app)
    await query(test.app, "update organizations set required_auth_provider = 'google'")
    const closed = { id: owner.orgId, name: owner.orgName, provider: 'google', signIn: null, isOwnProvider: false }
    for (const provider of ['password', 'dev', 'passkey', 'magic-link', 'hub', 'cli', 'a2a', 'static-token', ''])
      expect(await findOrgContext(test.app, { ...owner, provider })).toMatchObject({
        orgId: null,
        orgName: null,
        orgRole: null,
        closedOrg: closed,
      })
    const { orgId, orgName, orgSlug } = owner
    expect(await findOrgContext(test.app, { ...owner, provider: 'google' })).toEqual({
      orgId,
      orgName,
      orgSlug,
      orgRole: 'owner',
    })
  })

  it('is closed to the local command line', async () => {
    await test.close()
    test = await createTestApp({ NODE_ENV: 'development', AUTH_MODE: 'local' })
    const owner = await aMember(test.app)
    await signInAs(test.app, owner)
    expect(await localSession(test.app)).toMatchObject({ orgId: owner.orgId, provider: 'cli' })
    await query(test.app, "update organizations set required_auth_provider = 'google'")
    expect(await localSession(test.app)).toMatchObject({ orgId: null, closedOrg: { id: owner.orgId } })
  })

  it('does not cause a new organization, even for twenty concurrent requests', async () => {
    const owner = await aMember(test.app)
    await query(test.app, "update organizations set required_auth_provider = 'google'")
    const slow = withLatency(test.app)
    await Promise.all(Array.from({ length: 20 }, () => findOrgContext(slow, owner)))
    expect(await query(test.app, 'select id from organizations')).toHaveLength(1)
  })
})

describe('session lookup of a request', () => {
  it('finds session, organization and role with one statement', async () => {
    const member = await aMember(test.app)
    const cookie = await signInAs(test.app, member)
    const event = { node: { req: { headers: { cookie: cookie.split(';')[0] } } }, context: {} } as never
    let session: unknown
    const statements = await countStatements(test.app, async app => (session = await sessionCookie.find(event, app)))
    expect(session).toMatchObject({ email: member.email, orgId: member.orgId, orgRole: 'owner' })
    expect(statements).toBe(1)
  })
})

const noPolicy = {
  twoFactorSince: null,
  passkeySince: null,
  personSince: null,
  memberSince: null,
  policySince: null,
  graceDays: null,
}

describe('sign-in rule of an organization', () => {
  const providers = ['google', 'github', 'password', '', null]
  const domains = ['acme.example', 'other.example', '', null]

  const guests = ['none', 'inside', 'outside'] as const

  it('gives the same results in SQL and in code', async () => {
    const rows = providers.flatMap(required =>
      domains.flatMap(domain =>
        providers.flatMap(proved =>
          domains.flatMap(own => guests.map(guest => [required, domain, proved, own, guest] as const)),
        ),
      ),
    )
    await query(
      test.app,
      `insert into fw_org_domains (org_id, domain, token, status, created_by, created_at)
        values ('o', 'acme.example', 't', 'proved', 'x', 0)`,
    )
    const inSql = rows.map(async ([required, domain, proved, own, guest]) => {
      const [found] = await query(
        test.app,
        `select ${orgOpensTo('g')} as isOpen from (select 'o' as id, ? as required_auth_provider, ? as required_auth_domain,
            ? as required_auth_guests) o,
          (select ? as provider, ? as provider_domain) g, (select ? as email) u`,
        [
          required,
          domain,
          Number(guest !== 'none'),
          proved,
          own,
          `ada@${guest === 'inside' ? 'acme' : 'guest'}.example`,
        ],
      )
      return found?.isOpen
    })
    const inCode = rows.map(([requiredProvider, requiredDomain, provider, providerDomain, guest]) => {
      const row = {
        orgId: 'o',
        orgName: 'Org',
        orgSlug: 'org',
        orgRole: 'member',
        requiredProvider,
        requiredDomain,
        connectionName: null,
        idleMinutes: null,
        maxHours: null,
        networks: null,
        policyApps: 0,
        isGuest: Number(guest === 'outside'),
        ...noPolicy,
      } as const
      return openOrgContext(test.app, row, { provider: provider as string, providerDomain }).orgId === null ? 0 : 1
    })
    expect(rows).toHaveLength(1200)
    expect(await Promise.all(inSql)).toEqual(inCode)
  })
})
