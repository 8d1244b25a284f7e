import { and, count, eq, gte, isNotNull, like, sql } from 'drizzle-orm'
import { alias, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SqlSelect } from '#fairway/server/domains/collections/collection'
import { shareTestApp } from '../../../../support/use-app'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, cursorPage, fill, full, idsOf, partial, walk } from './reading'

const parents = sqliteTable('join_parents', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  city: text('city').notNull(),
  bossId: integer('boss_id'),
})
const children = sqliteTable(
  'join_children',
  {
    id: integer('id').primaryKey(),
    parentId: integer('parent_id').notNull(),
    name: text('name').notNull(),
    bornAt: integer('born_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('join_children_parent').on(table.parentId)],
)
const toys = sqliteTable('join_toys', {
  id: integer('id').primaryKey(),
  childId: integer('child_id').notNull(),
  name: text('name').notNull(),
})
const profiles = sqliteTable(
  'join_profiles',
  { id: integer('id').primaryKey(), parentId: integer('parent_id').notNull(), motto: text('motto').notNull() },
  table => [uniqueIndex('join_profiles_parent').on(table.parentId)],
)
const bosses = alias(parents, 'bosses')
const CREATE = `create table join_parents (id integer primary key, name text not null, city text not null, boss_id integer);
  create table join_children (id integer primary key, parent_id integer not null, name text not null, born_at integer not null);
  create index join_children_parent on join_children (parent_id);
  create table join_toys (id integer primary key, child_id integer not null, name text not null);
  create table join_profiles (id integer primary key, parent_id integer not null unique, motto text not null)`

const COUNT = 20
const item = z.object({ id: z.number(), name: z.string() })
const childItem = z.object({ id: z.number(), name: z.string(), bornAt: z.string() })
const withChildren = item.extend({ children: z.array(childItem) })
const onChildren = eq(children.parentId, parents.id)
const asList = { table: children, on: onChildren, as: 'children' } as const

const test = shareTestApp()
const context = () => aContext(test.app)

// Parent i has (i mod 4) children; every child has two toys; even parents have a profile; parent i works for i - 1.
beforeAll(async () => {
  const numbers = Array.from({ length: COUNT }, (_, index) => index + 1)
  await fill(
    test.app,
    parents,
    CREATE,
    numbers.map(id => ({ id, name: `P${id}`, city: `C${id % 3}`, bossId: id > 1 ? id - 1 : null })),
  )
  const born = numbers.flatMap(parentId => Array.from({ length: parentId % 4 }, (_, index) => ({ parentId, index })))
  await test.app.db.orm.insert(children).values(
    born.map(({ parentId, index }, at) => ({
      id: at + 1,
      parentId,
      name: `K${index}`,
      bornAt: new Date(Date.UTC(2020, 0, at + 1)),
    })),
  )
  await test.app.db.orm
    .insert(toys)
    .values(born.flatMap((_, at) => [1, 2].map(number => ({ childId: at + 1, name: `T${number}` }))))
  await test.app.db.orm
    .insert(profiles)
    .values(numbers.filter(id => id % 2 === 0).map(parentId => ({ parentId, motto: `M${parentId}` })))
})

type Reader = ReturnType<typeof aReader>

/** Reads all pages in full, partial and cursor mode, which must agree. Returns the items. */
async function everyPage(reader: Reader, limit: number, more = {}): Promise<Record<string, unknown>[]> {
  const first = await reader.readPage(context(), aQuery(full(1, limit), more))
  if (first.mode !== 'full') throw new Error(first.mode)
  const numbers = Array.from({ length: first.lastPage }, (_, index) => index + 1)
  const pages = await Promise.all(numbers.map(number => reader.readPage(context(), aQuery(full(number, limit), more))))
  const items = pages.flatMap(page => page.items)
  expect(first.totalItems).toBe(items.length)
  for (const page of pages.slice(0, -1)) expect(page.items).toHaveLength(limit)
  const parts = await Promise.all(
    numbers.map(number => reader.readPage(context(), aQuery(partial(number, limit), more))),
  )
  expect(parts.flatMap(page => page.items)).toEqual(items)
  expect(await reader.countItems(context(), [])).toBe(items.length)
  return [...items]
}

const expectedChildren = (id: number) => Array.from({ length: id % 4 }, (_, index) => `K${index}`)
const namesOf = (value: unknown) => (value as { name: string }[]).map(({ name }) => name)

describe('one-to-many join', () => {
  it('returns a list for each item, and whole items on every page', async () => {
    for (const paginationFetchJoinCollection of [undefined, true]) {
      const reader = aReader(
        withChildren,
        { root: parents, joins: [asList] },
        { pagination: { paginationFetchJoinCollection } },
      )
      const items = await everyPage(reader, 5)
      expect(items.map(({ id }) => id)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1))
      for (const { id, children } of items) expect(namesOf(children)).toEqual(expectedChildren(id as number))
      expect((await reader.readItem(context(), '1'))!.children).toEqual([
        { id: 1, name: 'K0', bornAt: '2020-01-01T00:00:00.000Z' },
      ])
      const pages = await walk(reader, context(), { via: [{ field: 'name', direction: 'DESC' }], limit: 6 })
      expect(pages.flatMap(page => page.items)).toHaveLength(COUNT)
      expect(pages[0]!.items.map(({ children }) => namesOf(children).length)).toEqual([1, 0, 3, 2, 1, 0])
    }
  })

  it('excludes items without joined rows when it is an inner join', async () => {
    const reader = aReader(withChildren, { root: parents, joins: [{ ...asList, type: 'inner' }] })
    const items = await everyPage(reader, 4)
    expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19])
    expect(namesOf(items[2]!.children)).toEqual(['K0', 'K1', 'K2'])
    expect(await reader.readItem(context(), '4')).toBeNull()
  })

  it('returns only the joined rows that match the where condition', async () => {
    const reader = aReader(withChildren, { root: parents, joins: [asList], where: eq(children.name, 'K1') })
    const items = await everyPage(reader, 4)
    expect(items.map(({ id }) => id)).toEqual([2, 3, 6, 7, 10, 11, 14, 15, 18, 19])
    for (const { children } of items) expect(namesOf(children)).toEqual(['K1'])
  })

  it('can follow another one-to-many join', async () => {
    const reader = aReader(item.extend({ toys: z.array(z.object({ name: z.string() })) }), {
      root: parents,
      joins: [
        { table: children, on: onChildren },
        { table: toys, on: eq(toys.childId, children.id), as: 'toys' },
      ],
    })
    const items = await everyPage(reader, 6)
    expect(items).toHaveLength(COUNT)
    for (const { id, toys } of items)
      expect(namesOf(toys)).toEqual(expectedChildren(id as number).flatMap(() => ['T1', 'T2']))
  })
})

