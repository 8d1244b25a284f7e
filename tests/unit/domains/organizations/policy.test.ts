import { and, eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import * as fc from 'fast-check'
import {
  allOf,
  appRole,
  definePolicy,
  orgRole,
  ownableColumns,
  permission,
  person,
  references,
  rowIs,
  shared,
  team,
  teamColumn,
  teamSchema,
  via,
} from 'nuxt-fairway/tables'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  accessDenied,
  accessibleTo,
  columnsFor,
  defineAction,
  defineAppRoles,
  defineCollection,
  definePermissions,
  outputOf,
  requireCreate,
  requirePermission,
  shareRow,
} from '#fw'
import { servedCollections } from '#fairway/server/domains/collections/served-collection'
import { representations } from '#fairway/server/domains/collections/formats/negotiate'
import { runAction } from '#fairway/server/domains/actions'
import { changeFor } from '#fairway/server/domains/changes/change'
import { checkCollections, mayReadItem } from '#fairway/server/domains/collections'
import { assignAppRole, isOpenRow, mayCreate, requireOrg } from '#fairway/server/domains/organizations'
import { assignRole } from '#fairway/server/domains/organizations/roles/assignments'
import { changeRole, createRole } from '#fairway/server/domains/organizations/roles/roles'
import {
  mayCreate as mayCreateRow,
  mayMove,
  mayWith,
  membersMay,
  referencedRows,
  refusedFields,
} from '#fairway/server/domains/organizations/policy-check'
import { policyOf, type Rule } from '#fairway/server/domains/organizations/policy'
import { canColumns } from '#fairway/server/domains/organizations/row-access'
import { deleteTeam } from '#fairway/server/domains/organizations/teams/delete-team'
import { addTeam, setTeamMembers } from '#fairway/server/domains/organizations/teams/teams'
import { parseNamed } from '#fairway/server/domains/actions/parse-named'
import { shares } from '#fairway/server/domains/organizations/tables'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import { creator } from '#fairway/server/kernel/owned-rows'
import { readCollectionPage } from '#fairway/shared/collections/collection-page'
import type { Session } from '#fairway/shared/schemas/session'
import type { TestApp } from '../../../support/app'
import { shareTestApp } from '../../../support/use-app'
import { countStatements } from '../../../support/database-slow'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { refusalOf } from '../../../support/error-code'
import { query } from '../../../support/query'
import { addAccount } from '../../../support/service-accounts'

const permissions = definePermissions({ 'deals:win': 'Win deals', 'deals:watch': 'Watch deals' })
const roles = defineAppRoles({
  appId: 'crm',
  roles: ['manager', 'agent'],
  permissions: { manager: ['deals:win'] },
})

// Combines ownable columns with the `creator` column of organization rows, so that one table covers every part of a rule.
const dealsTable = () =>
  sqliteTable(
    'deals',
    {
      id: text('id').primaryKey(),
      ...ownableColumns(),
      createdBy: creator('created_by'),
      assignee: person('assignee'),
      status: text('status', { enum: ['open', 'won'] }),
      amount: integer('amount'),
      clientId: text('client_id'),
      teamId: teamColumn('team_id'),
    },
    table => [references({ orgId: table.orgId, id: table.clientId }, clients)],
  )
const regions = sqliteTable('regions', {
  id: text('id').primaryKey(),
  orgId: text('org_id').notNull(),
  agent: person('agent'),
})
const clients = sqliteTable(
  'clients',
  {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    createdBy: creator('created_by'),
    agent: person('agent'),
    isPublic: integer('is_public', { mode: 'boolean' }),
    regionId: text('region_id'),
  },
  table => [references({ orgId: table.orgId, id: table.regionId }, regions)],
)
const orgDealsTable = () =>
  sqliteTable('org_deals', {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    createdBy: creator('created_by'),
    createdByName: text('created_by_name').notNull(),
    assignee: person('assignee'),
    status: text('status', { enum: ['open', 'won'] }),
    amount: integer('amount'),
  })

const test = shareTestApp({}, { appRoles: roles, permissions })
let owner: Session
let admin: Session
let manager: Session
let tom: Session
let eve: Session
/** Service accounts of tom: an admin by name, with the credential of tom, and a manager with that of somebody else. */
let ofTom: Session
let ofOthers: Session
beforeAll(async () => {
  await query(
    test.app,
    `create table deals (id text primary key, owner_email text not null, org_id text, visibility text not null default 'private',
      created_by text_creator, assignee text_person, status text, amount integer, client_id text, team_id text_team)`,
  )
  await query(
    test.app,
    `create table clients (id text primary key, org_id text not null, created_by text_creator, agent text_person,
      is_public integer, region_id text)`,
  )
  await query(test.app, 'create table regions (id text primary key, org_id text not null, agent text_person)')
  await query(
    test.app,
    `create table org_deals (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null,
      assignee text_person, status text, amount integer)`,
  )
  await query(test.app, 'create index org_deals_org on org_deals (org_id, created_by)')
  owner = await aMember(test.app)
  const join = async (role: 'admin' | 'member') => {
    const joined = await aMember(test.app)
    await addTo(test.app, owner, joined, role)
    await query(test.app, `insert into user_settings values (?, 'active-org-id', ?)`, [joined.userId, owner.orgId])
    return sessionNow(test.app, joined)
  }
  admin = await join('admin')
  manager = await join('member')
  tom = await join('member')
  eve = await aMember(test.app)
  await withRun({ app: test.app, session: owner }, () =>
    assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: manager.email, role: 'manager' }),
  )
  const manage = requireOrg(owner, 'manage-roles')
  const watchers = await createRole(test.app, manage, { name: 'Watchers', permissions: ['deals:watch'] })
  await assignRole(test.app, manage, watchers.id, tom.email)
  const accountOf = async (by: Session, wanted: Parameters<typeof addAccount>[2], isOwners: boolean) => {
    const { id } = await addAccount(test.app, by, wanted)
    await query(test.app, 'update fw_service_accounts set owner_id = ? where id = ?', [tom.userId, id])
    return { ...tom, serviceAccount: { id, name: 'Script', isOwners } }
  }
  ofTom = await accountOf(owner, { role: 'admin' }, true)
  ofOthers = await accountOf(owner, { appRoles: ['manager'] }, false)
})

