import { eq, getTableColumns, sql } from 'drizzle-orm'
import { alias, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { appRole, definePolicy, foldedText } from 'nuxt-fairway/tables'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction, defineAppRoles, defineCollection } from '#fw'
import { runAction } from '#fairway/server/domains/actions'
import { listActivity } from '#fairway/server/domains/actions/audit/activity'
import { listAuditLog } from '#fairway/server/domains/actions/audit/audit-log'
import { subjectsOf } from '#fairway/server/domains/actions/audit/audit-subject'
import { listActions } from '#fairway/server/domains/collections'
import { makePersonalToken } from '#fairway/server/domains/oauth-server'
import { assignAppRole, requireOrg } from '#fairway/server/domains/organizations'
import { exportAccount } from '#fairway/server/domains/sign-in'
import { withRun } from '#fairway/server/kernel/current-run'
import { creator } from '#fairway/server/kernel/owned-rows'
import type { Session } from '#fairway/shared/schemas/session'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { query } from '../../../support/query'
import { serveCollections } from './serve'

const deals = sqliteTable('ruled_deals', {
  id: text('id').primaryKey(),
  orgId: text('org_id').notNull(),
  createdBy: creator('created_by'),
  ownerEmail: text('owner_email').notNull(),
  companyId: text('company_id').notNull(),
  secret: text('secret'),
  secretFolded: foldedText('secret'),
  amount: integer('amount'),
  closedAt: integer('closed_at', { mode: 'timestamp_ms' }),
})
const manager = { read: appRole('manager') }
definePolicy(deals, {
  read: 'member',
  create: 'member',
  update: 'member',
  delete: 'member',
  fields: { secret: manager, amount: manager, closedAt: manager },
})
const companies = sqliteTable('ruled_companies', {
  id: text('id').primaryKey(),
  orgId: text('org_id').notNull(),
  name: text('name').notNull(),
  dealId: text('deal_id'),
})
const best = alias(deals, 'best')

const deal = z.object({
  id: z.string(),
  secret: z.string().nullable(),
  amount: z.number().nullable(),
  closedAt: z.string().nullable(),
})
const company = z.object({
  id: z.string(),
  name: z.string(),
  best: deal.nullable(),
  bestSecret: z.string().nullable(),
  size: z.string().nullable(),
})
const { secret, amount } = getTableColumns(best)
const ofCompanies = {
  description: 'Companies.',
  item: company,
  source: {
    root: companies,
    columns: { bestSecret: secret, size: sql`case when ${amount} > 5 then 'large' end` },
    joins: [{ table: best, on: eq(best.id, companies.dealId), as: 'best', kind: 'one' as const }],
  },
  filters: { bestSecret: ['exact', 'search', 'range'], size: 'exact' },
  order: ['bestSecret'],
} as const

const collections = {
  deals: defineCollection({
    description: 'Deals.',
    item: deal,
    source: deals,
    filters: { secret: ['exact', 'search', 'range'], amount: 'range', closedAt: 'range' },
    order: ['secret', 'amount'],
  }),
  companies: defineCollection(ofCompanies),
  everything: defineCollection({ ...ofCompanies, scope: 'everybody' }),
  chosen: defineCollection({ ...ofCompanies, scope: ({ orgId }) => eq(companies.orgId, orgId ?? '') }),
  lists: defineCollection({
    description: 'Companies with their deals.',
    item: z.object({ id: z.string(), deals: z.array(deal) }),
    source: { root: companies, joins: [{ table: deals, on: eq(deals.companyId, companies.id), as: 'deals' }] },
  }),
  sums: defineCollection({
    description: 'Sums.',
    item: z.object({ id: z.string(), sum: z.number().nullable() }),
    source: {
      root: companies,
      columns: { sum: sql`sum(${deals.amount})` },
      joins: [{ table: deals, on: eq(deals.companyId, companies.id) }],
      groupBy: [companies.id],
    },
    filters: { sum: 'range' },
  }),
}

const touch = defineAction({
  description: 'Touches a deal.',
  input: z.object({ id: z.string() }),
  audit: { keep: ['id'], subject: { table: deals, title: deals.secret, id: 'id' } },
  run: () => null,
})
const catalog = [{ name: 'touch', group: 'deals', action: touch as never }]