describe('join used only for filtering', () => {
  it('returns no duplicate items', async () => {
    for (const paginationUseOutputWalkers of [undefined, true]) {
      const reader = aReader(
        item,
        { root: parents, joins: [{ table: children, on: onChildren, type: 'inner' }] },
        { pagination: { paginationUseOutputWalkers } },
      )
      expect((await everyPage(reader, 4)).map(({ id }) => id)).toEqual([
        1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19,
      ])
    }
  })

  it('does not count the rows of a left join', async () => {
    const reader = aReader(item, { root: parents, joins: [{ table: children, on: onChildren }] })
    expect(await everyPage(reader, 7)).toHaveLength(COUNT)
  })

  it('can follow another join', async () => {
    const joins = [
      { table: children, on: onChildren },
      { table: toys, on: and(eq(toys.childId, children.id), eq(toys.name, 'T2'))!, type: 'inner' as const },
    ]
    const reader = aReader(item, { root: parents, joins, where: like(children.name, 'K2') })
    expect((await everyPage(reader, 2)).map(({ id }) => id)).toEqual([3, 7, 11, 15, 19])
  })
})

describe('one-to-one join', () => {
  it('is detected by the unique key, and returns an object or null', async () => {
    const reader = aReader(item.extend({ profile: z.object({ motto: z.string() }).nullable() }), {
      root: parents,
      joins: [{ table: profiles, on: eq(parents.id, profiles.parentId), as: 'profile' }],
    })
    const items = await everyPage(reader, 6)
    expect(items[0]!.profile).toBeNull()
    expect(items[1]!.profile).toEqual({ motto: 'M2' })
  })

  it('adds fields for filters and order, which are null without a matching row', async () => {
    const columns = { boss: bosses.name, motto: profiles.motto }
    const reader = aReader(
      item.extend({ boss: z.string().nullable(), motto: z.string().nullable() }),
      {
        root: parents,
        columns,
        joins: [
          { table: bosses, on: eq(bosses.id, parents.bossId) },
          { table: profiles, on: eq(parents.id, profiles.parentId) },
        ],
      },
      { filters: { boss: ['exact', 'search'] }, order: ['motto', 'boss'] },
    )
    expect(await reader.countItems(context(), [{ kind: 'exact', field: 'boss', values: ['P1', 'P7'] }])).toBe(2)
    const pages = await walk(reader, context(), { via: [{ field: 'motto', direction: 'DESC' }], limit: 3 })
    const rows = await query(
      test.app,
      'select p.id from join_parents p left join join_profiles f on f.parent_id = p.id order by f.motto desc, p.id desc',
    )
    expect(idsOf(...pages)).toEqual(rows.map(({ id }) => id))
  })

  it('excludes items without a joined row when it is an inner join', async () => {
    const reader = aReader(item, {
      root: parents,
      joins: [{ table: profiles, on: eq(parents.id, profiles.parentId), type: 'inner' }],
    })
    expect(await everyPage(reader, 3)).toHaveLength(10)
  })
})

