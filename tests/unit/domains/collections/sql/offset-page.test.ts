import { eq, sql } from 'drizzle-orm'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { FilterCondition } from '#fairway/server/domains/collections/collection'
import { shareTestApp } from '../../../../support/use-app'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, fill, full, idsOf, partial } from './reading'

const rows = sqliteTable('offset_rows', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  category: text('category').notNull(),
  price: real('price').notNull(),
  open: integer('open', { mode: 'boolean' }).notNull(),
  at: integer('made_at', { mode: 'timestamp_ms' }).notNull(),
  labels: text('labels', { mode: 'json' }).$type<string[]>().notNull(),
  note: text('note'),
})
const CREATE = `create table offset_rows (id integer primary key, name text not null, category text not null, price real not null,
  open integer not null, made_at integer not null, labels text not null, note text)`
const item = z.object({ id: z.number(), name: z.string(), category: z.string(), price: z.number() })
const wide = z.object({
  ...item.shape,
  open: z.boolean(),
  at: z.string(),
  labels: z.array(z.string()),
  note: z.string().nullable(),
  shout: z.string(),
})

const COUNT = 1000
const row = (id: number) => ({
  id,
  name: `Item ${id}${id === 7 ? ' 100%_\\' : ''}`,
  category: String(id % 4),
  price: id / 2,
  open: id % 2 === 0,
  at: new Date(Date.UTC(2024, 0, 1, 0, 0, id)),
  labels: [`l${id}`],
  note: id % 2 === 0 ? null : 'odd',
})

const test = shareTestApp()
const context = () => aContext(test.app)
const reader = aReader(item, rows, {
  filters: { category: 'exact', id: ['exact', 'range'], name: ['exact', 'search'], price: 'range' },
})
const wideReader = aReader(
  wide,
  { root: rows, columns: { shout: sql<string>`upper(${rows.name})` } },
  { filters: { open: 'exact', at: ['range', 'exact'], shout: ['exact', 'search'], note: 'exact' }, order: ['shout'] },
)
const page = async (number: number, limit: number, more = {}) => {
  const answer = await reader.readPage(context(), aQuery(full(number, limit), more))
  if (answer.mode !== 'full') throw new Error(answer.mode)
  return answer
}
const exact = (field: string, ...values: string[]): FilterCondition => ({ kind: 'exact', field, values })
const range = (field: string, operator: 'lt' | 'lte' | 'gt' | 'gte', value: string): FilterCondition => ({
  kind: 'range',
  field,
  operator,
  value,
})
const search = (field: string, value: string): FilterCondition => ({ kind: 'search', field, value })

beforeAll(async () => {
  await fill(
    test.app,
    rows,
    CREATE,
    Array.from({ length: COUNT }, (_, index) => row(index + 1)),
  )
})

describe('full page', () => {
  it('has its rows and the total at any position', async () => {
    for (const limit of [7, 30, 100, 999, 1000, 1001]) {
      const lastPage = Math.ceil(COUNT / limit)
      for (const number of new Set([1, 2, 3, 5, 6, 11, 20, 33, lastPage - 1, lastPage])) {
        if (number < 1 || number > lastPage) continue
        const found = await page(number, limit)
        const first = (number - 1) * limit
        const length = Math.min(limit, COUNT - first)
        expect(idsOf(found)).toEqual(Array.from({ length }, (_, index) => first + index + 1))
        expect(found).toMatchObject({ totalItems: COUNT, lastPage, itemsPerPage: limit, page: number })
      }
    }
  })

  it('is empty with the real total after the last page, and with a limit of 0', async () => {
    expect(await page(99, 30)).toMatchObject({ items: [], totalItems: COUNT, lastPage: 34, page: 99 })
    expect(await page(3, 30, { filters: [range('id', 'lte', '60')] })).toMatchObject({
      items: [],
      totalItems: 60,
      lastPage: 2,
    })
    expect(await page(1, 0)).toEqual({
      mode: 'full',
      items: [],
      page: 1,
      itemsPerPage: 0,
      lastPage: 1,
      totalItems: COUNT,
    })
    expect(await page(1, 30, { filters: [exact('category', '9')] })).toMatchObject({
      items: [],
      totalItems: 0,
      lastPage: 1,
    })
  })

  it('keeps its order when it is read from the end', async () => {
    const order = [{ field: 'category', direction: 'DESC' } as const]
    const pages = await Promise.all(Array.from({ length: 10 }, (_, index) => page(index + 1, 100, { order })))
    const sorted = await query(test.app, 'select id from offset_rows order by category desc, id')
    expect(idsOf(...pages)).toEqual(sorted.map(({ id }) => id))
  })
})