let site: Awaited<ReturnType<typeof serveCollections>>
let people: Record<'manager' | 'member', Session>
const tokens = new Map<string, string>()

beforeAll(async () => {
  site = await serveCollections(collections, {
    appRoles: defineAppRoles({ appId: 'crm', roles: ['manager', 'agent'] }),
  })
  const { app } = site
  await app.db.client.batch([
    `create table ruled_deals (id text primary key, org_id text not null, created_by text_creator, owner_email text not null,
      company_id text not null, secret text, secret_folded text_folded, amount integer, closed_at integer)`,
    'create table ruled_companies (id text primary key, org_id text not null, name text not null, deal_id text)',
  ])
  const owner = await aMember(app)
  const member = await aMember(app)
  await addTo(app, owner, member, 'member')
  await query(app, `insert into user_settings values (?, 'active-org-id', ?)`, [member.userId, owner.orgId])
  await withRun({ app, session: owner }, () =>
    assignAppRole(app, requireOrg(owner, 'assign-app-role'), { email: owner.email, role: 'manager' }),
  )
  people = { manager: await sessionNow(app, owner), member: await sessionNow(app, member) }
  for (const [id, secret, amount] of [
    ['d1', 'Zebra', 3],
    ['d2', 'Apple', 9],
  ] as const) {
    await query(app, `insert into ruled_deals values (?, ?, ?, ?, 'c1', ?, ?, ?, 86400000)`, [
      id,
      owner.orgId,
      owner.email,
      member.email,
      secret,
      secret.toLowerCase(),
      amount,
    ])
    await query(app, `insert into ruled_companies values (?, ?, 'Company', ?)`, [`c${id[1]}`, owner.orgId, id])
  }
  for (const [who, session] of Object.entries(people)) {
    const input = { name: 'Test', scopes: ['mcp:read' as const], expiresInDays: 7 as const }
    tokens.set(who, (await makePersonalToken(app, { ...session, id: null }, input)).token)
  }
})
afterAll(() => site.stop())

const get = (who: string, path: string) => site.get(path, { authorization: `Bearer ${tokens.get(who)}` })
async function items(who: string, path: string): Promise<Record<string, unknown>[]> {
  const answer = await get(who, path)
  expect(answer.status).toBe(200)
  return (await answer.json()).member
}
const ids = async (who: string, path: string) => (await items(who, path)).map(({ id }) => id)
const ofDeal = (id: string, secret: string | null, amount: number | null) => ({
  id,
  secret,
  amount,
  closedAt: secret === null ? null : '1970-01-02T00:00:00.000Z',
})

const shown = [ofDeal('d1', 'Zebra', 3), ofDeal('d2', 'Apple', 9)]
const hidden = [ofDeal('d1', null, null), ofDeal('d2', null, null)]

