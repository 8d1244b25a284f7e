import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { linkProviderAccount, proveAddress, type ProviderProfile } from '#server/domains/accounts'
import { mintSession } from '#server/domains/auth-library'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { query } from '../../../support/query'

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
  name: 'Someone',
  image: null,
  ...change,
})

/** A user with a password and a session, as a sign-up leaves them. */
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
  await mintSession(test.app, { userId: id, email, provider: 'password', ipAddress: '', userAgent: '' })
  return id
}

const waysIn = async (userId: string) => [
  ...(await query(test.app, 'select provider_id as way from accounts where user_id = ?', [userId])),
  ...(await query(test.app, `select 'session' as way from sessions where user_id = ?`, [userId])),
]

describe('proveAddress', () => {
  it('takes every way in from an unconfirmed account and confirms its address', async () => {
    const userId = await aUser('a@example.test', false)
    await linkProviderAccount(test.app, aProfile())
    expect(await proveAddress(test.app, { email: 'a@example.test' })).toMatchObject({ userId })
    expect(await waysIn(userId)).toEqual([])
    expect(await query(test.app, 'select email_verified from users where id = ?', [userId])).toMatchObject([
      { email_verified: 1 },
    ])
    expect(await query(test.app, 'select id from accounts')).toHaveLength(1)
  })

  it('changes nothing for a confirmed account', async () => {
    const userId = await aUser('a@example.test', true)
    await proveAddress(test.app, { email: 'a@example.test' })
    await proveAddress(test.app, { email: 'a@example.test', passwordHash: 'another', name: 'Another' })
    expect(await query(test.app, 'select name from users where id = ?', [userId])).not.toMatchObject([
      { name: 'Another' },
    ])
    expect(await waysIn(userId)).toHaveLength(2)
  })

  it('knows every table that lets somebody in', async () => {
    const rows = await query(
      test.app,
      `select m.name as name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'user_id'`,
    )
    const tables = rows.map(row => String(row.name)).toSorted()
    // A new table with a user_id is either a way in (accounts/promote-to-owner) or named here because it is none.
    const others = [
      'a2a_approvals',
      'application_state',
      // Given to confirmed people only, and over in minutes.
      'desktop_ceremonies',
      'identity_codes',
      'known_devices',
      // Both end with the session that made them.
      'embed_tickets',
      'embed_tokens',
      'connection_states',
      'oauth_tokens',
      'security_events',
      // Both go with their two_factor row.
      'two_factor_backup_codes',
      'two_factor_sign_ins',
      'app_member_roles',
      'org_members',
      'shares',
      'user_settings',
      'audit_log',
      'vault_credentials',
    ]
    expect(tables.filter(name => !others.includes(name))).toEqual([
      'accounts',
      'oauth_grants',
      'passkey_challenges',
      'passkeys',
      'sessions',
      'two_factor',
    ])
  })
})

describe('linkProviderAccount at the same moment', () => {
  it('makes one user and one link for one account', async () => {
    const app = withLatency(test.app)
    for (let round = 0; round < ROUNDS; round++) {
      const profile = aProfile()
      const users = await Promise.all(Array.from({ length: 6 }, () => linkProviderAccount(app, profile)))
      expect(new Set(users.map(({ userId }) => userId))).toHaveLength(1)
      expect(await query(test.app, 'select id from users where email = ?', [profile.email])).toHaveLength(1)
      expect(await query(test.app, 'select id from accounts where account_id = ?', [profile.accountId])).toHaveLength(1)
    }
  })

  it('makes one user for one address that two providers bring', async () => {
    const app = withLatency(test.app)
    for (let round = 0; round < ROUNDS; round++) {
      const profile = aProfile()
      const both = ['corp', 'github'].map(provider => linkProviderAccount(app, { ...profile, provider }))
      const users = await Promise.all(both)
      expect(new Set(users.map(({ userId }) => userId))).toHaveLength(1)
      expect(await waysIn(users[0]!.userId)).toHaveLength(2)
    }
  })

  it('takes an unconfirmed account over once, so the second provider does not undo the first', async () => {
    const app = withLatency(test.app)
    for (let round = 0; round < ROUNDS; round++) {
      const profile = aProfile()
      const userId = await aUser(profile.email, false)
      await Promise.all(['corp', 'github'].map(provider => linkProviderAccount(app, { ...profile, provider })))
      const ways = (await waysIn(userId)).map(row => row.way)
      expect(ways.toSorted()).toEqual(['corp', 'github'])
    }
  })
})

describe('linkProviderAccount', () => {
  it('writes nothing when the address is not verified', async () => {
    expect(await refusalOf(linkProviderAccount(test.app, aProfile({ emailVerified: false })))).toBe(
      'provider-email-not-verified',
    )
    expect(await query(test.app, 'select id from users')).toEqual([])
  })

  it('refuses the linked account of one user with the address of another', async () => {
    const profile = aProfile()
    await linkProviderAccount(test.app, profile)
    await aUser('taken@example.test', true)
    const before = await query(test.app, 'select * from accounts order by id')
    expect(await refusalOf(linkProviderAccount(test.app, { ...profile, email: 'taken@example.test' }))).toBe(
      'provider-account-mismatch',
    )
    expect(await query(test.app, 'select * from accounts order by id')).toEqual(before)
  })

  it('confirms an address that a linked user has taken since', async () => {
    const profile = aProfile()
    const { userId } = await linkProviderAccount(test.app, profile)
    await query(test.app, `update users set email = 'new@example.test', email_verified = 0 where id = ?`, [userId])
    await linkProviderAccount(test.app, { ...profile, email: 'new@example.test' })
    expect(await query(test.app, 'select email_verified from users where id = ?', [userId])).toMatchObject([
      { email_verified: 1 },
    ])
  })
})