describe('deep page of a long list', () => {
  const many = sqliteTable('offset_many', {
    id: integer('id').primaryKey(),
    a: integer('a'),
    b: integer('b').notNull(),
  })
  const order = [
    { field: 'a', direction: 'DESC' },
    { field: 'b', direction: 'ASC' },
  ] as const
  const manyReader = aReader(z.object({ id: z.number(), a: z.number().nullable(), b: z.number() }), many, {
    order: ['a', 'b'],
  })
  let sorted: unknown[]

  const expectPages = async () => {
    const rows = await query(test.app, 'select id from offset_many order by a desc, b, id')
    sorted = rows.map(({ id }) => id)
    const limit = 90
    const last = Math.ceil(sorted.length / limit)
    for (const number of [1, 12, last - 1, 40, last, 23, 12, last + 1, 200]) {
      const ids = sorted.slice((number - 1) * limit, number * limit)
      for (const some of [{ order }, { order: [] }]) {
        const expected =
          some.order.length > 0
            ? ids
            : sorted
                .map(Number)
                .toSorted((a, b) => a - b)
                .slice((number - 1) * limit, number * limit)
        const found = await manyReader.readPage(context(), aQuery(full(number, limit), some))
        expect(idsOf(found)).toEqual(expected)
        expect(found).toMatchObject({ totalItems: sorted.length, lastPage: last })
        const part = await manyReader.readPage(context(), aQuery(partial(number, limit), some))
        expect(idsOf(part)).toEqual(expected)
        expect(part).toMatchObject({ hasNextPage: number < last })
      }
    }
  }

  it('is the same with and without an index, and correct after writes', async () => {
    await test.app.db.client
      .executeMultiple(`create table offset_many (id integer primary key, a integer, b integer not null);
      insert into offset_many with recursive u(n) as (select 1 union all select n + 1 from u where n < 5000)
        select n, case when n % 3 = 0 then null else n % 5 end, n % 7 from u`)
    await expectPages()
    await query(test.app, 'create index offset_many_order on offset_many (a desc, b, id)')
    await expectPages()
    await query(test.app, 'delete from offset_many where id % 11 = 0')
    await expectPages()
    await query(test.app, 'insert into offset_many values (6000, 9, 1), (6001, null, 100)')
    await expectPages()
  })
})

describe('partial page', () => {
  it('reports whether there is a next page', async () => {
    const at = async (number: number, limit: number) => reader.readPage(context(), aQuery(partial(number, limit)))
    expect(await at(10, 100)).toMatchObject({ hasNextPage: false, page: 10, itemsPerPage: 100 })
    expect(await at(9, 100)).toMatchObject({ hasNextPage: true })
    expect(await at(11, 100)).toMatchObject({ items: [], hasNextPage: false })
    expect(await at(1, 0)).toEqual({ mode: 'partial', items: [], page: 1, itemsPerPage: 0, hasNextPage: false })
  })

  it('reads no rows after the next one, and does not count', async () => {
    // Row 12 contains invalid JSON, so a read that reaches it fails.
    const broken = sql`json(case ${rows.id} when 12 then '{' else '{}' end) is not null`
    const fragile = aReader(item, { root: rows, where: broken })
    expect(await fragile.readPage(context(), aQuery(partial(1, 10)))).toMatchObject({ hasNextPage: true })
    await expect(fragile.readPage(context(), aQuery(full(1, 10)))).rejects.toThrow()
  })
})

