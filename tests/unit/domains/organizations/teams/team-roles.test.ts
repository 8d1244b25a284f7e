// Roles for one team: person × role × team × row, by each way to ask.
import { eq, sql } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { definePolicy, ownableColumns, permission, teamColumn } from 'nuxt-fairway/tables'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accessibleTo, defineAction, definePermissions, requireCreate, requirePermission, shareRow } from '#fw'
import { runAction } from '#fairway/server/domains/actions'
import { callersOf } from '#fairway/server/domains/actions/callers'
import { listMet, requireOrg } from '#fairway/server/domains/organizations'
import { mayWith, personOf } from '#fairway/server/domains/organizations/policy-check'
import { canColumns } from '#fairway/server/domains/organizations/row-access'
import { assignRole, unassignRole } from '#fairway/server/domains/organizations/roles/assignments'
import { createRole, listRoles, planRoleDeletion } from '#fairway/server/domains/organizations/roles/roles'
import { deleteTeam } from '#fairway/server/domains/organizations/teams/delete-team'
import { addTeam, setTeamMembers } from '#fairway/server/domains/organizations/teams/teams'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { refusalOf } from '../../../../support/error-code'
import { addTo, aMember, sessionNow } from '../../../../support/members'
import { query } from '../../../../support/query'
import { addAccount } from '../../../../support/service-accounts'
import { shareTestApp } from '../../../../support/use-app'

const permissions = definePermissions({ 'tasks:write': 'Change tasks', 'tasks:read': 'Read tasks' })
const tasks = sqliteTable('tasks', {
  id: text('id').primaryKey(),
  ...ownableColumns(),
  teamId: teamColumn('team_id'),
})
definePolicy(tasks, {
  read: ['member'],
  create: permission('tasks:write'),
  update: permission('tasks:write'),
  delete: [],
})

const test = shareTestApp({}, { permissions })
let owner: Session
const people: Record<string, Session> = {}
let sales: string
let support: string
let writers: string
const team = () => requireOrg(owner, 'manage-teams')
const as = <T>(session: Session, work: () => T): T => withRun({ app: test.app, session }, work)
const personIn = (name: string): Session => people[name] ?? owner

beforeAll(async () => {
  owner = await aMember(test.app)
  people.owner = owner
  for (const name of ['lead', 'colleague', 'everywhere', 'elsewhere', 'left']) {
    const person = await aMember(test.app)
    await addTo(test.app, owner, person, 'member')
    await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [person.userId, owner.orgId])
    people[name] = await sessionNow(test.app, person)
  }
  await query(
    test.app,
    `create table tasks (id text primary key, owner_email text not null, org_id text, visibility text not null default 'private',
      team_id text_team)`,
  )
  sales = (await addTeam(test.app, team(), 'Sales')).id
  support = (await addTeam(test.app, team(), 'Support')).id
  const emails = (...names: string[]) => ({ members: names.map(name => personIn(name).email) })
  await setTeamMembers(test.app, team(), sales, emails('lead', 'colleague', 'left'))
  await setTeamMembers(test.app, team(), support, emails('elsewhere'))
  writers = (await createRole(test.app, team(), { name: 'Writers', permissions: ['tasks:write'] })).id
  const give = (name: string, teamId?: string) => assignRole(test.app, team(), writers, personIn(name).email, teamId)
  await give('lead', sales)
  await give('elsewhere', support)
  await give('left', sales)
  await give('everywhere')
  const { orgId } = owner
  const row = (id: string, teamId: string | null) => ({ id, ownerEmail: owner.email, orgId, teamId })
  await test.app.db.orm
    .insert(tasks)
    .values([row('of-sales', sales), row('of-support', support), row('of-none', null), row('shared', null)])
  await as(owner, () =>
    shareRow(test.app.db.orm, tasks, owner, { id: 'shared', teamId: sales, role: 'viewer', now: test.app.now() }),
  )
  // A row that a removal has left behind.
  await query(test.app, 'delete from fw_team_members where user_id = ?', [personIn('left').userId])
})

const ALL = ['of-none', 'of-sales', 'of-support', 'shared']
const table = [
  ['owner', ALL, ['sales', 'support', 'none'], true],
  ['everywhere', ALL, ['sales', 'support', 'none'], true],
  ['lead', ['of-sales', 'shared'], ['sales'], true],
  ['elsewhere', ['of-support'], ['support'], true],
  ['colleague', [], [], false],
  ['left', [], [], false],
] as const

