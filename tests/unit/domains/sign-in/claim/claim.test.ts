import { describe, expect, it } from 'vitest'
import { decideClaim } from '#fairway/server/domains/sign-in'
import {
  askForAddress,
  findAddressLink,
  findPerson,
  issueAddressLink,
  linkProviderAccount,
  linkToPerson,
  replacePassword,
} from '#fairway/server/domains/people'
import { acceptInvitation, invite, removeMember, requireOrg } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { useTestApp } from '../../../../support/use-app'
import { withLatency } from '../../../../support/database-slow'
import { refusalOf } from '../../../../support/error-code'
import { aMember, sessionNow, signInAs } from '../../../../support/members'
import { countRows, query } from '../../../../support/query'
import { ownerArrives, squattedAccount } from '../../../../support/squatted-account'

const test = useTestApp({ FW_RATE_LIMITS: 'off' })

type Arrived = Awaited<ReturnType<typeof ownerArrives>>

const decide = (owner: Arrived, decision: string, app: App = test.app) =>
  decideClaim(app, { ...owner, returnPath: '/notes', language: 'en', form: { decision }, requestId: 'test' })

const membersOf = (orgId: string) =>
  query(test.app, 'select user_id, role from org_members where org_id = ? order by user_id', [orgId])
const claimOf = async (userId: string) =>
  (await query(test.app, 'select claim_since from users where id = ?', [userId]))[0]?.claim_since

/** Returns all rows of all tables except `users`, which every decision may write. */
async function allRows(): Promise<string> {
  const tables = await query(
    test.app,
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  )
  const rows = await Promise.all(
    tables
      .map(({ name }) => String(name))
      .filter(name => name !== 'users')
      .map(async name => [name, await query(test.app, `select * from "${name}"`)]),
  )
  return JSON.stringify(rows)
}

