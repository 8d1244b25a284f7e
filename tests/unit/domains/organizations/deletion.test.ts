import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  deleteOrganization,
  listDeleted,
  planDeletion,
  purgeOrganizations,
  removeMember,
  requireOrg,
  restoreOrganization,
  setActiveOrgId,
} from '#fairway/server/domains/organizations'
import { deleteAccount, planAccountEnd } from '#fairway/server/domains/sign-in'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { addTo, aMember } from '../../../support/members'
import { query } from '../../../support/query'

const DAY = 24 * 60 * 60 * 1000

let test: TestApp
let owner: Session
let member: Session
let orgId: string

let days: number

async function open(env: Record<string, string> = {}): Promise<void> {
  test = await createTestApp(env)
  days = 0
  test.app.now = () => new Date(Date.now() + days * DAY)
}

beforeEach(async () => {
  await open()
  await query(test.app, 'create table companies (id text primary key, org_id text not null, unique (org_id, id))')
  await query(
    test.app,
    `create table deals (id text primary key, org_id text not null, company text, assignee text_person,
      foreign key (org_id, company) references companies (org_id, id))`,
  )
  owner = await aMember(test.app)
  member = await aMember(test.app)
  await addTo(test.app, owner, member, 'member')
  orgId = owner.orgId ?? ''
  await setActiveOrgId(test.app, member, orgId, 'test')
})
afterEach(() => test.close())

const actor = () => requireOrg(owner, 'delete-organization')
const remove = () => deleteOrganization(test.app, actor(), owner.orgName ?? '')
const restore = (who = owner) => restoreOrganization(test.app, who, orgId)
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    error => error.code,
  )
const members = () =>
  query(test.app, 'select user_id, role from org_members where org_id = ? order by joined_at', [orgId])
const worksIn = async (who: Session) =>
  (
    await query(test.app, `select value from user_settings where user_id = ? and key = 'active-org-id'`, [who.userId])
  )[0]?.value