/** The ID in shares and teams: of the person, or of the service account. */
const idOf = (session: Session) => session.serviceAccount?.id ?? session.userId

/** Adds a person, or the service account of a session, to a team. */
const putInTeam = (session: Session, id: string) =>
  query(test.app, `insert into fw_team_members values (?, ?, ?, 'test', 1)`, [session.orgId, id, idOf(session)])

/** What a share gives to a person with these teams: one with them, or with a team. */
function toHeld(share: 'viewer' | null, team: string | null, teams: readonly string[]) {
  if (team === null) return { share, sharedTeams: [] }
  return teams.includes(team) ? { share, sharedTeams: share ? [team] : [] } : { share: null, sharedTeams: [] }
}

/** What rules check about the person of a session. */
const rolesOf = (session: Session) => ({
  email: session === ofOthers ? 'nobody' : session.email,
  orgId: session.orgId,
  orgRole: session.orgRole,
  appRole: session === manager || session === ofOthers ? 'manager' : null,
  isAccount: session.serviceAccount !== undefined,
})

const as = <T>(session: Session, work: () => T): T => withRun({ app: test.app, session }, work)

describe('policy in SQL and in code', () => {
  const part = fc.oneof(
    fc.constantFrom('member', 'admin', 'creator', 'assignee', 'owner'),
    fc.constantFrom(orgRole('owner'), appRole('manager'), appRole('agent', 'manager')),
    fc.constantFrom(permission('deals:win'), permission('deals:watch')),
    fc.constantFrom(shared('viewer'), shared('editor'), shared('admin')),
    fc.constantFrom(rowIs({ status: 'open' }), rowIs({ status: ['won', null] }), rowIs({ amount: 5 })),
    fc.constantFrom(team(), allOf(team(), rowIs({ status: 'open' }))),
    fc.constantFrom(
      allOf('creator', rowIs({ status: 'open' })),
      allOf('member', shared('editor')),
      allOf(permission('deals:watch'), rowIs({ status: 'open' })),
    ),
    fc.constantFrom(
      via(clients, 'agent'),
      via(clients, ['creator', rowIs({ isPublic: true })]),
      via(clients, via(regions, 'agent')),
      via(clients, permission('deals:watch')),
      allOf(via(clients, ['agent', 'admin']), rowIs({ status: 'open' })),
    ),
  )
  const rule = fc.array(part, { maxLength: 3 })
  const readRule = fc.array(
    fc.oneof({ weight: 9, arbitrary: part }, { weight: 1, arbitrary: fc.constant('everyone') }),
    {
      maxLength: 3,
    },
  )
  const write = fc.array(part, { maxLength: 3 }).filter(parts => !JSON.stringify(parts, kindOf).includes('via'))
  const role = fc.array(fc.constantFrom('member', 'admin', appRole('manager'), permission('deals:win')), {
    maxLength: 2,
  })

  it('gives the same results for random rules, rows and people', async () => {
    const people = [owner, admin, manager, tom, eve, ofTom, ofOthers]
    const inTeams = new Map<Session, string[]>([
      [owner, ['sales']],
      [tom, ['sales', 'support']],
      [ofTom, ['support']],
      [ofOthers, ['sales']],
      [eve, ['others']],
    ])
    const teamsOf = (session: Session) => inTeams.get(session) ?? []
    for (const [session, ids] of inTeams) for (const id of ids) await putInTeam(session, id)
    // Rows of people who are no members of that organization grant nothing.
    await putInTeam({ ...eve, orgId: owner.orgId }, 'sales')
    await putInTeam({ ...tom, orgId: eve.orgId }, 'others')
    const giveForTeam = (session: Session, names: string[], team: string) => {
      const id = names.join('+')
      const values = [id, owner.orgId, id, JSON.stringify(names)]
      const made = `insert into fw_org_roles values (?1, ?2, ?3, ?3, ?4, 'test', 1, 1) on conflict do nothing`
      const row = [owner.orgId, id, idOf(session), team]
      return Promise.all([
        query(test.app, made, values),
        query(test.app, `insert into fw_org_role_members values (?, ?, ?, ?, 'test', 1)`, row),
      ])
    }
    const ofTeams = new Map([
      [tom, new Map([['deals:win', ['sales']]])],
      [ofOthers, new Map([['deals:watch', ['sales']]])],
    ])
    await giveForTeam(tom, ['deals:win'], 'sales')
    await giveForTeam(ofOthers, ['deals:watch'], 'sales')
    // They are not in these teams, or not in the organization.
    await giveForTeam(manager, ['deals:watch'], 'support')
    await giveForTeam(eve, ['deals:win'], 'sales')
    const address = fc.constantFrom(...new Set(people.map(({ email }) => email)))
    const row = fc.record({
      ownerEmail: address,
      orgId: fc.constantFrom(owner.orgId, eve.orgId, null),
      visibility: fc.constantFrom('private', 'org', 'org-edit'),
      createdBy: fc.option(address),
      assignee: fc.option(address),
      status: fc.constantFrom('open', 'won', null),
      amount: fc.constantFrom(null, 5, 7),
      clientId: fc.constantFrom('a', 'b', 'c', 'none', null),
      teamId: fc.constantFrom('sales', 'support', 'others', null),
    })
    const client = (key: string, of: Session, agent: Session, more: object = {}) => ({
      id: key,
      orgId: of.orgId ?? '',
      createdBy: of.email,
      agent: agent.email,
      isPublic: false,
      regionId: null,
      ...more,
    })
    await test.app.db.orm.insert(regions).values({ id: 'r', orgId: owner.orgId ?? '', agent: tom.email })
    await test.app.db.orm
      .insert(clients)
      .values([
        client('a', owner, tom),
        client('b', owner, manager, { isPublic: true, regionId: 'r' }),
        client('c', eve, eve),
      ])
    let id = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({ read: readRule, create: role, update: rule, delete: rule, write, seen: readRule }),
        row,
        fc.constantFrom(...people),
        fc.constantFrom(null, 'viewer', 'editor', 'admin'),
        fc.record({
          amount: fc.constantFrom(null, 5, 9),
          teamId: fc.constantFrom(undefined, 'sales', 'support', null),
        }),
        fc.constantFrom(null, 'sales', 'support', 'others'),
        async ({ write: writing, seen, ...rules }, values, session, share, changes, sharedTeam) => {
          const deals = dealsTable()
          definePolicy(deals, { ...rules, fields: { amount: { write: writing, read: seen } } })
          const made = { id: `deal-${++id}`, ...values } as typeof deals.$inferInsert
          await test.app.db.orm.insert(deals).values(made)
          if (share)
            await test.app.db.orm.insert(shares).values({
              resource: 'deals',
              resourceId: made.id,
              userId: sharedTeam ?? idOf(session),
              role: share as 'viewer',
              orgId: made.orgId ?? '',
              sharedBy: owner.userId,
              sharedAt: test.app.now(),
            })
          const teams = teamsOf(session)
          const held = toHeld(share as 'viewer' | null, sharedTeam, teams)
          const person = {
            ...rolesOf(session),
            permissions: heldBy(session),
            teams,
            ofTeams: ofTeams.get(session),
            ...held,
            referenced: await referencedRows(test.app.db.orm, deals, made),
          }
          const found = await as(session, () =>
            test.app.db.orm
              .select({
                read: sql<number>`coalesce(${accessibleTo(deals, session)}, 0)`,
                set: sql<number>`coalesce(${accessibleTo(deals, session, 'update', changes)}, 0)`,
                seen: columnsFor(deals, session).amount,
                ...canColumns(deals, session),
              })
              .from(deals)
              .where(eq(deals.id, made.id)),
          )
          const inCode = (action: 'read' | 'update' | 'delete') => Number(mayWith(deals, action, made, person))
          const isFieldFree =
            refusedFields(deals, changes, made, person).length === 0 && mayMove(deals, changes, made, person)
          const field = readableBy(seen as Rule)
          const referenced = await referencedRows(test.app.db.orm, field, made)
          const sees = mayWith(field, 'read', made, { ...person, referenced })
          // Lists never show the permissions for a row that the person cannot read.
          const [shown] = found.map(row => (row.read === 1 ? row : { ...row, update: 0, delete: 0, amount: 0 }))
          expect(shown).toEqual({
            read: inCode('read'),
            update: inCode('update'),
            delete: inCode('delete'),
            set: Number(inCode('update') === 1 && isFieldFree),
            seen: sees ? (made.amount ?? null) : null,
            amount: Number(inCode('update') === 1 && refusedFields(deals, { amount: -1 }, made, person).length === 0),
          })
        },
      ),
      { numRuns: 400 },
    )
  })
})