describe('the decision only-me', () => {
  it('keeps only the deciding session as access to the account', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    expect(await decide(owner, 'only-me')).toEqual({ location: '/notes' })
    const { userId, email } = account
    expect(await query(test.app, 'select id from sessions where user_id = ?', [userId])).toEqual([
      { id: owner.sessionId },
    ])
    for (const table of ['accounts', 'passkeys', 'two_factor', 'two_factor_backup_codes', 'embed_tokens']) {
      expect([table, await countRows(test.app, `${table} where user_id = ?`, [userId])]).toEqual([table, 0])
    }
    expect(await query(test.app, 'select revoked_reason from oauth_grants where user_id = ?', [userId])).toEqual([
      { revoked_reason: 'claimed' },
    ])
    const openSecrets = 'fw_one_time where used_at is null and subject in (?, ?)'
    expect(await countRows(test.app, openSecrets, [userId, email])).toBe(0)
    expect(await claimOf(userId)).toBeNull()
  })

  it('raises the security version, which invalidates pending sign-ins', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    const before = await findPerson(test.app, { email: account.email })
    await decide(owner, 'only-me')
    const after = await findPerson(test.app, { email: account.email })
    expect(after?.securityVersion).toBeGreaterThan(before?.securityVersion ?? Infinity)
  })

  it('deletes credentials, shares and approvals that a stranger may have added, and keeps application rows', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    await decide(owner, 'only-me')
    const underWay = `fw_one_time where purpose = 'connection' and used_at is null`
    for (const table of ['vault_credentials', 'oauth_tokens', underWay]) {
      expect([table, await countRows(test.app, table)]).toEqual([table, 0])
    }
    expect(await countRows(test.app, 'shares where shared_by = ?', [account.userId])).toBe(0)
    expect(await query(test.app, 'select status from a2a_approvals')).toEqual([{ status: 'declined' }])
    expect(await query(test.app, 'select title, owner_email from notes')).toEqual([
      { title: 'A note', owner_email: account.email },
    ])
  })

  it('deletes credentials added after the owner signed in and before the decision', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    await query(
      test.app,
      `update vault_credentials set updated_at = ?, created_at = updated_at where user_id is not null`,
      [Date.now() + 1000],
    )
    await decide(owner, 'only-me')
    expect(await countRows(test.app, 'vault_credentials')).toBe(0)
  })

  it('removes members that the account brought in, directly or indirectly, and keeps all other members', async () => {
    const account = await squattedAccount(test.app)
    const { userId, orgId, colleague, accomplice, friend } = account
    const owner = await ownerArrives(test.app, account)
    await query(test.app, `insert into app_member_roles values (?, 'app', ?, 'editor', 'x', 7)`, [
      orgId,
      accomplice.userId,
    ])
    expect(await membersOf(orgId)).toHaveLength(4)
    await decide(owner, 'only-me')
    const left = [
      { user_id: colleague.userId, role: 'admin' },
      { user_id: userId, role: 'owner' },
    ]
    expect(await membersOf(orgId)).toEqual(left.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)))
    expect(await countRows(test.app, 'app_member_roles')).toBe(0)
    for (const gone of [accomplice, friend]) expect((await sessionNow(test.app, gone)).orgId).not.toBe(orgId)
  })

  it('logs each person whose active organization changes, with both organizations', async () => {
    const account = await squattedAccount(test.app)
    const { orgId, accomplice, friend } = account
    const owner = await ownerArrives(test.app, account)
    const before = test.lines().length
    await decide(owner, 'only-me')
    const moved = test
      .lines()
      .slice(before)
      .filter(({ message }) => message === 'the active organization of an account has changed')
    const expected = await Promise.all(
      [accomplice, friend].map(async ({ userId, email, name }) => {
        const { orgId: id, orgName } = await sessionNow(test.app, { userId, email, name })
        return { userId, from: { id: orgId, name: 'Squat' }, to: { id, name: orgName }, reason: 'membership ended' }
      }),
    )
    expect(moved).toHaveLength(2)
    expect(moved).toMatchObject(expected)
  })

  it('revokes invitations of the account and of members it brought in, but no others', async () => {
    const account = await squattedAccount(test.app)
    await decide(await ownerArrives(test.app, account), 'only-me')
    const pending = await query(test.app, `select email, invited_by from org_invitations where status = 'pending'`)
    expect(pending).toEqual([{ email: 'kept@example.test', invited_by: account.colleague.userId }])
  })

  it('restores ownership of the organization when the account was removed before the owner signed in', async () => {
    const account = await squattedAccount(test.app)
    const { userId, orgId, accomplice, colleague } = account
    await removeMember(test.app, requireOrg(accomplice, 'remove-member'), account.email)
    const owner = await ownerArrives(test.app, account)
    await decide(owner, 'only-me')
    expect((await membersOf(orgId)).find(({ user_id }) => user_id === userId)).toMatchObject({ role: 'owner' })
    expect((await membersOf(orgId)).find(({ user_id }) => user_id === colleague.userId)).toMatchObject({
      role: 'admin',
    })
  })

  it('leaves other accounts and organizations unchanged', async () => {
    const account = await squattedAccount(test.app)
    const other = await squattedAccount(test.app)
    const counts = () =>
      Promise.all(
        [
          ['passkeys where user_id = ?', other.userId],
          ['sessions where user_id = ?', other.userId],
          ['vault_credentials where user_id = ?', other.userId],
          ['vault_credentials where org_id = ?', other.orgId],
          ['org_members where org_id = ?', other.orgId],
          [`org_invitations where status = 'pending' and org_id = ?`, other.orgId],
          ['oauth_grants where revoked_at is null and user_id = ?', other.userId],
          ['shares where shared_by = ?', other.userId],
        ].map(([from = '', value = '']) => countRows(test.app, from, [value])),
      )
    const before = await counts()
    expect(before.every(count => count > 0)).toBe(true)
    await decide(await ownerArrives(test.app, account), 'only-me')
    expect(await counts()).toEqual(before)
  })

  it('keeps a password set with the same proof, but not one that is only newer than the review', async () => {
    const account = await squattedAccount(test.app)
    const { userId } = account
    await ownerArrives(test.app, account)
    const version = async () => (await findPerson(test.app, { email: account.email }))?.securityVersion ?? -1
    // A stranger who knows the old password can have changed it meanwhile.
    await replacePassword(test.app, { userId, passwordHash: 'changed by a stranger', securityVersion: await version() })
    const again = await ownerArrives(test.app, account)
    const passwords = () =>
      query(test.app, `select password from accounts where user_id = ? and password is not null`, [userId])
    await decide(again, 'only-me')
    expect(await passwords()).toEqual([])

    const second = await squattedAccount(test.app)
    await ownerArrives(test.app, second)
    const securityVersion = (await findPerson(test.app, { email: second.email }))?.securityVersion ?? -1
    await replacePassword(test.app, { userId: second.userId, passwordHash: 'set by reset', securityVersion })
    await decide(await ownerArrives(test.app, second, 'password'), 'only-me')
    expect(await query(test.app, 'select password from accounts where user_id = ?', [second.userId])).toEqual([
      { password: 'set by reset' },
    ])
  })

  it('keeps the provider account with the same address, and removes others at that provider', async () => {
    const account = await squattedAccount(test.app)
    const { userId, email } = account
    const profile = { provider: 'corp', emailVerified: true, domain: null, name: 'Ada', image: null }
    await linkProviderAccount(test.app, { ...profile, accountId: `own-${userId}`, email })
    const another = { ...profile, accountId: `strange-${userId}`, email: `strange-${email}` }
    await linkToPerson(test.app, { userId, sessionId: null }, another)
    await decide(await ownerArrives(test.app, account, 'corp'), 'only-me')
    expect(await query(test.app, 'select account_id from accounts where user_id = ?', [userId])).toEqual([
      { account_id: `own-${userId}` },
    ])
  })

  it('cancels a pending change of address', async () => {
    const account = await squattedAccount(test.app)
    const { userId, email } = account
    const change = { userId, oldEmail: email, newEmail: `strange-${email}` }
    await askForAddress(test.app, { ...change, sessionId: null })
    const token = new URL(await issueAddressLink(test.app, change, 'old', 'en')).searchParams.get('token') ?? ''
    await decide(await ownerArrives(test.app, account), 'only-me')
    expect(await refusalOf(findAddressLink(test.app, token))).toBe('link-unknown')
    expect(await countRows(test.app, 'fw_address_changes where user_id = ?', [userId])).toBe(0)
  })

  it('is recorded with IDs only', async () => {
    const account = await squattedAccount(test.app)
    await decide(await ownerArrives(test.app, account), 'only-me')
    expect(
      await query(test.app, `select kind, user_id, reason from security_events where kind = 'account-claimed'`),
    ).toEqual([{ kind: 'account-claimed', user_id: account.userId, reason: 'only-me' }])
    expect(JSON.stringify(test.lines())).not.toContain(account.email)
  })
})

