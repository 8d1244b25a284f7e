import { count, eq } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineCollection } from '#fw'
import { isCollection } from '#fairway/server/domains/collections'
import { checkCollections, collectionFaults } from '#fairway/server/domains/collections/served-collection'
import type { CollectionTypeOf } from '#fairway/server/domains/collections/define-collection'
import { normalizeCollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { createTestApp } from '../../../support/app'
import { query } from '../../../support/query'
import { serveCollections } from './serve'

const item = z.object({ id: z.int(), name: z.string() })
const base = { description: 'Items.', item, source: () => [{ id: 1, name: 'One' }] }
const table = sqliteTable('items', { id: integer('id').primaryKey(), name: text('name') })

describe('defineCollection', () => {
  it('defaults to signed-in callers without filters or order', () => {
    expect(defineCollection(base)).toMatchObject({
      public: false,
      filters: {},
      order: [],
      defaultOrder: [],
      pagination: {},
      operations: { list: {}, get: false },
    })
    expect(defineCollection({ ...base, getItem: () => null }).operations.get).toBe(true)
    expect(defineCollection({ ...base, getItem: () => null, operations: { get: false } }).operations.get).toBe(false)
  })

  it('marks its collections so that isCollection recognizes only them', () => {
    expect(isCollection(defineCollection(base))).toBe(true)
    expect(isCollection({ ...base })).toBe(false)
    expect(isCollection(null)).toBe(false)
  })

  const via = [{ field: 'id', direction: 'DESC' }]
  it.each([
    ['description', { description: ' ' }],
    ['item', { item: { id: 'int' } }],
    ['item: needs a field id', { item: z.object({ name: z.string() }) }],
    ['source', { source: 'items' }],
    ['source', { source: undefined }],
    ['source', { source: { root: 'items' } }],
    ['shortName', { shortName: 'note item' }],
    ['guard', { guard: true }],
    ['public', { public: 'yes' }],
    ['scope', { scope: 'mine' }],
    ['scope: belongs to a table', { scope: 'everybody' }],
    ['toItem: belongs to a table', { toItem: () => ({}) }],
    ['getItem: belongs to a function', { source: table, scope: 'everybody', getItem: () => null }],
    ['scope: whose rows', { source: table }],
    ['scope: whose rows', { source: { root: table } }],
    ['operations.get: needs getItem', { operations: { get: true } }],
    ['operations', { operations: { put: true } }],
    ['operations.list', { operations: { list: { itemsPerPage: 5 } } }],
    ['filters.name', { filters: { name: 'like' } }],
    ['filters.name', { filters: { name: [] } }],
    ['filters: the item has no field title; its fields are id, name', { filters: { title: 'exact' } }],
    ['order: the item has no field title', { order: ['title'] }],
    ['defaultOrder: the item has no field title', { defaultOrder: [{ field: 'title', direction: 'ASC' }] }],
    ['defaultOrder.0.direction', { defaultOrder: [{ field: 'id', direction: 'down' }] }],
    ['paginationItemsPerPage', { paginationItemsPerPage: -1 }],
    ['paginationItemsPerPage', { paginationItemsPerPage: 1.5 }],
    ['paginationMaximumItemsPerPage', { paginationMaximumItemsPerPage: 0 }],
    ['paginationEnabled', { paginationEnabled: 'false' }],
    ['paginationEnabled', { operations: { list: { paginationEnabled: 'false' } } }],
    ['pagination_items_per_page', { pagination_items_per_page: 5 }],
    ['itemsPerPage', { itemsPerPage: 5 }],
    ['compat', { compat: 'api-platform' }],
    ['paginationViaCursor: needs paginationPartial: true', { paginationViaCursor: via }],
    [
      'paginationViaCursor: needs paginationPartial: true',
      { paginationViaCursor: via, paginationPartial: true, operations: { list: { paginationPartial: false } } },
    ],
    ['paginationViaCursor: must name at least one', { paginationViaCursor: [], paginationPartial: true }],
    ['paginationViaCursor', { paginationViaCursor: via[0], paginationPartial: true }],
    [
      'paginationViaCursor.0.direction',
      { paginationViaCursor: [{ field: 'id', direction: 'desc' }], paginationPartial: true },
    ],
    [
      'paginationViaCursor: the item has no field at',
      { paginationViaCursor: [{ field: 'at', direction: 'ASC' }], paginationPartial: true },
    ],
    ['paginationViaCursor: a field is named twice', { paginationViaCursor: [...via, ...via], paginationPartial: true }],
    ['paginationCursorFormat', { paginationCursorFormat: 'token' }],
  ])('throws at load and names %s', (option, change) => {
    expect(() => defineCollection({ ...base, ...change } as never)).toThrow(option)
    expect(() => defineCollection({ ...base, ...change } as never)).toThrow(/^defineCollection: /)
  })

  it('lists the allowed values and reports all faults at once', () => {
    const wrong = { ...base, scope: 'mine', paginationCursorFormat: 'token', order: ['title'] } as never
    expect(() => defineCollection(wrong)).toThrow(/'shared', 'organization', 'everybody'.*"bounds"\|"opaque"/)
  })

  it('infers the types of items, filters and order', () => {
    const collection = defineCollection({ ...base, filters: { name: ['exact', 'search'] }, order: ['id', 'name'] })
    type Types = CollectionTypeOf<{ default: typeof collection }>
    expectTypeOf<Types['item']>().toEqualTypeOf<{ id: number; name: string }>()
    expectTypeOf<Types['filters']>().toEqualTypeOf<'name'>()
    expectTypeOf<Types['order']>().toEqualTypeOf<'id' | 'name'>()
    const plain = defineCollection(base)
    expectTypeOf<CollectionTypeOf<{ default: typeof plain }>['filters']>().toEqualTypeOf<never>()
  })

  it('types the session as required, and as optional for public collections', () => {
    defineCollection({
      ...base,
      source: ({ session, orgId, db, signal, filters, order, pagination }) => {
        expectTypeOf(session.email).toEqualTypeOf<string>()
        expectTypeOf(orgId).toEqualTypeOf<string | null>()
        expectTypeOf(pagination.limit).toEqualTypeOf<number>()
        void [db, signal, filters, order]
        return []
      },
    })
    defineCollection({
      ...base,
      public: true,
      // @ts-expect-error A stranger has no session.
      source: ({ session }) => [{ id: 1, name: session.email }],
    })
    // @ts-expect-error The item has no field of this name.
    expect(() => defineCollection({ ...base, order: ['title'] })).toThrow('title')
  })
})

describe('table source', () => {
  const notes = sqliteTable('own_notes', {
    id: text('id').primaryKey(),
    orgId: text('org_id'),
    title: text('title').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  })
  const note = z.object({ id: z.string(), title: z.string() })

  it('passes its rows unchanged to toItem', () => {
    const collection = defineCollection({
      description: 'Notes.',
      item: note,
      source: notes,
      toItem: (row, session) => {
        expectTypeOf(row).toEqualTypeOf<typeof notes.$inferSelect>()
        expectTypeOf(session.email).toEqualTypeOf<string>()
        return { id: row.id, title: row.title }
      },
      filters: { title: 'search' },
      order: ['title'],
    })
    expect(collection.operations.get).toBe(true)
  })

  it('requires a scope unless its columns identify the owner or everyone may see the rows', () => {
    expect(() => defineCollection({ description: 'Notes.', item: note, source: notes })).not.toThrow()
    const plain = { description: 'Items.', item: z.object({ id: z.int() }), source: table }
    expect(() => defineCollection(plain)).toThrow('scope')
    expect(() => defineCollection({ ...plain, scope: 'everybody' })).not.toThrow()
    expect(() => defineCollection({ ...plain, public: true })).not.toThrow()
    expect(() => defineCollection({ ...plain, scope: 'organization' })).toThrow('orgId')
  })
})

describe('collections and their settings', () => {
  const faults = (collections: Record<string, ReturnType<typeof defineCollection>>, settings: unknown = {}) =>
    collectionFaults(
      Object.entries(collections).map(([name, collection]) => ({ name, collection })),
      normalizeCollectionsConfig(settings),
    )
  const cursor = {
    ...base,
    paginationPartial: true,
    paginationViaCursor: [{ field: 'id', direction: 'DESC' as const }],
  }

  it('have no faults when they are valid together', () => {
    expect(faults({ items: defineCollection(base), others: defineCollection(cursor) })).toEqual([])
  })

  it('name the file with relational options that the simple runtime does not support', () => {
    const many = defineCollection({ ...base, operations: { list: { paginationUseOutputWalkers: true } } })
    expect(faults({ items: defineCollection(cursor), many }, { runtime: 'simple' })).toEqual([
      "server/collections/items.ts: paginationViaCursor: does not exist with runtime: 'simple'",
      "server/collections/many.ts: paginationUseOutputWalkers: does not exist with runtime: 'simple'",
    ])
  })

  it('name the file whose query needs options that the simple runtime does not support', () => {
    const settings = { runtime: 'simple' }
    const sql = { description: 'Items.', item, public: true as const, source: table }
    const tags = sqliteTable('tags', { id: integer('id').primaryKey(), itemId: integer('item_id') })
    const withTags = { table: tags, on: eq(tags.itemId, table.id), kind: 'many' as const }
    const lists = defineCollection({
      ...sql,
      item: item.extend({ tags: z.array(z.object({ id: z.int() })) }),
      source: { root: table, joins: [{ ...withTags, as: 'tags', columns: { id: tags.id } }] },
    })
    const counted = defineCollection({
      ...sql,
      item: item.extend({ tagged: z.int() }),
      source: { root: table, joins: [withTags], columns: { tagged: count(tags.id) }, groupBy: [table.id] },
    })
    expect(faults({ lists, counted: { ...counted, shortName: 'Counted' } })).toEqual([])
    expect(faults({ items: defineCollection(sql) }, settings)).toEqual([])
    expect(faults({ lists }, settings)).toEqual([
      "server/collections/lists.ts: source: its joined lists need paginationFetchJoinCollection, which does not exist with runtime: 'simple'",
    ])
    expect(faults({ counted }, settings)).toEqual([
      "server/collections/counted.ts: source: its grouped rows need paginationUseOutputWalkers, which does not exist with runtime: 'simple'",
    ])
  })

  it('use a count for pages in the simple runtime, or one extra row for partial pages', async () => {
    const rows = Array.from({ length: 5 }, (_row, id) => `(${id + 1}, 'Item')`).join(', ')
    const sql = { description: 'Items.', item, public: true as const, source: table, paginationItemsPerPage: 2 }
    const collections = {
      counted: defineCollection(sql),
      'one-more': defineCollection({ ...sql, shortName: 'OneMore', paginationPartial: true }),
    }
    const served = await serveCollections(collections, { collections: { runtime: 'simple' } })
    await query(served.app, 'create table items (id integer primary key, name text)')
    await query(served.app, `insert into items values ${rows}`)
    const view = async (path: string) => {
      const { totalItems, view: links } = await (await served.get(path)).json()
      return { totalItems, last: links.last, next: links.next }
    }
    expect(await view('/counted?page=2')).toEqual({ totalItems: 5, last: '/counted?page=3', next: '/counted?page=3' })
    expect(await view('/one-more?page=2')).toEqual({ next: '/one-more?page=3' })
    expect(await view('/one-more?page=3')).toEqual({})
    await served.stop()
  })

  it('reject two collections of the same type and a filter named like a parameter', () => {
    const page = defineCollection({
      ...base,
      item: item.extend({ page: z.int() }),
      source: () => [],
      filters: { page: 'exact' },
    })
    expect(faults({ item: defineCollection(base), items: defineCollection(base), pages: page })).toEqual([
      'server/collections/pages.ts: filters: page is the name of a parameter; rename the parameter in fw.config',
      'server/collections/item.ts and server/collections/items.ts: both are of the type Item; give one of them a shortName',
    ])
    expect(faults({ pages: page }, { pagination: { pageParameterName: 'p' } })).toEqual([])
  })

  it('require the item to have the default cursor field', () => {
    const settings = {
      defaults: { paginationPartial: true, paginationViaCursor: [{ field: 'createdAt', direction: 'DESC' }] },
    }
    expect(faults({ items: defineCollection(base) }, settings)).toEqual([
      'server/collections/items.ts: paginationViaCursor: the item has no field createdAt',
    ])
  })

  it('are checked at start, with a warning when clients may request pages of any size', async () => {
    const test = await createTestApp()
    const free = { ...base, paginationClientItemsPerPage: true, paginationMaximumItemsPerPage: null }
    checkCollections(test.app, [
      { name: 'free', collection: defineCollection(free) },
      { name: 'items', collection: defineCollection(base) },
    ])
    const warnings = test.lines().filter(line => line.level === 'warn' && 'collection' in line)
    expect(warnings.map(line => line.collection)).toEqual(['free'])
    const twice = [
      { name: 'item', collection: defineCollection(base) },
      { name: 'items', collection: defineCollection(base) },
    ]
    expect(() => checkCollections(test.app, twice)).toThrow('These collections cannot be served:')
    await test.close()
  })
})