describe.each([
  ['manager', shown],
  ['member', hidden],
] as const)('for a %s, a field with a rule is as their role says', (who, expected) => {
  const sees = who === 'manager'

  it('in a list, an item and an export', async () => {
    expect(await items(who, '/deals')).toMatchObject(expected)
    expect(await (await get(who, '/deals/d1')).json()).toMatchObject(expected[0]!)
    const csv = await (await get(who, '/deals/export/csv')).text()
    expect(csv.includes('Zebra')).toBe(sees)
  })

  it.each(['companies', 'everything', 'chosen'])('in joined objects and expressions of %s', async name => {
    const [first, second] = await items(who, `/${name}`)
    expect(first).toMatchObject({ best: expected[0], bestSecret: sees ? 'Zebra' : null, size: null })
    expect(second).toMatchObject({ best: expected[1], bestSecret: sees ? 'Apple' : null, size: sees ? 'large' : null })
    const csv = await (await get(who, `/${name}/export/csv`)).text()
    expect(csv.includes('Zebra') || csv.includes('large')).toBe(sees)
  })

  it('in joined lists and sums', async () => {
    expect(await items(who, '/lists')).toMatchObject([{ deals: expected }, { deals: [] }])
    expect(await (await get(who, '/lists/c1')).json()).toMatchObject({ deals: expected })
    expect((await (await get(who, '/lists/export/jsonl')).text()).includes('Zebra')).toBe(sees)
    expect(await items(who, '/sums')).toMatchObject([{ sum: sees ? 12 : null }, { sum: null }])
  })

  it('in the tool of hosts', async () => {
    const { app } = site
    const entries = Object.entries(collections).map(([name, collection]) => ({ name, collection: collection as never }))
    const run = (name: string) => {
      const entry = listActions(entries, []).find(each => each.name === `list-${name}`)!
      const call = { ...entry, input: {}, session: people[who], caller: 'mcp' as const, requestId: 'r' }
      return withRun({ app, session: people[who] }, () => runAction(app, call))
    }
    expect(await run('companies')).toMatchObject({ items: [{ best: expected[0] }, { best: expected[1] }] })
    expect(await run('lists')).toMatchObject({ items: [{ deals: expected }, {}] })
  })

  it.each([
    '/deals?secret=Zebra',
    '/deals?secret[search]=zeb',
    '/deals?secret[gt]=B',
    '/deals?amount[lt]=5',
    '/deals?closedAt[gt]=1970-01-01',
    '/companies?bestSecret=Zebra',
    '/companies?bestSecret[search]=zeb',
    '/companies?bestSecret[gt]=B',
    '/everything?size=large',
    '/sums?sum[gt]=1',
  ])('and %s finds no row by it otherwise', async path => {
    expect((await ids(who, path)).length > 0).toBe(sees)
  })

  it('and orders do not reveal it', async () => {
    expect(await ids(who, '/deals?order[secret]=asc')).toEqual(sees ? ['d2', 'd1'] : ['d1', 'd2'])
    expect(await ids(who, '/deals?order[amount]=desc')).toEqual(sees ? ['d2', 'd1'] : ['d1', 'd2'])
    expect(await ids(who, '/companies?order[bestSecret]=asc')).toEqual(sees ? ['c2', 'c1'] : ['c1', 'c2'])
  })

  it('in the titles of activity and audit log, which keep none', async () => {
    const { app } = site
    const session = people[who]
    const call = { name: 'touch', action: touch as never, input: { id: 'd1' }, session, caller: 'http' as const }
    await withRun({ app, session }, () => runAction(app, { ...call, requestId: 'r' }))
    expect(await query(app, 'select distinct subject_title from audit_log where subject_id is not null')).toEqual([
      { subject_title: null },
    ])
    // As the log has it from before the rule.
    await query(app, `update audit_log set subject_title = 'Zebra' where subject_id = 'd1'`)
    const titles = await withRun({ app, session }, async () => {
      const { entries } = await listActivity(app, session, catalog, { itemsPerPage: 10 })
      return entries.flatMap(({ subject }) => (subject ? [subject.title] : []))
    })
    await query(app, 'update audit_log set subject_title = null')
    expect(new Set(titles)).toEqual(new Set([sees ? 'Zebra' : null]))
    if (!sees) return
    const log = await withRun({ app, session }, () =>
      listAuditLog(app, requireOrg(session, 'read-audit-log'), { page: 1, itemsPerPage: 10 }, subjectsOf(catalog)),
    )
    expect(log.entries.find(({ subject }) => subject)?.subject?.title).toBe('Zebra')
  })
})

it('a person’s own rows in their account export hide it, unless their role in the organization shows it', async () => {
  const { app } = site
  const exported = async (session: Session) => {
    const { text } = await withRun({ app, session }, () => exportAccount(app, session))
    const { rows } = JSON.parse((await Array.fromAsync(text)).join(''))
    return rows.ruled_deals.map(({ id, secret, amount }: Record<string, unknown>) => ({ id, secret, amount }))
  }
  expect(await exported(people.member)).toEqual([
    { id: 'd1', secret: null, amount: null },
    { id: 'd2', secret: null, amount: null },
  ])
  await query(site.app, 'update ruled_deals set owner_email = ?', [people.manager.email])
  expect(await exported(people.manager)).toEqual([
    { id: 'd1', secret: 'Zebra', amount: 3 },
    { id: 'd2', secret: 'Apple', amount: 9 },
  ])
})

it('a public collection cannot read such a field', () => {
  expect(() => defineCollection({ ...ofCompanies, public: true, scope: 'everybody' })).toThrow(
    /public: the policy of \w+ has no 'everyone' for reading/,
  )
})
