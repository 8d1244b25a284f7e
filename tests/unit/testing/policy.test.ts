// What the test kit says about a policy: of rows that are stored, and of people who may create some.
import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { appRole, definePolicy, organizationColumns, permission, team, teamColumn } from 'nuxt-fairway/tables'
import { testApp } from 'nuxt-fairway/vitest'
import { expect, it } from 'vitest'
import { AppError } from '#fw'

const loans = sqliteTable('loans', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  days: integer('days').notNull(),
})
definePolicy(loans, { read: 'member', create: appRole('curator'), update: 'creator', delete: [] })

const fines = sqliteTable('fines', { id: text('id').primaryKey(), ...organizationColumns() })
definePolicy(fines, { read: 'member', create: 'member', update: [], delete: permission('notes:purge') })

const app = await testApp()
const maria = await app.person({ name: 'Maria', organization: 'Acme', creates: [loans] })
const tom = await app.person({ name: 'Tom', organization: 'Acme' })
const eve = await app.person({ name: 'Eve', organization: 'Other' })
await app.db.run(
  sql`create table loans (id text primary key, org_id text, created_by text, created_by_name text, days integer)`,
)
await app.db
  .insert(loans)
  .values({ id: 'l', orgId: maria.orgId ?? '', createdBy: maria.email, createdByName: 'Maria', days: 3 })

const succeeds = async () => undefined
const isRefused = () => Promise.reject(new AppError('forbidden'))
const isMissing = () => Promise.reject(new AppError('not-found'))

it('gives a person the first role of the application that may create the rows', async () => {
  const mine = await (await app.as(maria).fetch('/_fw/org/app-roles')).json()
  expect(mine).toMatchObject({ mine: 'curator' })
  await app.expectPolicy(loans).toBe({ curator: ['read', 'create'], creator: ['read', 'update'], outsider: [] })
})

it('knows people of the team of a row', async () => {
  const tasks = sqliteTable('tasks', {
    id: text('id').primaryKey(),
    ...organizationColumns(),
    teamId: teamColumn('team_id'),
  })
  definePolicy(tasks, { read: 'member', create: team(), update: team(), delete: 'admin' })
  await app
    .expectPolicy(tasks)
    .toBe({ team: ['read', 'create', 'update'], member: ['read'], admin: ['read', 'delete'] })
})

it('makes people who hold a permission, and evaluates a policy for them', async () => {
  await app.expectPolicy(fines).toBe({
    'notes:purge': ['read', 'create', 'delete'],
    curator: ['read', 'create', 'delete'],
    reader: ['read', 'create'],
    admin: ['read', 'create', 'delete'],
  })
  const archives = sqliteTable('archives', { id: text('id').primaryKey(), ...organizationColumns() })
  definePolicy(archives, { read: 'member', create: permission('notes:purge'), update: [], delete: [] })
  const keeper = await app.person({ organization: 'Acme', creates: [archives] })
  expect(await (await app.as(keeper).fetch('/_fw/org/permissions')).json()).toEqual({
    permissions: ['notes:purge'],
    forTeams: ['notes:purge'],
  })
})

it('compares the outcome of calls with the policy of a stored row', async () => {
  const { toDecide } = app.expectPolicy(loans)
  expect(await toDecide(maria, 'l', { read: succeeds, update: succeeds, delete: isRefused })).toEqual([
    'read',
    'update',
  ])
  expect(await toDecide(tom, 'l', { read: succeeds, update: isRefused })).toEqual(['read'])
  expect(await toDecide(eve, 'l', { read: isMissing, update: isMissing })).toEqual([])
})

it('fails when an action does more or less than the policy allows, and for any other error', async () => {
  const { toDecide } = app.expectPolicy(loans)
  await expect(toDecide(tom, 'l', { delete: succeeds })).rejects.toThrow(
    "delete of loans by tom@example.test: expected 'succeeds' to be 'is refused'",
  )
  await expect(toDecide(maria, 'l', { update: isRefused })).rejects.toThrow(
    "update of loans by maria@example.test: expected 'is refused' to be 'succeeds'",
  )
  await expect(toDecide(maria, 'l', { read: () => Promise.reject(new AppError('conflict')) })).rejects.toThrow(
    'This has changed in the meantime',
  )
})
