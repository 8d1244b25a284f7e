import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { listActivity } from '#fairway/server/domains/actions/audit/activity'
import { leaveOrganization, removeMember, requireOrg } from '#fairway/server/domains/organizations'
import { deleteAccount, planAccountEnd } from '#fairway/server/domains/sign-in'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { addTo, aMember, anotherOrg } from '../../../support/members'
import { query } from '../../../support/query'
import { SECRET } from '../../../support/secrets'

const test = useTestApp()
let owner: Session
let admin: Session
let leaver: Session

beforeEach(async () => {
  await query(
    test.app,
    `create table deals (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null,
      assignee text_person, title text not null)`,
  )
  owner = await aMember(test.app)
  admin = await aMember(test.app)
  leaver = await aMember(test.app)
  await addTo(test.app, owner, admin, 'admin')
  await addTo(test.app, owner, leaver, 'member')
  leaver = { ...leaver, orgId: owner.orgId, orgName: owner.orgName, orgRole: 'member' }
})

const makeDeal = (
  id: string,
  { by, assignee, orgId = owner.orgId }: { by: Session; assignee?: Session; orgId?: string | null },
) =>
  query(test.app, 'insert into deals values (?, ?, ?, ?, ?, ?)', [
    id,
    orgId,
    by.email,
    by.name,
    assignee?.email ?? null,
    id,
  ])
const makeNote = (id: string, { of, orgId }: { of: Session; orgId: string | null }) =>
  query(
    test.app,
    `insert into notes (id, owner_email, org_id, title, created_at, updated_at) values (?, ?, ?, ?, 0, 0)`,
    [id, of.email, orgId, id],
  )
const assignees = async () => (await query(test.app, 'select assignee from deals order by id')).map(row => row.assignee)
const noteOwners = async () =>
  Object.fromEntries((await query(test.app, 'select id, owner_email from notes')).map(row => [row.id, row.owner_email]))
const remove = (options: Parameters<typeof removeMember>[3]) =>
  removeMember(test.app, requireOrg(owner, 'remove-member'), leaver.email, options)

describe('member removal', () => {
  beforeEach(async () => {
    await makeDeal('a', { by: leaver, assignee: leaver })
    await makeDeal('b', { by: owner, assignee: leaver })
    await makeDeal('c', { by: leaver, assignee: admin })
    await makeNote('in-org', { of: leaver, orgId: owner.orgId })
    await makeNote('own', { of: leaver, orgId: null })
  })

  it('counts the rows by table in a dry run and changes nothing', async () => {
    const plan = await remove({ isDryRun: true })
    expect(plan).toEqual({
      rows: [
        { table: 'deals', rows: 2 },
        { table: 'notes', rows: 1 },
      ],
      receivedBy: { id: owner.userId, name: owner.name, email: owner.email, image: null },
    })
    expect(await assignees()).toEqual([leaver.email, leaver.email, admin.email])
  })

  it('hands over to the longest-standing owner, and keeps creators and rows outside the organization', async () => {
    await remove({})
    expect(await assignees()).toEqual([owner.email, owner.email, admin.email])
    expect(await noteOwners()).toEqual({ 'in-org': owner.email, own: leaver.email })
    expect(await query(test.app, `select created_by, created_by_name from deals where id = 'a'`)).toMatchObject([
      { created_by: leaver.email, created_by_name: leaver.name },
    ])
  })

  it('hands over to the chosen member', async () => {
    await remove({ receiver: admin.email })
    expect(await assignees()).toEqual([admin.email, admin.email, admin.email])
  })

  it.each(['stranger', 'leaver'] as const)('cannot hand over to the %s', async who => {
    const receiver = who === 'leaver' ? leaver.email : (await aMember(test.app)).email
    await expect(remove({ receiver })).rejects.toMatchObject({ code: 'not-a-member' })
    expect(await assignees()).toEqual([leaver.email, leaver.email, admin.email])
  })

  it('does not change rows of other organizations', async () => {
    const other = await anotherOrg(test.app, leaver)
    await makeDeal('d', { by: leaver, assignee: leaver, orgId: other.orgId })
    await remove({})
    expect((await assignees()).at(-1)).toBe(leaver.email)
  })

  it('changes nothing when a table of the app refuses the hand-over', async () => {
    await query(test.app, 'create unique index one_note on notes (org_id, owner_email)')
    await makeNote('of-owner', { of: owner, orgId: owner.orgId })
    await expect(remove({})).rejects.toMatchObject({ code: 'rows-refused' })
    expect(await assignees()).toEqual([leaver.email, leaver.email, admin.email])
    expect(await query(test.app, 'select 1 from org_members where user_id = ?', [leaver.userId])).toHaveLength(2)
  })

  it('deletes the receiver’s share, because the receiver now owns the row', async () => {
    await query(
      test.app,
      `insert into shares (resource, resource_id, user_id, role, org_id, shared_by, shared_at) values ('notes', 'in-org', ?, 'editor', ?, ?, 0)`,
      [owner.userId, owner.orgId, leaver.userId],
    )
    await remove({})
    expect(await query(test.app, 'select 1 from shares')).toEqual([])
  })
})

