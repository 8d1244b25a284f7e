import { beforeEach, describe, expect, it } from 'vitest'
import { showApproval } from '#fairway/server/domains/agents'
import { askForApproval } from '#fairway/server/domains/agents/approvals'
import { refuseClosed, restoreOrganization, seesPerson } from '#fairway/server/domains/organizations'
import { getOverview } from '#fairway/server/domains/organizations/overview'
import {
  describeJoin,
  findMembership,
  type Membership,
} from '#fairway/server/domains/organizations/switch-organization'
import { deleteAccount, exportAccount, planAccountEnd } from '#fairway/server/domains/sign-in'
import { findJobOf } from '#fairway/server/kernel/jobs'
import type { Language } from '#fairway/shared/languages'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember, anotherOrg, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const test = useTestApp({ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' })
/** Works in an open organization and is also a member of one that requires Google. */
let person: Session
let owner: Session
let closed: { id: string; name: string }

const DAY_IN_MS = 24 * 60 * 60 * 1000

beforeEach(async () => {
  person = await aMember(test.app)
  owner = await aMember(test.app)
  await addTo(test.app, owner, person, 'member')
  closed = { id: owner.orgId ?? '', name: owner.orgName ?? '' }
  await fill(person.orgId ?? '', 'open')
  await fill(closed.id, 'closed')
  await query(test.app, `update organizations set required_auth_provider = 'google' where id = ?`, [closed.id])
  person = await sessionNow(test.app, person)
})

/** A row of each kind that names the person, in one organization. */
async function fill(orgId: string, name: string): Promise<void> {
  const { userId, email } = person
  const rows: [string, unknown[]][] = [
    [
      `insert into notes (id, owner_email, org_id, title, created_at, updated_at) values (?, ?, ?, ?, 0, 0)`,
      [`note-${name}`, email, orgId, name],
    ],
    [
      `insert into fw_files (id, org_id, user_id, upload, name, type, size, sha256, state, created_at)
        values (?, ?, ?, 'papers', ?, 'text/plain', 1, '', 'kept', 0)`,
      [`file-${name}`, orgId, userId, name],
    ],
    [
      `insert into fw_webhooks (id, org_id, url, types, state, secret, created_by, created_at)
        values (?, ?, 'https://example.test', ?, 'on', '', ?, 0)`,
      [`hook-${name}`, orgId, JSON.stringify([name]), userId],
    ],
    [
      `insert into application_state (user_id, org_id, key, value, updated_at) values (?, ?, 'view', ?, 0)`,
      [userId, orgId, JSON.stringify(name)],
    ],
    [
      `insert into app_member_roles (org_id, user_id, app_id, role, assigned_by, assigned_at) values (?, ?, 'fairway', ?, ?, 0)`,
      [orgId, userId, `role-${name}`, userId],
    ],
    [
      `insert into org_invitations (id, org_id, email, role, invited_by, token_hash, status, created_at, expires_at)
        values (?, ?, ?, 'member', ?, ?, 'pending', 0, 0)`,
      [`invitation-${name}`, orgId, `invited-${name}@example.test`, userId, name],
    ],
    [
      `insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at) values ('notes', ?, ?, 'viewer', ?, ?, 0)`,
      [`shared-${name}`, userId, orgId, userId],
    ],
    [
      `insert into fw_jobs (id, name, input, state, run_at, most_attempts, result, org_id, user_id, created_at)
        values (?, 'report', '{}', 'done', 0, 1, ?, ?, ?, 0)`,
      [`job-${name}`, JSON.stringify(name), orgId, userId],
    ],
  ]
  for (const [sql, args] of rows) await query(test.app, sql, args as string[])
  await askForApproval(
    test.app,
    { ...person, orgId },
    { caller: 'app', action: 'erase', input: { text: name } },
    'asked',
  )
}

const exported = async (session: Session, language?: Language) =>
  JSON.parse((await Array.fromAsync((await exportAccount(test.app, session, language)).text)).join(''))
const withGoogle = () => sessionNow(test.app, person, 'google')

describe('the export of a person with a closed organization', () => {
  it('has no row of an organization that the session does not open', async () => {
    const { account, rows } = await exported(person)
    const { organizations, ...parts } = account
    expect(organizations.map(({ id }: { id: string }) => id)).toContain(closed.id)
    expect(rows.notes.map(({ title }: { title: string }) => title)).toEqual(['open'])
    for (const part of ['approvals', 'files', 'webhooks', 'applicationState', 'roles', 'invitations', 'sharedWithMe'])
      expect(parts[part], part).toHaveLength(1)
    expect(parts.sharedByMe).toHaveLength(1)
    expect(JSON.stringify(parts)).not.toContain('closed')
  })

  it('names the closed organizations and says in the person’s language how to open them', async () => {
    const missing = async (language?: Language) => (await exported(person, language)).closedOrganizations
    const { id, name } = closed
    expect(await missing()).toEqual([{ id, howToOpen: `Sign in with Google to open ${name}.`, name }])
    expect((await missing('de'))[0].howToOpen).toBe(`Melden Sie sich mit Google an, um ${name} zu öffnen.`)
    expect((await missing('ar'))[0].howToOpen).toContain('Google')
    expect((await planAccountEnd(test.app, person)).closedOrganizations).toEqual(await missing())
  })

  it('has these rows in a session that opens the organization', async () => {
    const { closedOrganizations, rows, account } = await exported(await withGoogle())
    expect(closedOrganizations).toEqual([])
    expect(rows.notes).toHaveLength(2)
    expect(account.webhooks).toHaveLength(2)
    expect(JSON.stringify(account)).toContain('role-closed')
  })

  it('asks for a second factor where the organization’s policy requires one', async () => {
    await query(
      test.app,
      `update organizations set required_auth_provider = null, second_factor_since = 1, second_factor_grace_days = 0 where id = ?`,
      [closed.id],
    )
    await query(test.app, 'update org_members set joined_at = 1 where org_id = ?', [closed.id])
    const { rows, closedOrganizations } = await exported(person)
    expect(rows.notes).toHaveLength(1)
    expect(closedOrganizations[0].howToOpen).toContain('passkey')
    expect(await refusalOf(refuseClosed(test.app, person, [closed.id]))).toBe('second-factor-setup-required')
    expect(await seesPerson(test.app, person, owner.userId)).toBe(false)
  })
})

describe('deleting the account of a person with a closed organization', () => {
  const end = (session: Session) =>
    refusalOf(
      deleteAccount(
        test.app,
        { ...session, sessionId: null },
        { email: person.email, receivers: { [closed.id]: owner.email } },
        'request',
      ),
    )

  it('shows no member of it', async () => {
    const plan = await planAccountEnd(test.app, person)
    expect(plan.organizations.find(({ id }) => id === closed.id)).toMatchObject({ fate: 'left', handOver: null })
    expect(JSON.stringify(plan)).not.toContain(owner.email)
    expect(JSON.stringify(await planAccountEnd(test.app, await withGoogle()))).toContain(owner.email)
  })

  it('refuses a chosen receiver in it', async () => {
    expect(await end(person)).toBe('provider-required')
    expect(await query(test.app, 'select id from users where id = ?', [person.userId])).toHaveLength(1)
    expect(await end(await withGoogle())).not.toBe('provider-required')
  })

  it('refuses to delete it with the account while it has no other member', async () => {
    await query(test.app, 'delete from org_members where org_id = ? and user_id = ?', [closed.id, owner.userId])
    const leave = (session: Session) =>
      refusalOf(deleteAccount(test.app, { ...session, sessionId: null }, { email: person.email }, 'request'))
    expect(await leave(person)).toBe('provider-required')
    expect(await query(test.app, 'select title from notes where org_id = ?', [closed.id])).toHaveLength(1)
    expect(await leave(await withGoogle())).toBe('done')
  })
})

describe('other readers by a person’s id', () => {
  it('show no picture of a member, no credential and no question of a closed organization', async () => {
    expect(await seesPerson(test.app, person, owner.userId)).toBe(false)
    expect(await seesPerson(test.app, await withGoogle(), owner.userId)).toBe(true)
    const [row] = await query(test.app, 'select id from a2a_approvals where org_id = ?', [closed.id])
    const visit = { id: String(row?.id), session: person, actions: new Map(), requestId: 'shown' }
    expect(await refusalOf(showApproval(test.app, visit))).toBe('provider-required')
    await query(
      test.app,
      `insert into vault_credentials (id, org_id, key, ciphertext, key_id, last_four, created_at, updated_at)
        values ('c', ?, 'SECRET_NAME', '', '', '', 0, 0)`,
      [closed.id],
    )
    // They work in the closed organization, and the session was read before its rule was set.
    await query(test.app, `update user_settings set value = ? where key = 'active-org-id'`, [closed.id])
    const own = await findMembership(test.app, person.userId, person.orgId ?? '')
    expect((await describeJoin(test.app, person, own as Membership)).orphanedCredentials).toEqual([])
    expect(JSON.stringify(await getOverview(test.app, person))).not.toContain('SECRET_NAME')
  })

  it('return the result of a job only in its organization', async () => {
    expect(await findJobOf(test.app, person, 'job-open')).toMatchObject({ result: 'open' })
    expect(await findJobOf(test.app, person, 'job-closed')).toBeUndefined()
    const elsewhere = await anotherOrg(test.app, person)
    expect(await findJobOf(test.app, elsewhere, 'job-open')).toBeUndefined()
    await query(test.app, `update fw_jobs set org_id = null where id = 'job-open'`)
    expect(await findJobOf(test.app, elsewhere, 'job-open')).toMatchObject({ result: 'open' })
  })

  it('do not restore a deleted organization that is closed to the session', async () => {
    await query(test.app, `update organizations set deleted_at = 1, purge_at = ? where id = ?`, [
      Date.now() + DAY_IN_MS,
      closed.id,
    ])
    await query(
      test.app,
      `insert into fw_suspended_members (org_id, user_id, role, joined_at) values (?, ?, 'owner', 0)`,
      [closed.id, person.userId],
    )
    await query(test.app, 'delete from org_members where org_id = ?', [closed.id])
    expect(await refusalOf(restoreOrganization(test.app, person, closed.id))).toBe('provider-required')
    expect((await exported(person)).rows.notes).toHaveLength(1)
    expect(await restoreOrganization(test.app, await withGoogle(), closed.id)).toMatchObject({ id: closed.id })
  })
})
