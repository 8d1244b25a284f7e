import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { and, eq } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { accessibleTo, callerPlaceholders, defineCollection, defineFwConfig, outputOf } from '#fw'
import { createApp } from '#fairway/server/compose'
import { definePolicy, organizationColumns, person } from '#fairway/server/fw-tables'
import { withRun } from '#fairway/server/kernel/current-run'
import type { Session } from '#fairway/shared/schemas/session'
import { settings } from './bed'

const ROWS = 10_000

const companies = sqliteTable('companies', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  name: text('name').notNull(),
})
definePolicy(companies, { read: 'member', create: 'member', update: 'member', delete: 'member' })
const contacts = sqliteTable('contacts', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  name: text('name').notNull(),
})
definePolicy(contacts, { read: 'member', create: 'member', update: 'member', delete: 'member' })

const dealsTable = () =>
  sqliteTable(
    'deals',
    {
      id: text('id').primaryKey(),
      ...organizationColumns(),
      assignee: person('assignee'),
      title: text('title').notNull(),
      amount: integer('amount'),
      companyId: text('company_id').notNull(),
      contactId: text('contact_id').notNull(),
      updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
    },
    table => [
      index('deals_org').on(table.orgId, table.updatedAt),
      uniqueIndex('deals_org_id').on(table.orgId, table.id),
    ],
  )
const plain = dealsTable()
const ruled = dealsTable()
const { can } = definePolicy(ruled, {
  read: 'member',
  create: 'member',
  update: ['creator', 'assignee', 'admin'],
  delete: ['creator', 'admin'],
})
const base = {
  description: 'Deals.',
  scope: 'organization',
  paginationPartial: true,
  defaultOrder: [{ field: 'updatedAt', direction: 'DESC' }],
} as const
const reads = { companyTitle: z.string().nullable(), contactTitle: z.string().nullable() }
const joined = {
  columns: { companyTitle: companies.name, contactTitle: contacts.name },
  joins: [
    {
      table: companies,
      on: and(eq(companies.id, ruled.companyId), accessibleTo(companies, callerPlaceholders)),
      kind: 'one',
    },
    {
      table: contacts,
      on: and(eq(contacts.id, ruled.contactId), accessibleTo(contacts, callerPlaceholders)),
      kind: 'one',
    },
  ],
} as const
const collections = {
  plain: defineCollection({ ...base, item: outputOf(plain), source: plain }),
  policy: defineCollection({ ...base, item: outputOf(ruled, { extend: { can } }), source: ruled }),
  references: defineCollection({
    ...base,
    item: outputOf(ruled, { extend: reads }),
    source: { root: ruled, columns: joined.columns, joins: [...joined.joins] },
  }),
  both: defineCollection({
    ...base,
    item: outputOf(ruled, { extend: { ...reads, can } }),
    source: { root: ruled, columns: joined.columns, joins: [...joined.joins] },
  }),
}

const session = {
  userId: 'user-1',
  email: 'ada@example.test',
  orgId: 'org-1',
  orgRole: 'member',
} as Session

/** Pages of 30 out of 10,000 deals, read from the database each time. */
export async function openPolicyBed() {
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-bench-policies-'))
  const app = await createApp({
    env: { ...settings(dataDir), FW_SHORTCUTS: 'off' },
    fwConfig: defineFwConfig(),
  })
  const tables = readFileSync('layers/fairway/drizzle/0000_initial.sql', 'utf8').split('--> statement-breakpoint')
  await app.db.client.executeMultiple(tables.filter(sql => /`(org_members|app_member_roles)`/.test(sql)).join(''))
  const columns = 'id text primary key, org_id text not null, created_by text_creator, created_by_name text not null'
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})`
  const of = (name: string) =>
    `insert into ${name} ${numbers} select '${name}-' || i, 'org-1', 'ada@example.test', 'Ada', 'Name ' || i from n`
  await app.db.client.batch(
    [
      `create table companies (${columns}, name text not null)`,
      `create table contacts (${columns}, name text not null)`,
      `create table deals (${columns}, assignee text_person, title text not null, amount integer, company_id text not null,
        contact_id text not null, updated_at integer not null)`,
      of('companies'),
      of('contacts'),
      `insert into deals ${numbers} select 'deal-' || i, 'org-1', 'ben@example.test', 'Ben', 'ada@example.test', 'Deal ' || i, i,
        'companies-' || i, 'contacts-' || i, i from n`,
      'create index deals_org on deals (org_id, updated_at)',
    ],
    'write',
  )
  const query = { filters: [], order: [], selection: { mode: 'partial', page: 1, offset: 0, limit: 30 } } as const
  const context = { app, session, signal: new AbortController().signal, requestId: 'bench' }
  const page = (name: keyof typeof collections) => async () => {
    const { items } = await withRun({ app, session }, () => collections[name].reader.readPage(context, query))
    if (items.length !== 30) throw new Error(`${name}: ${items.length} rows`)
    return JSON.stringify(items)
  }
  return {
    pages: { plain: page('plain'), policy: page('policy'), references: page('references'), both: page('both') },
    async close() {
      await app.db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
