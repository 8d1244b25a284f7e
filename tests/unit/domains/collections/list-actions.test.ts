import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCollection, outputOf } from '#fw'
import { organizationColumns } from 'nuxt-fairway/tables'
import { inputJsonSchema, runAction } from '#fairway/server/domains/actions'
import { listActions } from '#fairway/server/domains/collections'
import type { Session } from '#fairway/shared/schemas/session'
import { shareTestApp } from '../../../support/use-app'
import { aMember } from '../../../support/members'
import { query } from '../../../support/query'

const deals = sqliteTable('deals', {
  id: text('id').primaryKey(),
  ...organizationColumns(),
  title: text('title').notNull(),
  stage: text('stage', { enum: ['open', 'won', 'lost'] }).notNull(),
  amount: integer('amount').notNull(),
})
const collection = defineCollection({
  description: 'The deals of your organization.',
  item: outputOf(deals, { omit: ['orgId', 'createdBy', 'createdByName'] }),
  source: deals,
  filters: { title: 'search', stage: 'exact', amount: 'range' },
  order: ['amount', 'title'],
  defaultOrder: [{ field: 'title', direction: 'ASC' }],
  paginationItemsPerPage: 2,
})
const hidden = defineCollection({
  description: 'Kept from hosts.',
  mcp: false,
  item: z.object({ id: z.string() }),
  source: () => [],
})
const entries = [
  { name: 'deal-list', collection },
  { name: 'hidden', collection: hidden },
]
const [list] = listActions(entries, [])

const test = shareTestApp()
let ada: Session
let eve: Session
beforeAll(async () => {
  await query(
    test.app,
    `create table deals (id text primary key, org_id text not null, created_by text_creator, created_by_name text not null,
      title text not null, stage text not null, amount integer not null)`,
  )
  ;[ada, eve] = [await aMember(test.app), await aMember(test.app)]
  const rows = [
    ['Anvil', 'open', 10],
    ['Bellows', 'won', 20],
    ['Crane', 'open', 30],
    ['Drill', 'lost', 40],
  ] as const
  for (const [title, stage, amount] of rows)
    await query(test.app, 'insert into deals values (?, ?, ?, ?, ?, ?, ?)', [
      title,
      ada.orgId,
      ada.email,
      'Ada',
      title,
      stage,
      amount,
    ])
})

interface Answer {
  items: { title: string }[]
  totalItems?: number
  next?: string
}
const call = async (input: object, session = ada) => {
  const { name = '', action } = list ?? {}
  return (await runAction(test.app, { name, action: action!, input, session, caller: 'mcp', requestId: 'r' })) as Answer
}
const titles = async (input: object, session?: Session) => (await call(input, session)).items.map(({ title }) => title)

describe('listActions', () => {
  it('creates read-only tools for hosts, except with mcp: false or when an action has the name', () => {
    expect(listActions(entries, []).map(({ name }) => name)).toEqual(['list-deal-list'])
    expect(listActions(entries, [{ name: 'list-deal-list' }])).toEqual([])
    expect(list?.action).toMatchObject({ readOnly: true, destructive: false, http: false, mcp: true })
  })

  it('offers filters with their allowed values, and the declared orders', () => {
    const { properties } = inputJsonSchema(list!.action)
    expect(Object.keys(properties ?? {})).toEqual(['where', 'order', 'cursor'])
    expect(JSON.stringify(properties?.where)).toContain('["open","won","lost"]')
    expect(JSON.stringify(properties?.order)).toContain('["amount","-amount","title","-title"]')
  })

  it.each([
    [{}, ['Anvil', 'Bellows']],
    [{ where: { stage: 'open' } }, ['Anvil', 'Crane']],
    [{ where: { stage: ['won', 'lost'] } }, ['Bellows', 'Drill']],
    [{ where: { amount: { gte: 20, lt: 40 } } }, ['Bellows', 'Crane']],
    [{ where: { title: 'RAN' } }, ['Crane']],
    [{ order: ['-amount'] }, ['Drill', 'Crane']],
  ])('lists the matching items for %j', async (input, found) => expect(await titles(input)).toEqual(found))

  it('continues with a cursor, which keeps filters and order, until the last page', async () => {
    const first = await call({ order: ['-amount'] })
    expect(first.totalItems).toBe(4)
    const second = await call({ cursor: first.next })
    expect([second.items.map(({ title }) => title), second.next]).toEqual([['Bellows', 'Anvil'], undefined])
  })

  it('returns no rows of another organization, whatever the cursor contains', async () => {
    expect(await titles({}, eve)).toEqual([])
    expect(await titles({ cursor: (await call({})).next }, eve)).toEqual([])
  })

  it('rejects unknown filter values, unknown orders and invalid cursors', async () => {
    for (const input of [{ where: { stage: 'sold' } }, { order: ['secret'] }, { cursor: 'page=0' }])
      await expect(call(input)).rejects.toMatchObject({ code: 'invalid-input' })
  })
})
