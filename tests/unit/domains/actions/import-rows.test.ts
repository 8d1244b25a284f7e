import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import {
  appRole,
  definePolicy,
  moneySchema,
  organizationColumns,
  person,
  personSchema,
  teamColumn,
  teamSchema,
  references,
} from 'nuxt-fairway/tables'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction, defineAppRoles, importInput, importOutput, importRows, inOrganization, newId } from '#fw'
import { runAction } from '#fairway/server/domains/actions'
import { assignAppRole, requireOrg } from '#fairway/server/domains/organizations'
import { withRun } from '#fairway/server/kernel/current-run'
import { listWritesAfter } from '#fairway/server/domains/actions/audit/follow-audit'
import { raiseSql } from '#fairway/server/kernel/database/refusals'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'

const companies = sqliteTable(
  'companies',
  { id: text('id').primaryKey(), ...organizationColumns(), name: text('name').notNull() },
  table => [uniqueIndex('companies_org_id').on(table.orgId, table.id)],
)
const deals = sqliteTable(
  'deals',
  {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    title: text('title').notNull(),
    amount: integer('amount'),
    stage: text('stage', { enum: ['open', 'won'] })
      .notNull()
      .default('open'),
    companyId: text('company_id'),
    assignee: person('assignee'),
    teamId: teamColumn('team_id'),
  },
  table => [
    index('deals_company').on(table.orgId, table.companyId),
    references({ orgId: table.orgId, id: table.companyId }, companies),
  ],
)
definePolicy(deals, {
  read: 'member',
  create: 'member',
  update: 'member',
  delete: 'member',
  fields: { amount: { write: [appRole('manager')] } },
})

const importDeals = defineAction({
  description: 'Creates many deals.',
  input: importInput,
  output: importOutput,
  audit: { subject: { table: deals, title: deals.title, id: 'ids' } },
  run: ({ rows, dryRun }, context) =>
    importRows(deals, context, {
      rows,
      dryRun,
      input: z.object({
        title: z.string().trim().min(1).max(20),
        amount: moneySchema('EUR').nullable().optional(),
        stage: z.enum(['open', 'won']).optional(),
        companyId: z.string().max(64).nullable().optional(),
        assignee: personSchema.nullable().optional(),
        teamId: teamSchema.nullable().optional(),
      }),
      refs: { companyId: { table: companies, title: companies.name } },
      values: input => ({ ...input, id: newId(), ...inOrganization(context.session) }),
    }),
})

const test = useTestApp({}, { appRoles: defineAppRoles({ appId: 'crm', roles: ['manager'] }) })
let ada: Session
let eve: Session
beforeEach(async () => {
  const columns = `id text primary key, org_id text not null, created_by text_creator, created_by_name text not null`
  await query(test.app, `create table companies (${columns}, name text not null, unique (org_id, id))`)
  await query(
    test.app,
    `create table deals (${columns}, title text not null check (title <> 'refused'), amount integer,
      stage text not null default 'open', company_id text, assignee text_person, team_id text_team, unique (org_id, title),
      foreign key (org_id, company_id) references companies (org_id, id))`,
  )
  ada = await aMember(test.app)
  eve = await aMember(test.app)
  for (const [id = '', orgId = null, name = ''] of [
    ['acme', ada.orgId, 'Acme'],
    ['twice-1', ada.orgId, 'Twice'],
    ['twice-2', ada.orgId, 'Twice'],
    ['other', eve.orgId, 'Other'],
  ])
    await query(test.app, `insert into companies values (?, ?, null, 'x', ?)`, [id, orgId, name])
})

const run = (rows: Record<string, unknown>[], { dryRun = false, session = ada } = {}) =>
  runAction(test.app, {
    name: 'import-deals',
    action: importDeals,
    input: { rows, dryRun },
    session,
    caller: 'http',
    requestId: 'r',
  })
const faultsOf = (rows: Record<string, unknown>[], options = {}) =>
  run(rows, options).then(
    () => [],
    error => error.errors.map((fault: { path: string; code: string }) => `${fault.path} ${fault.code}`),
  )
const stored = () => query(test.app, 'select title, stage, company_id, assignee from deals order by title')

