import { and, eq } from 'drizzle-orm'
import { index, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { organizationColumns, references } from 'nuxt-fairway/tables'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { accessibleTo, defineAction, inOrganization, newId } from '#fw'
import { type Action, runAction } from '#fairway/server/domains/actions'
import type { Session } from '#fairway/shared/schemas/session'
import { shareTestApp } from '../../../support/use-app'
import { aMember } from '../../../support/members'
import { query } from '../../../support/query'

const companies = sqliteTable(
  'companies',
  { id: text('id').primaryKey(), ...organizationColumns(), name: text('name').notNull() },
  table => [uniqueIndex('companies_org_id').on(table.orgId, table.id)],
)
const contacts = sqliteTable(
  'contacts',
  { id: text('id').primaryKey(), ...organizationColumns(), companyId: text('company_id') },
  table => [
    index('contacts_company').on(table.orgId, table.companyId),
    references({ orgId: table.orgId, id: table.companyId }, companies),
  ],
)
const remarks = sqliteTable(
  'remarks',
  { id: text('id').primaryKey(), ...organizationColumns(), companyId: text('company_id') },
  table => [references({ orgId: table.orgId, id: table.companyId }, companies, 'clear')],
)
const id = z.string()
const actions = {
  'create-company': defineAction({
    description: 'Creates a company.',
    input: z.object({}),
    run: async (_input, { db, session }) => {
      const made = newId()
      await db.insert(companies).values({ id: made, ...inOrganization(session), name: 'Acme' })
      return made
    },
  }),
  'create-contact': defineAction({
    description: 'Creates a contact.',
    input: z.object({ companyId: id.nullable() }),
    run: async ({ companyId }, { db, session }) => {
      const made = newId()
      await db.insert(contacts).values({ id: made, ...inOrganization(session), companyId })
      return made
    },
  }),
  'delete-company': defineAction({
    description: 'Deletes a company.',
    destructive: true,
    input: z.object({ id }),
    audit: { subject: { table: companies, title: companies.name } },
    run: async ({ id: wanted }, { db, session }) => {
      await db.delete(companies).where(and(eq(companies.id, wanted), accessibleTo(companies, session)))
      return wanted
    },
  }),
}

const test = shareTestApp()
let ada: Session
let eve: Session
const run = (name: keyof typeof actions, input: object, session: Session, caller: 'http' | 'mcp' = 'http') =>
  runAction(test.app, {
    name,
    action: actions[name] as unknown as Action,
    input,
    session,
    caller,
    requestId: 'r',
  }) as Promise<string>

beforeAll(async () => {
  const [before, after] = [
    await generateSQLiteDrizzleJson({}),
    await generateSQLiteDrizzleJson({ companies, contacts, remarks }),
  ]
  for (const statement of await generateSQLiteMigration(before, after)) await query(test.app, statement)
  ;[ada, eve] = [await aMember(test.app), await aMember(test.app)]
})

it('references accept a row of the same organization and reject a missing row', async () => {
  const company = await run('create-company', {}, ada)
  await run('create-contact', { companyId: company }, ada)
  await run('create-contact', { companyId: null }, ada)
  await expect(run('create-contact', { companyId: 'nothing' }, ada)).rejects.toMatchObject({
    code: 'reference-not-found',
    status: 400,
  })
})

it('references reject rows of other organizations from actions, tools and SQL', async () => {
  const company = await run('create-company', {}, ada)
  for (const caller of ['http', 'mcp'] as const)
    await expect(run('create-contact', { companyId: company }, eve, caller)).rejects.toMatchObject({
      code: 'reference-not-found',
    })
  const insert = `insert into contacts (id, org_id, created_by_name, company_id) values ('raw', ?, 'Eve', ?)`
  await expect(query(test.app, insert, [eve.orgId, company])).rejects.toThrow('FOREIGN KEY')
})

it('deleting a referenced row returns 409 with the number of references', async () => {
  const company = await run('create-company', {}, ada)
  await run('create-contact', { companyId: company }, ada)
  await run('create-contact', { companyId: company }, ada)
  await expect(run('delete-company', { id: company }, ada)).rejects.toMatchObject({
    code: 'still-referred',
    status: 409,
    detail: '2 in contacts.',
    extra: { references: [{ table: 'contacts', rows: 2 }] },
  })
  expect(await query(test.app, 'select 1 from companies where id = ?', [company])).toHaveLength(1)
})

it('a clearing reference becomes null on deletion, never blocks it, and rejects rows of other organizations', async () => {
  const company = await run('create-company', {}, ada)
  const insert = 'insert into remarks (id, org_id, created_by_name, company_id) values (?, ?, ?, ?)'
  await query(test.app, insert, ['mine', ada.orgId, 'Ada', company])
  await expect(query(test.app, insert, ['raw', eve.orgId, 'Eve', company])).rejects.toThrow('FOREIGN KEY')
  await run('create-contact', { companyId: company }, ada)
  await expect(run('delete-company', { id: company }, ada)).rejects.toMatchObject({
    extra: { references: [{ table: 'contacts', rows: 1 }] },
  })
  await query(test.app, 'delete from contacts where company_id = ?', [company])
  await run('delete-company', { id: company }, ada)
  expect(await query(test.app, 'select org_id, company_id from remarks')).toEqual([
    { org_id: ada.orgId, company_id: null },
  ])
})