it.each([
  ['the row itself', permission('deals:watch'), true],
  ['the row that it refers to', via(clients, permission('deals:watch')), false],
])('a permission for the team that a row is shared with, asked of %s', (_, read, expected) => {
  const deals = dealsTable()
  definePolicy(deals, { read, create: [], update: [], delete: [] })
  const [part] = policyOf(deals)?.rules.read ?? []
  const person = {
    email: 'tom@example.test',
    orgId: 'o',
    orgRole: 'member',
    appRole: null,
    share: 'viewer' as const,
    teams: ['sales'],
    ofTeams: new Map([['deals:watch', ['sales']]]),
    sharedTeams: ['sales'],
    referenced: new Map(part ? [[part, { id: 'a', orgId: 'o' }]] : []),
  }
  expect(mayWith(deals, 'read', { orgId: 'o', clientId: 'a' }, person)).toBe(expected)
})

describe('a service account', () => {
  it('has its own app role, and the lower of its role and that of its owner of record', async () => {
    const roleOf = (session: Session, identity?: { userEmail: string }) => as(session, () => roles.resolve(identity))
    expect(await roleOf(ofOthers)).toEqual({ status: 'assigned', role: 'manager' })
    expect(await roleOf(ofTom)).toEqual({ status: 'unassigned' })
    // The person's own role does not count, not even where an author's code names the person.
    await query(test.app, `insert into app_member_roles values (?, 'crm', ?, 'agent', ?, 1)`, [
      owner.orgId,
      tom.userId,
      owner.userId,
    ])
    expect(await roleOf(ofTom, { userEmail: tom.email })).toEqual({ status: 'unassigned' })
    expect(await roleOf(tom)).toEqual({ status: 'assigned', role: 'agent' })
    await query(test.app, 'delete from app_member_roles where user_id = ?', [tom.userId])
  })

  it('keeps its limits where an author passes on its person without the mark', async () => {
    const deals = dealsTable()
    definePolicy(deals, { read: ['admin', 'owner'], create: 'member', update: 'admin', delete: 'admin' })
    await query(test.app, `update org_members set role = 'admin' where user_id = ? and org_id = ?`, [
      tom.userId,
      owner.orgId,
    ])
    const mine = { ownerEmail: tom.email, orgId: owner.orgId }
    await test.app.db.orm.insert(deals).values([
      { id: 'of-admin', ...mine, ownerEmail: owner.email },
      { id: 'private', ...mine },
      { id: 'personal', ...mine, orgId: null },
    ])
    const idsOf = (session: Session) =>
      as(session, async () => {
        const { email, userId, orgId } = session
        const rows = await test.app.db.orm
          .select({ id: deals.id })
          .from(deals)
          .where(and(accessibleTo(deals, { email, userId, orgId }), sql`id in ('of-admin', 'private', 'personal')`))
        return rows.map(({ id }) => id).toSorted()
      })
    expect(await Promise.all([tom, ofTom, ofOthers].map(idsOf))).toEqual([
      ['of-admin', 'personal', 'private'],
      ['of-admin', 'private'],
      [],
    ])
    await query(test.app, `update org_members set role = 'member' where user_id = ? and org_id = ?`, [
      tom.userId,
      owner.orgId,
    ])
  })
})