describe('total', () => {
  it('is updated after each write', async () => {
    const before = (await page(1, 5)).totalItems
    await query(
      test.app,
      'insert into offset_rows select 5000, name, category, price, open, made_at, labels, note from offset_rows where id = 1',
    )
    expect((await page(1, 5)).totalItems).toBe(before + 1)
    await query(test.app, 'delete from offset_rows where id = 5000')
    expect((await page(1, 5)).totalItems).toBe(before)
  })

  it('is counted on each request when the query is not deterministic', async () => {
    const chance = aReader(item, { root: rows, where: sql`abs(random()) % 2 = 0` })
    const totals = new Set<number | null>()
    for (let round = 0; round < 10; round += 1) totals.add(await chance.countItems(context(), []))
    expect(totals.size).toBeGreaterThan(1)
  })
})

describe('whole collection', () => {
  it('returns collection-too-large when it exceeds the limit', async () => {
    const everything = (most: number) => reader.readPage(context(), aQuery({ mode: 'whole', most }))
    expect(await everything(COUNT)).toMatchObject({ mode: 'whole', totalItems: COUNT })
    await expect(everything(COUNT - 1)).rejects.toMatchObject({ code: 'collection-too-large', status: 400 })
  })
})

describe('filters', () => {
  const total = async (...filters: FilterCondition[]) => (await page(1, 1, { filters })).totalItems

  it('match one or several exact values, and ignore empty values', async () => {
    expect(await total(exact('category', '1'))).toBe(250)
    expect(await total(exact('category', '1', '2'))).toBe(500)
    expect(await total(exact('id', '1', '2', '5000'))).toBe(2)
    expect(await total(exact('category', ''))).toBe(COUNT)
    expect(await total(exact('category', '', '3'))).toBe(250)
    expect(await total(exact('category', '1'), exact('id', '5'))).toBe(1)
  })

  it('match ranges by the type of the column', async () => {
    expect(await total(range('id', 'gt', '990'))).toBe(10)
    expect(await total(range('id', 'gte', '10'), range('id', 'lt', '20'))).toBe(10)
    expect(await total(range('price', 'lte', '2.5'))).toBe(5)
    expect(await total(range('price', 'lt', '1e1'))).toBe(19)
    const late = await wideReader.countItems(context(), [range('at', 'gt', '2024-01-01T00:16:30Z')])
    expect(late).toBe(10)
  })

  it('search for literal text, ignoring case', async () => {
    expect(await total(search('name', 'item 99'))).toBe(11)
    expect(await total(search('name', '100%'))).toBe(1)
    expect(await total(search('name', '%'))).toBe(1)
    expect(await total(search('name', '_'))).toBe(1)
    expect(await total(search('name', '\\'))).toBe(1)
    expect(await total(search('name', ''))).toBe(COUNT)
    expect(await total(search('name', "' or 1=1 --"))).toBe(0)
  })

  it('work on fields that the item omits, also in grouped queries', async () => {
    const both = sql`${rows.name} || ' of ' || ${rows.id}`
    const withBoth = z.object({ id: z.number(), both: z.string().optional() })
    const filters = [search('both', 'item 2 of 2')]
    for (const more of [{}, { groupBy: [rows.id], having: sql`count(*) = 1` }]) {
      const omitting = aReader(
        withBoth,
        { root: rows, columns: { both }, ...more },
        { omit: ['both'], filters: { both: 'search' } },
      )
      const found = await omitting.readPage(context(), aQuery(full(1, 3), { filters }))
      expect(found.items).toEqual([{ id: 2 }])
    }
  })

  it('support booleans, dates and expressions', async () => {
    expect(await wideReader.countItems(context(), [exact('open', 'true')])).toBe(500)
    expect(await wideReader.countItems(context(), [exact('at', '2024-01-01T00:00:09Z')])).toBe(1)
    expect(await wideReader.countItems(context(), [exact('shout', 'ITEM 9')])).toBe(1)
  })

  it.each([
    [range('id', 'lt', 'abc'), 'id[lt]'],
    [range('id', 'gte', '1.5'), 'id[gte]'],
    [range('id', 'gte', '99999999999999999999'), 'id[gte]'],
    [range('price', 'gt', '0x10'), 'price[gt]'],
    [exact('id', 'one'), 'id'],
  ])('reject %j', async (filter, path) => {
    await expect(page(1, 1, { filters: [filter] })).rejects.toMatchObject({ code: 'invalid-input', errors: [{ path }] })
  })
})