describe('grouped query', () => {
  const twoChildren: SqlSelect = {
    root: parents,
    joins: [{ table: children, on: onChildren }],
    groupBy: [parents.id],
    having: gte(count(children.id), 2),
  }
  const left = [2, 3, 6, 7, 10, 11, 14, 15, 18, 19]

  it('counts and paginates groups', async () => {
    for (const paginationUseOutputWalkers of [undefined, true]) {
      const reader = aReader(item, twoChildren, {
        pagination: { paginationUseOutputWalkers },
        filters: { id: 'range' },
      })
      expect((await everyPage(reader, 4)).map(({ id }) => id)).toEqual(left)
      expect(await reader.readItem(context(), '2')).toEqual({ id: 2, name: 'P2' })
      expect(await reader.readItem(context(), '4')).toBeNull()
      const filters = [{ kind: 'range', field: 'id', operator: 'gt', value: '10' } as const]
      expect(await reader.countItems(context(), filters)).toBe(5)
      const pages = await walk(reader, context(), { via: [{ field: 'name', direction: 'ASC' }], limit: 3 })
      expect(idsOf(...pages)).toEqual([10, 11, 14, 15, 18, 19, 2, 3, 6, 7])
    }
  })

  it('supports filters and order by aggregate fields', async () => {
    const columns = { kids: count(children.id) }
    const reader = aReader(
      item.extend({ kids: z.number().int() }),
      { ...twoChildren, columns, having: undefined },
      {
        filters: { kids: ['exact', 'range'] },
        defaultOrder: [{ field: 'kids', direction: 'DESC' }],
      },
    )
    const items = await everyPage(reader, 7)
    expect(items.map(({ kids }) => kids)).toEqual([3, 2, 1, 0].flatMap(kids => Array.from({ length: 5 }, () => kids)))
    expect(await reader.countItems(context(), [{ kind: 'range', field: 'kids', operator: 'gte', value: '2' }])).toBe(10)
    const page = await cursorPage(reader, context(), { via: [{ field: 'kids', direction: 'DESC' }], limit: 6 })
    expect(page.next).toEqual({
      bounds: [
        { field: 'kids', operator: 'lt', value: '2' },
        { field: 'id', operator: 'lt', value: '18' },
      ],
    })
  })

  it('supports groups by a column other than the primary key', async () => {
    const reader = aReader(z.object({ city: z.string(), people: z.number() }), {
      root: parents,
      columns: { people: sql<number>`count(*)` },
      groupBy: [parents.city],
      where: isNotNull(parents.bossId),
    })
    expect(await everyPage(reader, 2)).toEqual([
      { city: 'C0', people: 6 },
      { city: 'C1', people: 6 },
      { city: 'C2', people: 7 },
    ])
  })
})

describe('join definition', () => {
  it.each([
    [
      'lists that would be cut',
      { root: parents, joins: [asList] },
      { paginationFetchJoinCollection: false },
      /paginationFetchJoinCollection: false/,
    ],
    [
      'groups that would be cut',
      {
        root: parents,
        groupBy: [parents.id],
        having: gte(count(children.id), 2),
        joins: [{ table: children, on: onChildren }],
      },
      { paginationUseOutputWalkers: false },
      /paginationUseOutputWalkers: false/,
    ],
    ['a list without a field', { root: parents, joins: [{ ...asList, as: 'kids' }] }, {}, /joins: kids/],
    [
      'columns of a join without a field',
      { root: parents, joins: [{ ...asList, as: undefined, columns: { x: children.id } }] },
      {},
      /joins: join_children: columns/,
    ],
  ] satisfies [string, SqlSelect, object, RegExp][])('throws for %s', (_, source, pagination, message) => {
    expect(() => aReader(item, source, { pagination })).toThrow(message)
  })

  it('fails on a request whose options forbid the joined lists', async () => {
    const reader = aReader(withChildren, { root: parents, joins: [asList] })
    await expect(reader.readPage(context(), aQuery(full(1, 5), { fetchJoinCollection: false }))).rejects.toThrow(
      /paginationFetchJoinCollection/,
    )
  })
})