describe('the decision all-mine', () => {
  it('closes the review and changes no other rows', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    const before = await allRows()
    expect(await decide(owner, 'all-mine')).toEqual({ location: '/notes' })
    expect(await claimOf(account.userId)).toBeNull()
    expect(await allRows()).toBe(before)
  })
})

describe('decideClaim', () => {
  it('returns 403 for the password session of a stranger and changes no rows', async () => {
    const account = await squattedAccount(test.app)
    await ownerArrives(test.app, account)
    const [row] = await query(test.app, `select id from sessions where user_agent = 'stranger'`)
    const stranger = { session: account.stranger, sessionId: String(row?.id) }
    const before = await allRows()
    for (const decision of ['only-me', 'all-mine']) {
      expect(await decide(stranger, decision)).toMatchObject({ status: 403 })
      // The write itself also checks the session, even if the caller wrongly sets `mayClaim`.
      await decide({ ...stranger, session: { ...account.stranger, mayClaim: true } }, decision)
    }
    expect(await claimOf(account.userId)).not.toBeNull()
    expect(await allRows()).toBe(before)
  })

  it('refuses an unknown decision, and ignores a second decision', async () => {
    const account = await squattedAccount(test.app)
    const owner = await ownerArrives(test.app, account)
    expect(await refusalOf(decide(owner, 'maybe'))).toBe('invalid-request')
    await decide(owner, 'all-mine')
    const before = await allRows()
    const { mayClaim: _, ...session } = owner.session
    expect(await decide({ ...owner, session }, 'only-me')).toEqual({ location: '/notes' })
    expect(await decide(owner, 'only-me')).toEqual({ location: '/notes' })
    expect(await allRows()).toBe(before)
  })

  it('applies one decision when two tabs send different ones at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const account = await squattedAccount(test.app)
      const owner = await ownerArrives(test.app, account)
      const slow = withLatency(test.app)
      const answers = await Promise.all(
        ['only-me', 'all-mine', 'only-me', 'all-mine'].map(decision => decide(owner, decision, slow)),
      )
      expect(answers).toEqual(Array.from({ length: 4 }, () => ({ location: '/notes' })))
      const events = await countRows(test.app, 'security_events where user_id = ?', [account.userId])
      const passkeys = await countRows(test.app, 'passkeys where user_id = ?', [account.userId])
      expect([events, passkeys]).toEqual(events === 1 ? [1, 0] : [0, 1])
    }
  })

  it('keeps one session when two sessions of the owner decide at the same time', async () => {
    const account = await squattedAccount(test.app)
    const first = await ownerArrives(test.app, account)
    const second = await ownerArrives(test.app, account)
    const slow = withLatency(test.app)
    await Promise.all([decide(first, 'only-me', slow), decide(second, 'only-me', slow)])
    expect(await countRows(test.app, 'sessions where user_id = ?', [account.userId])).toBe(1)
    expect(await countRows(test.app, 'security_events where user_id = ?', [account.userId])).toBe(1)
  })
})