describe('items', () => {
  it('contain booleans, dates, JSON, null and expressions as JSON values', async () => {
    expect(await wideReader.readItem(context(), '7')).toEqual({
      id: 7,
      name: 'Item 7 100%_\\',
      category: '3',
      price: 3.5,
      open: false,
      at: '2024-01-01T00:00:07.000Z',
      labels: ['l7'],
      note: 'odd',
      shout: 'ITEM 7 100%_\\',
    })
    expect((await wideReader.readItem(context(), '8'))!.note).toBeNull()
  })

  it('are built by toItem from Drizzle rows', async () => {
    const made = aReader(z.object({ id: z.number(), year: z.number(), who: z.string().nullable() }), rows, {
      toItem: (row, session) => ({ id: row.id, year: (row.at as Date).getUTCFullYear(), who: session?.email ?? null }),
    })
    expect(await made.readItem(context(), '7')).toEqual({ id: 7, year: 2024, who: null })
  })

  it('are null for unknown and malformed keys', async () => {
    for (const id of ['0', 'abc', '7.0', '', '7 ', '99999999999999999999'])
      expect(await reader.readItem(context(), id)).toBeNull()
  })

  it('are found only when they match the where condition of the source', async () => {
    const odd = aReader(item, { root: rows, where: eq(rows.note, 'odd') })
    expect(await odd.readItem(context(), '7')).not.toBeNull()
    expect(await odd.readItem(context(), '8')).toBeNull()
    expect(await odd.countItems(context(), [])).toBe(500)
  })
})

describe('table source definition', () => {
  const keyless = sqliteTable('keyless', { id: integer('id').notNull() })
  it.each([
    ['a field that no column fills', () => aReader(wide, rows), /item: no column fills shout/],
    ['a table without a key', () => aReader(z.object({ id: z.number() }), keyless), /primary key/],
    [
      'a filter on JSON',
      () => aReader(z.object({ id: z.number(), labels: z.array(z.string()) }), rows, { filters: { labels: 'exact' } }),
      /filters: labels .*allowed are id/,
    ],
    ['searching numbers', () => aReader(item, rows, { filters: { price: 'search' } }), /filters: price: 'search'/],
    [
      'ranges of booleans',
      () => aReader(wide.omit({ shout: true }), rows, { filters: { open: 'range' } }),
      /filters: open: 'range'/,
    ],
    ['an unknown order', () => aReader(item, rows, { order: ['nothing'] }), /order: nothing/],
    [
      'an unknown default order',
      () => aReader(item, rows, { defaultOrder: [{ field: 'note', direction: 'ASC' }] }),
      /defaultOrder: note/,
    ],
    [
      'an unknown cursor field',
      () => aReader(item, rows, { pagination: { paginationViaCursor: [{ field: 'x', direction: 'ASC' }] } }),
      /paginationViaCursor: x/,
    ],
    [
      'a cursor without the key in the item',
      () =>
        aReader(item.omit({ id: true }), rows, {
          pagination: { paginationViaCursor: [{ field: 'name', direction: 'ASC' }] },
        }),
      /paginationViaCursor: the links hold the primary key/,
    ],
    [
      'the scope of an organization without its column',
      () => aReader(item, rows, { scope: 'organization' }),
      /scope: 'organization' needs the columns orgId/,
    ],
    [
      'the shared scope without its columns',
      () => aReader(item, rows, { scope: 'shared' }),
      /scope: 'shared' needs the columns ownerEmail, orgId, visibility/,
    ],
  ])('throws for %s', (_, declare, message) => {
    expect(declare).toThrow(message)
    expect(declare).toThrow(/^defineCollection: /)
  })
})
