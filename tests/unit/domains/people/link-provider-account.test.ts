import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  linkProviderAccount,
  noteUnprovedAccount,
  verifyEmail,
  type ProviderProfile,
} from '#fairway/server/domains/people'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { signInAs } from '../../../support/members'
import { countRows, query } from '../../../support/query'

const ROUNDS = 10
let test: TestApp
let count = 0

beforeEach(async () => {
  test = await createTestApp()
})
afterEach(() => test.close())

const aProfile = (change: Partial<ProviderProfile> = {}): ProviderProfile => ({
  provider: 'corp',
  accountId: `account-${++count}`,
  email: `someone${count}@example.test`,
  emailVerified: true,
  domain: null,
  name: 'Someone',
  image: null,
  ...change,
})

/** Creates a user with a password and a session, as after a sign-up. */
async function aUser(email: string, verified: boolean): Promise<string> {
  const id = `user-${++count}`
  await test.app.db.client.batch([
    {
      sql: `insert into users (id, name, email, email_verified, kind, created_at, updated_at) values (?, 'U', ?, ?, 'person', 0, 0)`,
      args: [id, email, verified ? 1 : 0],
    },
    {
      sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at) values (?, ?, ?, 'credential', 'hash', 0, 0)`,
      args: [id, id, id],
    },
  ])
  await signInAs(test.app, { userId: id, email })
  return id
}

const waysIn = async (userId: string) => [
  ...(await query(test.app, 'select provider_id as way from accounts where user_id = ?', [userId])),
  ...(await query(test.app, `select 'session' as way from sessions where user_id = ?`, [userId])),
]

describe('verifyEmail', () => {
  it('keeps the sign-in methods and sessions of an unconfirmed account, and asks its owner to review them', async () => {
    const userId = await aUser('a@example.test', false)
    const person = await verifyEmail(test.app, { email: 'a@example.test', securityVersion: 0 })
    expect(person).toMatchObject({ userId, securityVersion: 1 })
    expect(await waysIn(userId)).toEqual([{ way: 'credential' }, { way: 'session' }])
    const [row] = await query(test.app, 'select email_verified, claim_since from users where id = ?', [userId])
    expect(row).toEqual({ email_verified: 1, claim_since: expect.any(Number) })
  })

  it('removes password, sessions and grants when confirmation is required, and asks the owner to review the rest', async () => {
    await test.close()
    test = await createTestApp({
      SMTP_URL: 'smtp://127.0.0.1:1',
      EMAIL_FROM: 'a@b.test',
      AUTH_REQUIRE_EMAIL_VERIFICATION: '1',
    })
    const email = 'a@example.test'
    const account = { email, name: 'A', passwordHash: 'hash of a stranger' }
    await noteUnprovedAccount(test.app, account)
    const { userId } = await verifyEmail(test.app, { email, securityVersion: 0 })
    expect(await waysIn(userId)).toEqual([])
    expect(await query(test.app, 'select claim_since from users')).toEqual([{ claim_since: null }])
    const other = await aUser('b@example.test', false)
    await query(
      test.app,
      `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, expires_at)
        values ('g', 'c', 'C', ?, 'b@example.test', 'o', 'mcp:read', 'r', 0, 9e15)`,
      [other],
    )
    await verifyEmail(test.app, { email: 'b@example.test', securityVersion: 0 })
    expect(await waysIn(other)).toEqual([])
    expect(await query(test.app, 'select revoked_reason from oauth_grants')).toEqual([
      { revoked_reason: 'unconfirmed' },
    ])
    expect(await query(test.app, 'select claim_since from users where id = ?', [other])).toEqual([
      { claim_since: expect.any(Number) },
    ])
  })

  it('asks for no review when a person confirms their own new password', async () => {
    const email = 'a@example.test'
    const account = { email, name: 'A', passwordHash: 'hash' }
    await noteUnprovedAccount(test.app, account)
    const { userId } = await verifyEmail(test.app, { ...account, securityVersion: 0 })
    expect(await waysIn(userId)).toEqual([{ way: 'credential' }])
    expect(await query(test.app, 'select claim_since from users')).toEqual([{ claim_since: null }])
  })

  it('refuses a proof from before all sign-ins were ended', async () => {
    const email = 'a@example.test'
    await aUser(email, true)
    await query(test.app, 'update users set security_version = 3')
    expect(await refusalOf(verifyEmail(test.app, { email, securityVersion: 2 }))).toBe('credentials-changed')
  })

  it('leaves a confirmed account unchanged', async () => {
    const userId = await aUser('a@example.test', true)
    const proof = { email: 'a@example.test', securityVersion: 0 }
    await verifyEmail(test.app, proof)
    await verifyEmail(test.app, { ...proof, passwordHash: 'another', name: 'Another' })
    expect(await query(test.app, 'select name from users where id = ?', [userId])).not.toMatchObject([
      { name: 'Another' },
    ])
    expect(await waysIn(userId)).toHaveLength(2)
  })

  it('covers every table that gives access to an account', async () => {
    const rows = await query(
      test.app,
      `select m.name as name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'user_id'`,
    )
    const tables = rows.map(row => String(row.name)).toSorted()
    // A new table with a user_id either lets a person sign in (people/accounts) or is listed here because it does not.
    const others = [
      'a2a_approvals',
      // Takes a call back with the rights of the person who asks for it.
      'fw_undo_calls',
      'application_state',
      'known_devices',
      'fw_user_pictures',
      // Names the person who uploaded a file; its row says who may read it.
      'fw_files',
      // Has no effect until the owners of both addresses confirm it.
      'fw_address_changes',
      // Ends with the session that created it.
      'embed_tokens',
      'oauth_tokens',
      'security_events',
      // Is deleted with its two_factor row.
      'two_factor_backup_codes',
      'app_member_roles',
      'fw_org_role_members',
      'org_members',
      'fw_suspended_members',
      // Keep a person out of an organization, or name them as a directory knows them, or say that it gave their role.
      'fw_kept_out_members',
      'fw_directory_people',
      'fw_directory_roles',
      'shares',
      'user_settings',
      'audit_log',
      // Names of deleted accounts.
      'fw_ended_people',
      // Names the person who queued a job; the job acts as a person only where its code says so.
      'fw_jobs',
      'vault_credentials',
      'fw_terms_acceptances',
      'fw_team_members',
      // What a person was told, and that there is more of it.
      'fw_notifications',
      'fw_inbox_signals',
    ]
    expect(tables.filter(name => !others.includes(name))).toEqual([
      'accounts',
      'oauth_grants',
      'passkeys',
      'sessions',
      'two_factor',
    ])
  })
})

describe('concurrent linkProviderAccount calls', () => {
  it('create one user and one link for one provider account', async () => {
    const app = withLatency(test.app)
    for (let round = 0; round < ROUNDS; round++) {
      const profile = aProfile()
      const users = await Promise.all(Array.from({ length: 6 }, () => linkProviderAccount(app, profile)))
      expect(new Set(users.map(({ userId }) => userId))).toHaveLength(1)
      expect(await query(test.app, 'select id from users where email = ?', [profile.email])).toHaveLength(1)
      expect(await query(test.app, 'select id from accounts where account_id = ?', [profile.accountId])).toHaveLength(1)
    }
  })

  it('create one user for an address that two providers return', async () => {
    const app = withLatency(test.app)
    for (let round = 0; round < ROUNDS; round++) {
      const profile = aProfile()
      const both = ['corp', 'github'].map(provider => linkProviderAccount(app, { ...profile, provider }))
      const users = await Promise.all(both)
      expect(new Set(users.map(({ userId }) => userId))).toHaveLength(1)
      expect(await waysIn(users[0]!.userId)).toHaveLength(2)
    }
  })

  it('add the links of two providers to an unconfirmed account and keep its existing sign-in methods', async () => {
    const app = withLatency(test.app)
    for (let round = 0; round < ROUNDS; round++) {
      const profile = aProfile()
      const userId = await aUser(profile.email, false)
      await Promise.all(['corp', 'github'].map(provider => linkProviderAccount(app, { ...profile, provider })))
      const ways = (await waysIn(userId)).map(row => row.way)
      expect(ways.toSorted()).toEqual(['corp', 'credential', 'github', 'session'])
    }
  })
})

describe('linkProviderAccount', () => {
  it('creates no user when the address is not verified', async () => {
    expect(await refusalOf(linkProviderAccount(test.app, aProfile({ emailVerified: false })))).toBe(
      'provider-email-not-verified',
    )
    expect(await query(test.app, 'select id from users')).toEqual([])
  })

  it.each([
    ['nobody has confirmed', false],
    ['another account has confirmed', true],
  ])('signs in through an existing link, even with an address that %s', async (_words, verified) => {
    const profile = aProfile()
    const { userId } = await linkProviderAccount(test.app, profile)
    const other = await aUser('taken@example.test', verified)
    const again = await linkProviderAccount(test.app, { ...profile, email: 'taken@example.test' })
    expect(again).toMatchObject({ userId, email: profile.email })
    expect(await query(test.app, 'select user_id from accounts where account_id = ?', [profile.accountId])).toEqual([
      { user_id: userId },
    ])
    expect(await query(test.app, 'select email_verified from users where id = ?', [other])).toEqual([
      { email_verified: Number(verified) },
    ])
  })

  it('signs in through an existing link when the provider no longer verifies the address', async () => {
    const profile = aProfile()
    const { userId } = await linkProviderAccount(test.app, profile)
    const again = await linkProviderAccount(test.app, { ...profile, email: 'new@example.test', emailVerified: false })
    expect(again).toMatchObject({ userId, email: profile.email })
    expect(await query(test.app, 'select provider_email from accounts where user_id = ?', [userId])).toEqual([
      { provider_email: profile.email },
    ])
  })

  it('ends all access once when the account leaves its domain at the provider, and not before', async () => {
    const profile = { ...aProfile(), domain: 'corp.example' }
    const { userId, email } = await linkProviderAccount(test.app, profile)
    const sessions = () => countRows(test.app, 'sessions where user_id = ?', [userId])
    await signInAs(test.app, { userId, email, provider: 'corp' })
    await linkProviderAccount(test.app, profile)
    expect(await sessions()).toBe(1)
    const left = await linkProviderAccount(test.app, { ...profile, domain: null })
    expect(await sessions()).toBe(0)
    expect(left.securityVersion).toBe(1)
    // A second report of the same departure does not end the new session.
    await signInAs(test.app, { userId, email, provider: 'corp' })
    await linkProviderAccount(test.app, { ...profile, domain: null })
    expect(await sessions()).toBe(1)
  })

  it('confirms an address that a linked user has changed to', async () => {
    const profile = aProfile()
    const { userId } = await linkProviderAccount(test.app, profile)
    await query(test.app, `update users set email = 'new@example.test', email_verified = 0 where id = ?`, [userId])
    await linkProviderAccount(test.app, { ...profile, email: 'new@example.test' })
    expect(await query(test.app, 'select email_verified from users where id = ?', [userId])).toMatchObject([
      { email_verified: 1 },
    ])
  })
})