describe('the account review', () => {
  it('starts when only an organization of a stranger is left, but not for an unused account', async () => {
    const account = await squattedAccount(test.app)
    for (const table of [
      'accounts',
      'sessions',
      'passkeys',
      'two_factor',
      'oauth_grants',
      'vault_credentials',
      'oauth_tokens',
    ]) {
      await query(test.app, `delete from ${table}`)
    }
    await ownerArrives(test.app, account)
    expect(await claimOf(account.userId)).not.toBeNull()

    const fresh = await aMember(test.app)
    await signInAs(test.app, { userId: fresh.userId, email: fresh.email, provesAddress: true })
    expect(await claimOf(fresh.userId)).toBeNull()
  })

  it('starts when a mailed invitation confirms the address of a stranger’s account', async () => {
    const account = await squattedAccount(test.app)
    const host = await aMember(test.app)
    const { invited } = await invite(test.app, requireOrg(host, 'invite-member'), [
      { email: account.email, role: 'member' },
    ])
    const id = invited[0]?.id ?? ''
    await query(test.app, 'update org_invitations set token_hash = ? where id = ?', [sha256('token'), id])
    const [session] = await query(test.app, 'select id from sessions where user_id = ?', [account.userId])
    const sessionId = String(session?.id)
    await acceptInvitation(test.app, account.stranger, { id, token: 'token', sessionId })
    // Only the session that opened the mailed link may answer.
    const proved = await query(test.app, 'select id from sessions where proves_address = 1')
    expect(proved).toEqual([{ id: sessionId }])
    const [user] = await query(test.app, 'select email_verified, claim_since from users where id = ?', [account.userId])
    expect(user).toEqual({ email_verified: 1, claim_since: expect.any(Number) })
    expect(await countRows(test.app, 'passkeys where user_id = ?', [account.userId])).toBe(1)
  })
})