it('shareRow requires the owner of the row, even when a policy allows all members', async () => {
  const deals = dealsTable()
  definePolicy(deals, { read: 'member', create: 'member', update: 'member', delete: 'member' })
  await test.app.db.orm.insert(deals).values({ id: 'shared', ownerEmail: owner.email, orgId: owner.orgId })
  const share = { id: 'shared', email: admin.email, role: 'editor', now: test.app.now() } as const
  await expect(shareRow(test.app.db.orm, deals, tom, share)).rejects.toMatchObject({ code: 'forbidden' })
  await shareRow(test.app.db.orm, deals, owner, share)
})

/** What the people of this file hold, by hand. */
function heldBy(session: Session): string[] {
  const isManager = session === owner || session === admin || session === eve
  return [
    ...(isManager || session === manager || session === ofOthers ? ['deals:win'] : []),
    ...(isManager || session === tom ? ['deals:watch'] : []),
  ]
}

/** Leaves tables out, which have circles. */
const kindOf = (key: string, value: unknown) => (key === 'table' ? undefined : value)

/** Returns a table with this rule for reading and no other rules. */
function readableBy(read: Rule) {
  const table = dealsTable()
  definePolicy(table, { read, create: [], update: [], delete: [] })
  return table
}

describe('organization rows with a policy', () => {
  const deals = orgDealsTable()
  const { can } = definePolicy(deals, {
    read: ['creator', 'assignee', 'admin', appRole('manager')],
    create: 'member',
    update: ['creator', 'assignee', appRole('manager')],
    delete: allOf('creator', rowIs({ status: 'open' })),
    fields: { amount: { write: appRole('manager'), read: ['creator', appRole('manager')] } },
  })
  const collection = defineCollection({
    description: 'The deals that you may read.',
    item: outputOf(deals, { omit: ['orgId'], extend: { can } }),
    source: deals,
    filters: { amount: 'range' },
    order: ['amount'],
    defaultOrder: [{ field: 'id', direction: 'ASC' }],
  })
  const entries = [{ name: 'deal-list', collection }]
  const made = (id: string, by: Session, assignee: Session | null = null, orgId = owner.orgId ?? '') => ({
    id,
    orgId,
    createdBy: by.email,
    createdByName: by.name,
    assignee: assignee?.email ?? null,
    status: 'open' as const,
    amount: 10,
  })
  beforeAll(async () => {
    await test.app.db.orm
      .insert(deals)
      .values([made('1', tom), made('2', manager, tom), made('3', owner), made('4', eve, tom, eve.orgId ?? '')])
  })
  const read = (session: Session, where: { amount?: string } = {}) =>
    as(session, async () => {
      const served = servedCollections(test.app, entries).get('deal-list')
      const context = { app: test.app, session, signal: new AbortController().signal, requestId: 'r' }
      const filters = where.amount
        ? [{ kind: 'range' as const, field: 'amount', operator: 'gt' as const, value: where.amount }]
        : []
      const selection = { mode: 'partial', page: 1, offset: 0, limit: 30 } as const
      const page = await served!.collection.reader.readPage(context, { filters, order: [], selection })
      return page.items as { id: string; amount: number | null; can: Record<string, boolean> }[]
    })
  const update = (session: Session, id: string, changes: Partial<typeof deals.$inferInsert>) =>
    as(session, async () => {
      const [row] = await test.app.db.orm
        .update(deals)
        .set(changes)
        .where(and(eq(deals.id, id), accessibleTo(deals, session, 'update', changes)))
        .returning(columnsFor(deals, session))
      if (!row) throw await accessDenied(test.app.db.orm, deals, session, { id, to: 'update', changes })
      return row
    })

  it('are listed when readable, with permissions and without unreadable fields', async () => {
    expect((await read(tom)).map(({ id, amount, can: may }) => [id, amount, may])).toEqual([
      ['1', 10, { update: true, delete: true, amount: false }],
      ['2', null, { update: true, delete: false, amount: false }],
    ])
    expect((await read(admin)).map(({ id, can: may }) => [id, may])).toEqual(
      ['1', '2', '3'].map(id => [id, { update: false, delete: false, amount: false }]),
    )
    expect((await read(manager)).map(({ id, can: may }) => [id, may.update, may.amount])).toEqual(
      ['1', '2', '3'].map(id => [id, true, true]),
    )
    expect(await read(eve)).toMatchObject([{ id: '4' }])
  })

  it('are not found by the value of an unreadable field', async () => {
    expect((await read(tom, { amount: '5' })).map(({ id }) => id)).toEqual(['1'])
  })

  it('return 404 when unreadable, and 403 with the allowed people when only readable', async () => {
    await expect(update(tom, '3', { status: 'won' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(update(tom, '4', { status: 'won' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(update(admin, '1', { status: 'won' })).rejects.toMatchObject({
      code: 'forbidden',
      detail: `Only its creator (${tom.name}), its assignee, or people with the role manager can update this.`,
      extra: { allowed: ['creator', 'assignee', 'manager'] },
    })
  })

  it('reject a change of a protected field, but accept its current value', async () => {
    await expect(update(tom, '1', { amount: 11 })).rejects.toMatchObject({
      code: 'forbidden',
      errors: [{ path: 'amount', message: 'Only people with the role manager can set amount.' }],
    })
    expect(await update(tom, '1', { status: 'open', amount: 10 })).toMatchObject({ id: '1', amount: 10 })
    // A refusal does not reveal the value to a person who cannot see it.
    await expect(update(tom, '2', { amount: 10 })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await update(tom, '2', { status: 'open' })).toMatchObject({ id: '2', amount: null })
    expect(await update(manager, '1', { amount: 10 })).toMatchObject({ amount: 10 })
  })

  it('are checked on creation for who may create them and set their fields', async () => {
    const create = (session: Session, values: object) =>
      as(session, () => requireCreate(test.app.db.orm, deals, session, { ...values }))
    await create(tom, { status: 'open', amount: null })
    await create(manager, { amount: 3 })
    await expect(create(tom, { amount: 3 })).rejects.toMatchObject({ code: 'forbidden', errors: [{ path: 'amount' }] })
    await expect(create({ ...tom, orgId: null }, {})).rejects.toMatchObject({ code: 'no-organization' })
  })

  it('apply the loss of a role immediately', async () => {
    const assign = (role: string | null) =>
      as(owner, () => assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: manager.email, role }))
    await assign(null)
    await expect(update(manager, '1', { status: 'won' })).rejects.toMatchObject({ code: 'not-found' })
    await assign('manager')
  })

  it('are read through the index of the organization', async () => {
    const condition = as(tom, () =>
      test.app.db.orm
        .select()
        .from(deals)
        .where(accessibleTo(deals, tom, 'update'))
        .toSQL(),
    )
    const plan = await query(test.app, `explain query plan ${condition.sql}`, condition.params as string[])
    expect(plan.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/^SEARCH org_deals USING INDEX org_deals_org \(org_id=\?/),
    )
  })

  it('keep titles out of the audit log when not every member can read the row', () => {
    expect(
      test.app.db.orm
        .select({ open: isOpenRow(deals) })
        .from(deals)
        .toSQL().sql,
    ).toMatch(/^select 0 from/)
  })

  it('reject another scope, an unknown app role and a kept total', () => {
    const declare = (more: object) => () =>
      defineCollection({ description: 'All.', item: outputOf(deals), source: deals, ...more } as never)
    expect(declare({ scope: 'everybody' })).toThrow('scope: the policy of org_deals says who reads')
    expect(declare({ public: true })).toThrow('public: the policy of org_deals lets no visitor read')
    expect(declare({ keepTotal: true })).toThrow("keepTotal: needs a policy with read: 'member'")
    const { app } = test
    const withoutRoles = { ...app, config: { ...app.config, appRoles: undefined } } as unknown as typeof app
    expect(() => checkCollections(withoutRoles, entries)).toThrow('a policy names the app role manager')
    const guarded = defineCollection({
      description: 'All.',
      item: z.object({ id: z.string() }),
      source: () => [],
      guard: requirePermission('deals:win'),
    } as never)
    const withoutPermissions = { ...app, config: { ...app.config, permissions: { names: [], texts: {} } } }
    expect(() => checkCollections(withoutPermissions, [{ name: 'guarded', collection: guarded }])).toThrow(
      'it names the permission deals:win; permissions of fw.config.ts has none',
    )
  })
})

describe('organization rows of those who hold a permission', () => {
  const deals = orgDealsTable()
  definePolicy(deals, {
    read: permission('deals:watch'),
    create: permission('deals:win'),
    update: permission('deals:watch'),
    delete: [],
    fields: { amount: { read: permission('deals:win') } },
  })
  const collection = defineCollection({
    description: 'The deals that you may watch.',
    item: outputOf(deals, { omit: ['orgId'] }),
    source: deals,
    order: ['amount'],
    defaultOrder: [{ field: 'id', direction: 'ASC' }],
  })
  const entries = [{ name: 'watched-deals', collection }]
  const close = defineAction({
    description: 'Closes a deal.',
    input: z.object({ id: z.string() }),
    audit: { subject: { table: deals, title: deals.status, id: 'id' } },
    run: () => true,
  })
  const declared = { actions: [{ name: 'close-deal', action: close as never }], collections: entries }
  /** Remembers the collections of this group. */
  let app: App
  beforeAll(async () => {
    app = { ...test.app, memo: createMemo() }
    await test.app.db.orm.insert(deals).values({
      id: 'watched',
      orgId: owner.orgId ?? '',
      createdBy: owner.email,
      createdByName: owner.name,
      status: 'open',
      amount: 10,
    })
  })
  const context = (session: Session) => ({
    app,
    session,
    signal: new AbortController().signal,
    requestId: 'r',
  })
  const served = () => servedCollections(app, entries).get('watched-deals')!.collection.reader
  /** What a person sees of the row: in the list, as an item, in an export, in the feed of changes, and whether they may change it. */
  const seen = (session: Session) =>
    withRun({ app, session }, async () => {
      const selection = { mode: 'partial', page: 1, offset: 0, limit: 30 } as const
      const page = await served().readPage(context(session), { filters: [], order: [], selection })
      const rows = page.items.filter(item => (item as { id: string }).id === 'watched') as { amount: number | null }[]
      const heard = await changeFor(app, declared, session, {
        place: 1,
        id: 'a',
        action: 'close-deal',
        userId: eve.userId,
        orgId: owner.orgId,
        subjectType: 'org_deals',
        subjectId: 'watched',
        isOpen: 0,
      })
      const updated = await test.app.db.orm
        .update(deals)
        .set({ status: 'won' })
        .where(and(eq(deals.id, 'watched'), accessibleTo(deals, session, 'update')))
        .returning({ one: sql`1` })
      return {
        listed: rows.map(({ amount }) => amount),
        item: await mayReadItem(app, entries, { name: 'watched-deals', session, id: 'watched', requestId: 'r' }),
        heard: heard?.collections ?? null,
        updates: updated.length === 1,
        creates: await mayCreate(test.app.db.orm, deals, session),
      }
    })
  const all = { listed: [10], item: true, heard: ['watched-deals'], updates: true, creates: true }
  const none = { listed: [], item: false, heard: null, updates: false, creates: false }

  it.each<[string, () => Session, typeof all | object]>([
    ['an owner', () => owner, all],
    ['an admin', () => admin, all],
    ['a member with a role that owners made', () => tom, { ...all, listed: [null], creates: false }],
    ['a member whose role of the application carries another permission', () => manager, { ...none, creates: true }],
    ['a service account of that member', () => ofTom, none],
    ['an owner of another organization', () => eve, { ...none, creates: true }],
  ])('are shown to and changed by %s as the policy says', async (_name, session, expected) => {
    expect(await seen(session())).toEqual(expected)
  })

  it('are out of reach once the role has lost the permission, also for an action that runs meanwhile', async () => {
    const roleId = String((await query(test.app, `select id from fw_org_roles where name = 'Watchers'`))[0]?.id)
    const set = (names: string[]) =>
      changeRole(test.app, requireOrg(owner, 'manage-roles'), roleId, { permissions: names })
    const slow = defineAction({
      description: 'Closes a deal while its role changes.',
      input: z.object({}),
      guard: requirePermission('deals:watch'),
      async run(_input, { db, session }) {
        await set(['deals:win'])
        const mine = and(eq(deals.id, 'watched'), accessibleTo(deals, session, 'update'))
        return (
          await db
            .update(deals)
            .set({ status: 'won' })
            .where(mine)
            .returning({ one: sql`1` })
        ).length
      },
    })
    const call = {
      name: 'slow',
      action: slow as never,
      input: {},
      session: tom,
      caller: 'http',
      requestId: 'r',
    } as const
    // The guard let it in before the change. Each statement of it asks the policy at its own moment.
    expect(await runAction(test.app, call)).toBe(0)
    await expect(runAction(test.app, call)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await seen(tom)).toEqual({ ...none, creates: true })
    await set(['deals:watch'])
    expect(await seen(tom)).toMatchObject({ listed: [null], updates: true })
  })

  it('are refused by the names of the permissions', async () => {
    await expect(as(tom, () => requireCreate(test.app.db.orm, deals, tom, {}))).rejects.toMatchObject({
      code: 'forbidden',
      detail: 'Only people with the permission deals:win can create this.',
      extra: { allowed: ['deals:win'] },
    })
  })
})

describe('public collections over a table with a policy', () => {
  const closed = { create: 'member', update: 'member', delete: 'member' } as const
  const declare = (
    policy: Omit<Parameters<typeof definePolicy>[1], keyof typeof closed>,
    fields: string[],
    more = {},
  ) => {
    const deals = orgDealsTable()
    definePolicy(deals, { ...closed, ...policy })
    const { shape } = outputOf(deals)
    const item = z.object(Object.fromEntries(fields.map(name => [name, shape[name as 'id']])))
    const defaultOrder = [{ field: 'id', direction: 'ASC' }] as const
    return defineCollection({
      description: 'Deals.',
      public: true,
      item,
      source: deals,
      defaultOrder,
      ...more,
    } as never)
  }
  const read = async (collection: ReturnType<typeof declare>) => {
    const context = { app: test.app, session: null, signal: new AbortController().signal, requestId: 'r' }
    const selection = { mode: 'full', page: 1, offset: 0, limit: 30 } as const
    return (await collection.reader.readPage(context, { filters: [], order: [], selection })) as {
      items: readonly unknown[]
      totalItems: number
    }
  }
  beforeAll(async () => {
    await query(test.app, 'delete from org_deals')
    const deal = (id: string, of: Session, status: string, amount: number) =>
      query(
        test.app,
        `insert into org_deals (id, org_id, created_by, created_by_name, status, amount) values (?, ?, ?, '', ?, ?)`,
        [id, of.orgId, of.email, status, amount],
      )
    await deal('1', owner, 'won', 10)
    await deal('2', owner, 'open', 20)
    await deal('3', eve, 'won', 30)
  })

  it('show the rows of all organizations that the rule opens, and count them', async () => {
    const page = await read(declare({ read: ['admin', allOf('everyone', rowIs({ status: 'won' }))] }, ['id', 'amount']))
    expect(page).toMatchObject({
      items: [
        { id: '1', amount: 10 },
        { id: '3', amount: 30 },
      ],
      totalItems: 2,
    })
  })

  it('show the fields that are opened one by one, each where its rule opens it', async () => {
    const fields = {
      status: { read: 'everyone' },
      amount: { read: allOf('everyone', rowIs({ status: 'won' })) },
    }
    expect((await read(declare({ read: 'member', fields }, ['id', 'status', 'amount']))).items).toEqual([
      { id: '1', status: 'won', amount: 10 },
      { id: '2', status: 'open', amount: null },
      { id: '3', status: 'won', amount: 30 },
    ])
  })

  it('stop the build for a field that is not for everyone, a kept total and a scope', () => {
    const fields = { status: { read: 'everyone' } }
    expect(() => declare({ read: 'member', fields }, ['id', 'amount'])).toThrow(
      "public: the policy of org_deals has no 'everyone' for reading amount",
    )
    expect(() => declare({ read: 'everyone', fields: { amount: { read: 'admin' } } }, ['id', 'amount'])).toThrow(
      'reading amount',
    )
    expect(() => declare({ read: 'everyone' }, ['id'], { keepTotal: true })).toThrow('keepTotal: a public collection')
    expect(() => declare({ read: 'everyone' }, ['id'], { scope: 'everybody' })).toThrow('leave scope out')
  })

  it('do not show rows of other organizations in collections for members', async () => {
    const deals = orgDealsTable()
    definePolicy(deals, { ...closed, read: 'everyone' })
    const found = await as(tom, () => test.app.db.orm.select().from(deals).where(accessibleTo(deals, tom)))
    expect(found.map(({ id }) => id)).toEqual(['1', '2'])
  })
})

describe('list of rows with a policy', () => {
  const rules = { read: 'member', update: 'member', delete: 'member' } as const
  const listOf = (create?: Rule) => {
    const deals = orgDealsTable()
    const can = create && definePolicy(deals, { ...rules, create }).can
    const collection = defineCollection({
      description: 'Deals.',
      shortName: 'Deal',
      item: outputOf(deals, { omit: ['orgId'], extend: can ? { can } : {} }),
      source: deals,
      scope: 'organization',
    })
    // A new memo leaves out the collections that the application serves already.
    const app: TestApp['app'] = { ...test.app, memo: (_name, make) => make() }
    return servedCollections(app, [{ name: 'deal-list', collection }]).get('deal-list')!
  }
  const selection = { mode: 'full', page: 1, offset: 0, limit: 1 } as const
  const read = (served: ReturnType<typeof listOf>, session: Session, app = test.app) =>
    as(session, () =>
      served.collection.reader.readPage(
        { app, session, signal: new AbortController().signal, requestId: 'r' },
        { filters: [], order: [], selection },
      ),
    )
  const mayCreate = async (create: Rule, sessions: readonly Session[]) =>
    Promise.all(sessions.map(async session => (await read(listOf(create), session)).can))

  it('contains once whether the caller’s role may create a row', async () => {
    const people = [owner, admin, manager, tom]
    const members = ['read', 'update', 'delete']
    const of = (...create: boolean[]) => create.map(each => ({ create: each, members }))
    expect(await mayCreate('member', people)).toEqual(
      people.map(() => ({ create: true, members: ['read', 'create', 'update', 'delete'] })),
    )
    expect(await mayCreate(['admin', appRole('manager')], people)).toEqual(of(true, true, true, false))
    expect(await mayCreate(orgRole('owner'), people)).toEqual(of(true, false, false, false))
    expect(await mayCreate(appRole('manager'), people)).toEqual(of(false, false, true, false))
    expect(await mayCreate([], people)).toEqual(of(false, false, false, false))
  })

  it.each([
    [{ ...rules, read: 'admin' }, ['create']],
    [{ ...rules, update: ['creator', 'admin'], delete: [] }, ['read', 'create']],
    [{ ...rules, read: 'everyone', update: allOf('member', rowIs({ status: 'open' })) }, ['read', 'create', 'delete']],
  ] as const)('says of %j what all members may do with all rows: %j', (policy, members) => {
    const deals = orgDealsTable()
    definePolicy(deals, { create: 'member', ...policy })
    expect(membersMay(deals)).toEqual(members)
  })

  it('changes its permission when a role is removed, although pages are cached', async () => {
    const served = listOf(appRole('manager'))
    const assign = (role: string | null) =>
      as(owner, () => assignAppRole(test.app, requireOrg(owner, 'assign-app-role'), { email: manager.email, role }))
    for (const _ of [1, 2, 3]) expect((await read(served, manager)).can).toMatchObject({ create: true })
    await assign(null)
    expect((await read(served, manager)).can).toMatchObject({ create: false })
    await assign('manager')
  })

  it('needs one further statement only when creating depends on a role', async () => {
    const statements = (create?: Rule) => {
      const served = listOf(create)
      return countStatements(test.app, app => read(served, tom, app))
    }
    expect(await Promise.all([statements(), statements('member'), statements('admin')])).toEqual([0, 0, 1])
    expect((await read(listOf(), tom)).can).toBeUndefined()
  })

  it('contains the permission in each format, as OpenAPI describes it', async () => {
    const [served, without] = [listOf('admin'), listOf()]
    const [page, plain] = [await read(served, tom), await read(without, tom)]
    const described = '"can":{"type":"object","properties":{"create":{"type":"boolean"},"members":{"type":"array",'
    for (const { writePage, describePage } of representations) {
      const body = JSON.parse(writePage(served, page, { self: '/deal-list' }))
      expect(body.can ?? body.meta.can).toEqual({ create: false, members: ['read', 'update', 'delete'] })
      expect(JSON.stringify(describePage(served, {}))).toContain(described)
      expect(writePage(without, plain, { self: '/deal-list' })).not.toContain('"can"')
      expect(JSON.stringify(describePage(without, {}))).not.toContain('"can"')
    }
    const written = representations[0]!.writePage(served, page, { self: '/deal-list' })
    expect(readCollectionPage(JSON.parse(written)).can).toMatchObject({
      create: false,
      members: ['read', 'update', 'delete'],
    })
  })
})

describe('team()', () => {
  const tasks = sqliteTable('tasks', {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    createdBy: creator('created_by'),
    createdByName: text('created_by_name').notNull(),
    teamId: teamColumn('team_id'),
    title: text('title'),
  })
  definePolicy(tasks, { read: 'member', create: ['admin', team()], update: ['admin', team()], delete: team() })
  let sales: string
  let support: string

  beforeAll(async () => {
    await query(
      test.app,
      `create table tasks (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null,
        team_id text_team, title text)`,
    )
    await query(test.app, 'delete from fw_team_members')
    const actor = requireOrg(owner, 'manage-teams')
    sales = (await addTeam(test.app, actor, 'Sales')).id
    support = (await addTeam(test.app, actor, 'Support')).id
    await setTeamMembers(test.app, actor, sales, { members: [manager.email] })
    await test.app.db.orm.insert(tasks).values([
      { id: 'sale', orgId: owner.orgId ?? '', createdByName: '', teamId: sales },
      { id: 'help', orgId: owner.orgId ?? '', createdByName: '', teamId: support },
      { id: 'free', orgId: owner.orgId ?? '', createdByName: '' },
    ])
  })

  const found = (session: Session, access: 'update' | 'delete', changes = {}) =>
    as(session, async () => {
      const rows = await test.app.db.orm
        .select({ id: tasks.id })
        .from(tasks)
        .where(accessibleTo(tasks, session, access, changes))
      return rows.map(({ id }) => id).toSorted()
    })

  it('lets the people of the team change its rows, and move them to teams of theirs', async () => {
    expect(await found(manager, 'update')).toEqual(['sale'])
    expect(await found(manager, 'update', { teamId: sales, title: 'Same team' })).toEqual(['sale'])
    expect(await found(manager, 'update', { teamId: support })).toEqual([])
    expect(await found(manager, 'update', { teamId: null })).toEqual([])
    expect(await found(admin, 'update', { teamId: support })).toEqual(['free', 'help', 'sale'])
    expect([await found(admin, 'delete'), await found(tom, 'update')]).toEqual([[], []])
    const denied = (id: string, changes: Record<string, unknown>) =>
      as(manager, () => accessDenied(test.app.db.orm, tasks, manager, { id, to: 'update', changes }))
    expect(await denied('sale', { teamId: support })).toMatchObject({ code: 'forbidden' })
    expect(await denied('help', {})).toMatchObject({
      code: 'forbidden',
      detail: 'Only owners and admins of the organization or people of its team can update this.',
      extra: { allowed: ['owner', 'admin', 'team'] },
    })
  })

  it('refuses to create a row for a team that one is not in', async () => {
    const creating = (session: Session, teamId?: string) =>
      as(session, () => refusalOf(requireCreate(test.app.db.orm, tasks, session, { teamId })))
    expect([await creating(manager, sales), await creating(manager, support), await creating(manager)]).toEqual([
      'done',
      'forbidden',
      'forbidden',
    ])
    expect([await creating(admin, support), await creating(tom, sales)]).toEqual(['done', 'forbidden'])
    const may = (session: Session) => as(session, () => mayCreateRow(test.app.db.orm, tasks, session))
    expect([await may(manager), await may(admin), await may(tom)]).toEqual([true, true, false])
  })

  it('finds rows of nobody once the team is deleted, which is asked about first', async () => {
    const actor = requireOrg(owner, 'manage-teams')
    const { id } = await addTeam(test.app, actor, 'Short')
    await query(test.app, `update tasks set team_id = ? where id = 'free'`, [id])
    await expect(deleteTeam(test.app, actor, { id, confirm: false })).rejects.toMatchObject({
      code: 'in-use',
      extra: { holders: { total: 0, rows: [{ table: 'tasks', rows: 1 }] } },
    })
    await deleteTeam(test.app, actor, { id, confirm: true })
    expect(await query(test.app, `select team_id from tasks where id = 'free'`)).toEqual([{ team_id: null }])
  })

  it('takes only teams of the organization in inputs with teamSchema', async () => {
    const input = z.object({ teamId: teamSchema.nullable() })
    const parsed = (teamId: string | null, session = manager) =>
      parseNamed(test.app, session, () => input.safeParse({ teamId }).success)
    expect(await Promise.all([parsed(sales), parsed(null), parsed('other'), parsed(sales, eve)])).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('definePolicy', () => {
  const rules = { read: 'member', create: 'member', update: 'member', delete: 'member' } as const
  it.each([
    [{ ...rules, update: 'manager' }, 'it has no column manager made by person()'],
    [{ ...rules, update: 'owner' }, "owners of the organization are orgRole('owner')"],
    [{ ...rules, update: 'status' }, 'it has no column status made by person()'],
    [{ ...rules, update: rowIs({ stage: 'open' }) }, 'it has no column stage'],
    [{ ...rules, update: team() }, 'it has no column teamId made by teamColumn(); there are: none'],
    [{ ...rules, read: shared('viewer') }, 'shared() needs ownableColumns()'],
    [{ ...rules, create: 'creator' }, 'create: there is no row yet'],
    [{ ...rules, update: 'everyone' }, "'everyone' is for reading"],
    [
      { ...rules, read: via(clients, 'agent') },
      'via(clients): no single column refers to it; declare it with references()',
    ],
    [{ ...rules, fields: { createdByName: { read: 'admin' } } }, 'fields.createdByName.read: others see null'],
  ] as const)('throws at load for %j', (policy, message) => {
    expect(() => definePolicy(orgDealsTable(), policy)).toThrow(message)
  })
})