describe.each(table)('%s', (name, rows, creates, isLetIn) => {
  const session = () => personIn(name)

  it(`may change ${rows.join(', ') || 'nothing'}: lists, single rows, can and the check of one row agree`, () =>
    as(session(), async () => {
      const db = test.app.db.orm
      const listed = await db
        .select({ id: tasks.id })
        .from(tasks)
        .where(accessibleTo(tasks, session(), 'update'))
      expect(listed.map(({ id }) => id).toSorted()).toEqual(rows)
      const can = await db.select({ id: tasks.id, ...canColumns(tasks, session()) }).from(tasks)
      expect(
        can
          .filter(row => Reflect.get(row, 'update') === 1)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(rows)
      for (const id of ALL) {
        const [row] = await db.select().from(tasks).where(eq(tasks.id, id))
        const person = await personOf(db, tasks, session(), id)
        expect(mayWith(tasks, 'update', row ?? {}, person), id).toBe((rows as readonly string[]).includes(id))
      }
    }))

  it(`may create rows of ${creates.join(', ') || 'no team'}`, () =>
    as(session(), async () => {
      const ids = { sales, support, none: null }
      const allowed: string[] = []
      for (const [key, teamId] of Object.entries(ids))
        if ((await refusalOf(requireCreate(test.app.db.orm, tasks, session(), { teamId }))) === 'done')
          allowed.push(key)
      expect(allowed).toEqual(creates)
    }))

  it(`passes requirePermission ${isLetIn ? 'with' : 'neither with nor without'} forTeam`, async () => {
    const call = (forTeam: boolean) => {
      const action = defineAction({
        description: 'Changes tasks.',
        input: z.object({}),
        guard: requirePermission('tasks:write', { forTeam }),
        run: () => 'done',
      })
      return refusalOf(
        runAction(test.app, { name: 'change', action, session: session(), input: {}, caller: 'http', requestId: 'r' }),
      )
    }
    const isEverywhere = rows.length === ALL.length
    expect([await call(true), await call(false)]).toEqual([
      isLetIn ? 'done' : 'forbidden',
      isEverywhere ? 'done' : 'forbidden',
    ])
    const met = await listMet(test.app, session(), ['tasks:write'])
    expect(met).toEqual([...(isEverywhere ? ['tasks:write'] : []), ...(isLetIn ? ['tasks:write@team'] : [])])
  })
})

describe('a role for one team', () => {
  const lead = () => personIn('lead')
  const update = (session: Session, teamId: string) =>
    as(session, async () => {
      const rows = await test.app.db.orm
        .select({ id: tasks.id })
        .from(tasks)
        .where(sql`${tasks.id} = 'of-sales' and ${accessibleTo(tasks, session, 'update', { teamId })}`)
      return rows.length === 1
    })

  it('moves no row to another team', async () => {
    expect([await update(lead(), sales), await update(lead(), support), await update(owner, support)]).toEqual([
      true,
      false,
      true,
    ])
  })

  it('requires a person of the team, and shows it in the lists of roles', async () => {
    expect(await refusalOf(assignRole(test.app, team(), writers, personIn('everywhere').email, sales))).toBe(
      'not-found',
    )
    expect(await refusalOf(assignRole(test.app, team(), writers, lead().email, 'unknown'))).toBe('not-found')
    const { roles } = await listRoles(test.app, team())
    const holders = roles[0]?.holders?.map(({ email, team: of }) => [email, of?.name ?? null])
    expect(holders).toEqual(
      expect.arrayContaining([
        [lead().email, 'Sales'],
        [personIn('elsewhere').email, 'Support'],
        [personIn('everywhere').email, null],
      ]),
    )
    expect(holders).toHaveLength(3)
    const { total } = await planRoleDeletion(test.app, team(), writers)
    expect(total).toBe(3)
  })

  it('is told apart in the catalog', () => {
    const guard = requirePermission('tasks:write', { forTeam: true })
    const action = defineAction({ description: 'Changes tasks.', input: z.object({}), guard, run: () => 'done' })
    expect(callersOf(action, test.app.config)).toEqual({
      kind: 'permissions',
      permissions: [{ name: 'tasks:write', text: 'Change tasks', forTeam: true }],
    })
  })

  it('may be that of a service account', async () => {
    const { id } = await addAccount(test.app, owner, { name: 'Script' })
    const account = { ...lead(), serviceAccount: { id, name: 'Script', isOwners: false } }
    await setTeamMembers(test.app, team(), support, { members: [personIn('elsewhere').email], serviceAccounts: [id] })
    await assignRole(test.app, team(), writers, id, support)
    expect(await listMet(test.app, account, ['tasks:write'])).toEqual(['tasks:write@team'])
  })

  it('ends with the place in the team, also when that begins again, and with the team', async () => {
    const met = () => listMet(test.app, lead(), ['tasks:write'])
    const emails = ['lead', 'colleague'].map(name => personIn(name).email)
    await unassignRole(test.app, team(), writers, lead().email, sales)
    expect(await met()).toEqual([])
    await assignRole(test.app, team(), writers, lead().email, sales)
    await setTeamMembers(test.app, team(), sales, { members: emails.slice(1) })
    await setTeamMembers(test.app, team(), sales, { members: emails })
    expect(await met()).toEqual([])
    await assignRole(test.app, team(), writers, lead().email, sales)
    await expect(deleteTeam(test.app, team(), { id: sales, confirm: false })).rejects.toMatchObject({
      extra: { holders: { roles: 1 } },
    })
    await deleteTeam(test.app, team(), { id: sales, confirm: true })
    expect(await query(test.app, 'select 1 from fw_org_role_members where team_id = ?', [sales])).toEqual([])
  })
})