/** Adds 2 companies with `deals` deals in total. */
async function fill(deals: number): Promise<void> {
  await query(test.app, `insert into companies values ('a', ?), ('b', ?)`, [orgId, orgId])
  await query(
    test.app,
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
      insert into deals select 'deal-' || i, ?, iif(i % 2, 'a', 'b'), ? from n`,
    [deals, orgId, member.email],
  )
}
const rowsOf = async (table: string) =>
  (await query(test.app, `select count(*) as n from ${table} where org_id = ?`, [orgId]))[0]?.n

describe('organization deletion', () => {
  it('counts the rows in a preview and changes nothing', async () => {
    await fill(3)
    const plan = await planDeletion(test.app, actor(), owner.orgName ?? '')
    expect(plan).toEqual({
      rows: [
        { table: 'companies', rows: 2 },
        { table: 'deals', rows: 3 },
      ],
      members: 2,
      purgeAt: expect.any(String),
      nextOrgId: orgId,
    })
    expect(Date.parse(plan.purgeAt) - Date.now()).toBeGreaterThan(7 * DAY - 5000)
    expect(await members()).toHaveLength(2)
    expect(await codeOf(planDeletion(test.app, actor(), 'Another name'))).toBe('name-mismatch')
  })

  it('ends access for all members immediately and keeps the rows', async () => {
    await fill(3)
    expect(await remove()).toMatchObject({ members: 2, nextOrgId: null })
    expect([await members(), await worksIn(owner), await worksIn(member)]).toEqual([[], '', member.orgId])
    expect([await rowsOf('companies'), await rowsOf('deals')]).toEqual([2, 3])
    expect(await codeOf(remove())).toBe('forbidden')
  })

  it('can be undone by an owner, with all roles, and moves no member out of another organization', async () => {
    const before = await members()
    await remove()
    expect(await listDeleted(test.app, member.userId)).toEqual([])
    expect(await codeOf(restore(member))).toBe('not-found')
    expect(await listDeleted(test.app, owner.userId)).toMatchObject([{ id: orgId, name: owner.orgName }])
    expect(await restore()).toEqual({ id: orgId, name: owner.orgName, slug: owner.orgSlug, role: 'owner' })
    expect([await members(), await worksIn(owner), await worksIn(member)]).toEqual([before, orgId, member.orgId])
    expect(await listDeleted(test.app, owner.userId)).toEqual([])
    expect(await codeOf(restore())).toBe('not-found')
  })

  it('succeeds once for concurrent requests, and so does the restore', async () => {
    test.app = withLatency(test.app)
    const deleted = await Promise.all([codeOf(remove()), codeOf(remove())])
    expect(deleted.toSorted()).toEqual(['done', 'forbidden'])
    const restored = await Promise.all([codeOf(restore()), codeOf(restore()), codeOf(restore())])
    expect(restored.toSorted()).toEqual(['done', 'not-found', 'not-found'])
    expect(await members()).toHaveLength(2)
  })
})

describe('organization purge', () => {
  it('prevents a restore after the grace period, and deletes the rows of this organization only', async () => {
    await fill(2500)
    await query(test.app, `insert into companies values ('other', ?)`, [member.orgId])
    await query(
      test.app,
      `insert into vault_credentials (id, org_id, key, ciphertext, key_id, last_four, created_at, updated_at)
        values ('v', ?, 'openai', 'x', 'x', 'x', 0, 0)`,
      [orgId],
    )
    await remove()
    days = 6.99
    await purgeOrganizations(test.app)
    expect([await rowsOf('deals'), await rowsOf('vault_credentials')]).toEqual([2500, 1])
    days = 7
    expect(await codeOf(restore())).toBe('not-found')
    await purgeOrganizations(test.app)
    for (const table of [
      'deals',
      'companies',
      'fw_suspended_members',
      'vault_credentials',
      'org_invitations',
      'shares',
    ])
      expect([table, await rowsOf(table)]).toEqual([table, 0])
    expect(await query(test.app, 'select 1 from organizations where id = ?', [orgId])).toEqual([])
    expect(await query(test.app, 'select id from companies')).toEqual([{ id: 'other' }])
  })

  it('continues after it was interrupted', async () => {
    await fill(2500)
    await remove()
    days = 7
    await query(
      test.app,
      `create trigger stop before delete on deals when old.id = 'deal-1' begin select raise(abort, 'stopped'); end`,
    )
    await purgeOrganizations(test.app)
    expect([await rowsOf('deals'), await rowsOf('companies')]).toEqual([500, 2])
    expect(await codeOf(restore())).toBe('not-found')
    await query(test.app, 'drop trigger stop')
    await purgeOrganizations(test.app)
    expect([await rowsOf('deals'), await rowsOf('companies')]).toEqual([0, 0])
  })

  it('runs immediately when the grace period is zero', async () => {
    await test.close()
    await open({ FW_ORG_DELETION_GRACE: '0' })
    owner = await aMember(test.app)
    orgId = owner.orgId ?? ''
    await remove()
    expect(await listDeleted(test.app, owner.userId)).toEqual([])
    await backgroundDone(test.app)
    expect(await query(test.app, 'select 1 from organizations where id = ?', [orgId])).toEqual([])
  })
})

describe('account deletion of a member', () => {
  it('hands rows of a deleted organization over to an owner who can restore it', async () => {
    await fill(2)
    await remove()
    expect((await planAccountEnd(test.app, member)).rows).toEqual([])
    await deleteAccount(test.app, { ...member, sessionId: null }, { email: member.email }, 'r')
    await restore()
    expect(await members()).toEqual([{ user_id: owner.userId, role: 'owner' }])
    expect(await query(test.app, 'select distinct assignee from deals')).toEqual([{ assignee: owner.email }])
  })

  it('deletes the organization when no other member remains', async () => {
    await removeMember(test.app, requireOrg(owner, 'remove-member'), member.email, {})
    await fill(2)
    await deleteAccount(test.app, { ...owner, sessionId: null }, { email: owner.email }, 'r')
    expect([await rowsOf('deals'), await rowsOf('companies')]).toEqual([0, 0])
    expect(await query(test.app, 'select 1 from organizations where id = ?', [orgId])).toEqual([])
  })
})

it('setActiveOrgId returns forbidden for a deleted organization', async () => {
  await remove()
  expect(await codeOf(setActiveOrgId(test.app, owner, orgId, 'test'))).toBe('forbidden')
})