it('leaving an organization hands rows over, and never to a member who leaves concurrently', async () => {
  const app = withLatency(test.app)
  await makeDeal('a', { by: leaver, assignee: leaver })
  await makeDeal('b', { by: owner, assignee: admin })
  const [left, adminLeft] = await Promise.allSettled([
    leaveOrganization(app, requireOrg(leaver, 'read-organization'), { receiver: admin.email }),
    leaveOrganization(app, requireOrg({ ...admin, orgId: owner.orgId, orgRole: 'admin' }, 'read-organization')),
  ])
  // When the admin was first, the other one must choose a receiver again and keeps the row until then.
  if (left.status === 'rejected') expect(left.reason).toMatchObject({ code: 'not-a-member' })
  expect(adminLeft.status).toBe('fulfilled')
  expect(await assignees()).toEqual([left.status === 'fulfilled' ? owner.email : leaver.email, owner.email])
})

describe('account deletion', () => {
  const end = (receivers?: Record<string, string>) =>
    deleteAccount(test.app, { ...leaver, sessionId: null }, { email: leaver.email, receivers }, 'request')

  it('hands over rows per organization, deletes own rows, and keeps the name but not the email', async () => {
    const alone = (
      await query(test.app, 'select org_id from org_members where user_id = ? and org_id <> ?', [
        leaver.userId,
        owner.orgId,
      ])
    )[0]
    await makeDeal('a', { by: leaver, assignee: leaver })
    await makeDeal('z', { by: leaver, assignee: leaver, orgId: String(alone?.org_id) })
    await makeNote('in-org', { of: leaver, orgId: owner.orgId })
    await makeNote('own', { of: leaver, orgId: null })
    await query(test.app, `create table offers (org_id text, created_by text_creator, deal text references deals (id))`)
    await query(test.app, `insert into offers values (?, ?, 'z')`, [String(alone?.org_id), leaver.email])
    const plan = await planAccountEnd(test.app, leaver)
    expect(plan.rows).toEqual(['deals', 'notes', 'offers'].map(table => ({ table, rows: 1 })))
    expect(plan.organizations.find(({ id }) => id === owner.orgId)?.handOver?.rows).toEqual([
      { table: 'deals', rows: 1 },
      { table: 'notes', rows: 1 },
    ])
    const members = plan.organizations.find(({ id }) => id === owner.orgId)?.handOver?.members
    expect(members?.map(({ email }) => email)).toEqual([owner.email, admin.email])
    await end({ [owner.orgId ?? '']: admin.email })
    expect(await query(test.app, 'select id, created_by, created_by_name, assignee from deals')).toMatchObject([
      { id: 'a', created_by: null, created_by_name: leaver.name, assignee: admin.email },
    ])
    expect(await noteOwners()).toEqual({ 'in-org': admin.email })
    expect(await query(test.app, 'select 1 from offers')).toEqual([])
  })

  it('keeps the name in the activity of the organization', async () => {
    await query(
      test.app,
      `insert into audit_log (id, at, action, caller, user_id, user_email, org_id, outcome, request_id)
        values ('1', ?, 'join-organization', 'http', ?, ?, ?, 'ok', 'r')`,
      [test.app.now().getTime(), leaver.userId, leaver.email, owner.orgId],
    )
    await end({})
    const { people } = await listActivity(test.app, owner, [], { itemsPerPage: 10 })
    expect(people).toEqual([{ userId: leaver.userId, email: leaver.email, name: leaver.name, image: null }])
  })
})

describe('hand-over of 10,000 rows in five tables', () => {
  const TABLES = ['companies', 'contacts', 'offers', 'visits', 'tasks']
  beforeEach(async () => {
    for (const table of TABLES) {
      await query(
        test.app,
        `create table ${table} (id integer primary key, org_id text not null, assignee text_person)`,
      )
      await query(test.app, `create index ${table}_org on ${table} (org_id)`)
      await query(
        test.app,
        `insert into ${table} (org_id, assignee) with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
          select ?, case i % 2 when 0 then ? else ? end from n`,
        [owner.orgId, leaver.email, admin.email],
      )
    }
  })
  const countOf = async (email: string) => {
    const counts = TABLES.map(table => `(select count(*) from ${table} where assignee = ?1)`).join(' + ')
    return Number((await query(test.app, `select ${counts} as n`, [email]))[0]?.n)
  }

  it('is complete while others write', async () => {
    const writing = TABLES.map(async table => {
      for (let i = 0; i < 40; i++)
        await query(test.app, `insert into ${table} (org_id, assignee) values (?, ?)`, [owner.orgId, admin.email])
    })
    await Promise.all([remove({}), ...writing])
    expect([await countOf(leaver.email), await countOf(owner.email), await countOf(admin.email)]).toEqual([
      0, 5000, 5200,
    ])
  })

  it('is complete or absent when the process is killed during it', { timeout: 60_000 }, async () => {
    const url = test.app.config.database.url
    const actor = JSON.stringify(requireOrg(owner, 'remove-member'))
    for (const delay of [2, 8]) {
      const program = fileURLToPath(new URL('remove-member-process.mjs', import.meta.url))
      const child = spawn(process.execPath, [program, actor, leaver.email], {
        env: { ...process.env, NODE_ENV: 'test', DATABASE_URL: url, BETTER_AUTH_SECRET: SECRET },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await sleep(delay)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const isMember = (
        await query(test.app, 'select 1 from org_members where user_id = ? and org_id = ?', [
          leaver.userId,
          owner.orgId,
        ])
      ).length
      expect([await countOf(leaver.email), await countOf(owner.email)]).toEqual(isMember ? [5000, 0] : [0, 5000])
    }
    await remove({}).catch(() => undefined)
    expect(await countOf(owner.email)).toBe(5000)
  })
})