describe('importRows', () => {
  it('converts texts to their types, omits blank values, and finds referenced rows by title or id', async () => {
    const rows = [
      { title: ' First ', stage: '', companyId: 'Acme', assignee: ada.email.toUpperCase(), amount: '' },
      { title: 'Second', stage: 'won', companyId: 'acme' },
    ]
    expect(await run(rows)).toMatchObject({ rows: 2, ids: [expect.any(String), expect.any(String)] })
    expect(await stored()).toEqual([
      { title: 'First', stage: 'open', company_id: 'acme', assignee: ada.email },
      { title: 'Second', stage: 'won', company_id: 'acme', assignee: null },
    ])
  })

  it('finds a team by its name or id, and refuses those of another organization', async () => {
    for (const [id = '', orgId, name = ''] of [
      ['north', ada.orgId, 'North'],
      ['theirs', eve.orgId, 'South'],
    ])
      await query(
        test.app,
        `insert into fw_teams (id, org_id, name, name_key, created_by, created_at) values (?, ?, ?, lower(?), 'x', 0)`,
        [id, orgId ?? '', name, name],
      )
    const rows = ['NORTH', 'north', 'South', 'theirs'].map(teamId => ({ title: teamId, teamId }))
    expect(await faultsOf(rows)).toEqual(['rows.2.teamId no-team', 'rows.3.teamId no-team'])
    await run(rows.slice(0, 2))
    expect(await query(test.app, 'select team_id from deals')).toEqual([{ team_id: 'north' }, { team_id: 'north' }])
  })

  it('reads money as decimal text, or in the smallest unit as a JSON number', async () => {
    await withRun({ app: test.app, session: ada }, () =>
      assignAppRole(test.app, requireOrg(ada, 'assign-app-role'), { email: ada.email, role: 'manager' }),
    )
    const manager = await sessionNow(test.app, ada)
    const rows = [
      { title: 'Text', amount: '12.50' },
      { title: 'Whole', amount: '-3' },
      { title: 'JSON', amount: 1250 },
      { title: 'Inexact', amount: '8.2' },
    ]
    await run(rows, { session: manager })
    expect(await query(test.app, 'select amount from deals order by rowid')).toEqual(
      [1250, -300, 1250, 820].map(amount => ({ amount })),
    )
    expect(await faultsOf([{ title: 'Parts of a cent', amount: '12.345' }])).toEqual([
      'rows.0.amount not-a-whole-number',
    ])
  })

  it('imports no rows when one is invalid, and names the row and field of each fault', async () => {
    const rows = [
      { title: 'Good' },
      { title: '', stage: 'lost' },
      { title: 'Other organization', companyId: 'Other' },
      { title: 'By its id', companyId: 'other' },
      { title: 'Two of this name', companyId: 'Twice' },
      { title: 'Nobody', assignee: eve.email },
      { title: 'A number', amount: 'many' },
      { title: 'Longer than any id', companyId: 'A company '.repeat(8), assignee: 'Ada' },
    ]
    expect((await faultsOf(rows)).toSorted()).toEqual(
      [
        'rows.1.title required',
        'rows.1.stage not-an-option',
        'rows.2.companyId no-such-row',
        'rows.3.companyId no-such-row',
        'rows.4.companyId several-rows',
        'rows.5.assignee no-member',
        'rows.6.amount not-a-number',
        'rows.7.assignee not-an-email',
        'rows.7.companyId no-such-row',
      ].toSorted(),
    )
    expect(await stored()).toEqual([])
  })

  it('imports no rows when the database rejects one, and names the rejected row', async () => {
    const rows = Array.from({ length: 250 }, (_, number) => ({ title: `Deal ${number}` }))
    rows[120] = { title: 'refused' }
    rows[240] = { title: 'Deal 1' }
    expect(await faultsOf(rows)).toEqual(['rows.120 not-accepted', 'rows.240 already-there'])
    expect(await stored()).toEqual([])
  })

  it('imports no rows beyond the plan limit, and returns plan-limit', async () => {
    const refused = raiseSql('plan-limit', { limit: 'deals', max: 1 })
    await query(
      test.app,
      `create trigger full after insert on deals begin ${refused} where (select count(*) from deals) > 1; end`,
    )
    const error = await run([{ title: 'First' }, { title: 'Second' }]).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'plan-limit', extra: { limit: 'deals', max: 1 } })
    expect(await stored()).toEqual([])
  })

  it('validates rows without writing them in a dry run', async () => {
    expect(await run([{ title: 'First' }], { dryRun: true })).toEqual({ rows: 1, ids: [] })
    expect(await faultsOf([{ title: 'refused' }], { dryRun: true })).toEqual(['rows.0 not-accepted'])
    expect(await stored()).toEqual([])
    expect(await query(test.app, `select 1 from audit_log where outcome = 'ok'`)).toEqual([])
  })

  it('returns the kinds of the fields in a dry run without rows, and refuses such an import', async () => {
    expect(await run([], { dryRun: true })).toEqual({ rows: 0, ids: [], fields: { amount: 'number' } })
    expect(await faultsOf([])).toEqual(['rows too-few'])
  })

  it('applies the policy of the table', async () => {
    await expect(run([{ title: 'First', amount: 3 }])).rejects.toMatchObject({ code: 'forbidden' })
    expect(await stored()).toEqual([])
  })

  it('accepts at most 5,000 rows', async () => {
    const rows = Array.from({ length: 5001 }, (_, number) => ({ title: `Deal ${number}` }))
    expect(await faultsOf(rows)).toEqual(['rows too-many'])
    expect(await run(rows.slice(1))).toMatchObject({ rows: 5000 })
  })
})

it('importRows writes an audit row with title per imported row, and logs the input by its size', async () => {
  const member = await aMember(test.app)
  await addTo(test.app, ada, member, 'member')
  await run(Array.from({ length: 1200 }, (_, number) => ({ title: `Deal ${number}` })))
  const rows = await query(test.app, 'select subject_title, input from audit_log order by rowid')
  expect(rows).toHaveLength(1200)
  expect(rows[7]).toEqual({ subject_title: 'Deal 7', input: JSON.stringify({ rows: '[1200 items]', dryRun: false }) })
  const { writes } = (await listWritesAfter(test.app, undefined, 5000))!
  expect(new Set(writes.map(({ subjectId }) => subjectId)).size).toBe(1200)
  expect((await sessionNow(test.app, member)).orgId).not.toBeNull()
})
