import { count, eq, gt, relations } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCollection, defineFwConfig } from '#fw'
import type { Collection } from '#fairway/server/domains/collections'
import { collectionFaults } from '#fairway/server/domains/collections/served-collection'

const things = sqliteTable('things', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  score: integer('score'),
})
const parts = sqliteTable('parts', { id: integer('id').primaryKey(), thingId: integer('thing_id').notNull() })
const item = z.object({ id: z.number(), name: z.string(), score: z.number().nullable() })
const base = { description: 'Things.', public: true, item, source: things } as const

/** Declares a collection as untyped code would. */
const define = (options: object) => () =>
  (defineCollection as unknown as (options: object) => unknown)({ ...base, ...options })

describe('defineCollection', () => {
  it('accepts a definition without faults', () => {
    expect(define({ filters: { name: ['exact', 'search'] }, order: ['name'] })).not.toThrow()
  })

  it.each<[string, object, RegExp]>([
    ['no description', { description: undefined }, /description/],
    ['an item that is no object', { item: z.string() }, /item/],
    ['an item without an id', { item: z.object({ name: z.string() }) }, /id/],
    ['a source that is nothing', { source: undefined }, /source/],
    ['a source that is a text', { source: 'things' }, /source/],
    ['an unknown option', { paginationItemPerPage: 3 }, /paginationItemPerPage/],
    ['an unknown option of the operation', { operations: { list: { itemsPerPage: 3 } } }, /itemsPerPage/],
    ['an unknown operation', { operations: { remove: {} } }, /remove/],
    ['a page size that is a text', { paginationItemsPerPage: '10' }, /paginationItemsPerPage/],
    ['a page size below 0', { paginationItemsPerPage: -1 }, /paginationItemsPerPage/],
    ['half a row', { paginationItemsPerPage: 2.5 }, /paginationItemsPerPage/],
    ['a maximum of 0', { paginationMaximumItemsPerPage: 0 }, /paginationMaximumItemsPerPage/],
    ['a maximum that is a text', { paginationMaximumItemsPerPage: 'none' }, /paginationMaximumItemsPerPage/],
    ['a switch that is a number', { paginationEnabled: 1 }, /paginationEnabled/],
    ['a switch that is a text', { paginationClientPartial: 'yes' }, /paginationClientPartial/],
    ['null where nothing is meant', { paginationItemsPerPage: null }, /paginationItemsPerPage/],
    ['a filter on an unknown field', { filters: { colour: 'exact' } }, /colour/],
    ['an unknown kind of filter', { filters: { name: 'fuzzy' } }, /filters/],
    ['an order by an unknown field', { order: ['colour'] }, /colour/],
    ['a default order by an unknown field', { defaultOrder: [{ field: 'colour', direction: 'ASC' }] }, /colour/],
    ['a default order in no direction', { defaultOrder: [{ field: 'name', direction: 'up' }] }, /defaultOrder/],
    ['an unknown field to leave out', { omit: ['colour'] }, /omit: the item has no field colour/],
    ['a required field to leave out', { omit: ['name'] }, /omit: name must be optional in item/],
    [
      'a field of an order to leave out',
      { item: item.extend({ name: z.string().optional() }), omit: ['name'], order: ['name'] },
      /omit: name is in an order/,
    ],
    ['a field of a function to leave out', { source: () => [], omit: ['name'] }, /omit: belongs to a table or a query/],
    ['a search that no filter takes', { search: { title: 'name', to: '/t/{id}' } }, /search: name is no filter/],
    [
      'a search for an unknown field',
      { filters: { name: 'search' }, search: { title: 'colour', filter: 'name', to: '/t/{id}' } },
      /search: the item has no field colour; its fields are id, name, score/,
    ],
    [
      'a search whose page has an unknown field',
      { filters: { name: 'search' }, search: { title: 'name', to: '/t/{slug}' } },
      /search: the item has no field slug/,
    ],
    [
      'a search that leads elsewhere',
      { filters: { name: 'search' }, search: { title: 'name', to: 'https://example.com/{id}' } },
      /search\.to|path of the application/,
    ],
    [
      'a search by another kind of filter',
      { filters: { name: 'search', score: 'exact' }, search: { title: 'name', filter: 'score', to: '/t/{id}' } },
      /score is no filter of the kind search; filter may be name/,
    ],
    ['fetch-join as a text', { paginationFetchJoinCollection: 'auto' }, /paginationFetchJoinCollection/],
    ['output walkers as a number', { paginationUseOutputWalkers: 1 }, /paginationUseOutputWalkers/],
  ])('throws at load for %s', (_title, options, message) => {
    expect(define(options)).toThrow(message)
  })

  it('uses the filter of the search title for palette search', () => {
    const collection = define({ filters: { name: ['exact', 'search'] }, search: { title: 'name', to: '/t/{id}' } })()
    expect(collection).toMatchObject({ search: { title: 'name', filter: 'name', to: '/t/{id}' } })
  })

  it('reports all faults at once', () => {
    expect(define({ order: ['colour'], filters: { shape: 'exact' } })).toThrow(/colour.*shape|shape.*colour/)
  })
})

describe('paginationViaCursor', () => {
  const cursor = [{ field: 'id', direction: 'DESC' }]

  it.each<[string, object, RegExp]>([
    ['without paginationPartial', { paginationViaCursor: cursor }, /paginationPartial/],
    ['with paginationPartial off', { paginationViaCursor: cursor, paginationPartial: false }, /paginationPartial/],
    [
      'whose operation takes paginationPartial back',
      { paginationViaCursor: cursor, paginationPartial: true, operations: { list: { paginationPartial: false } } },
      /paginationPartial/,
    ],
    ['of no fields', { paginationViaCursor: [], paginationPartial: true }, /paginationViaCursor/],
    [
      'that is no list',
      { paginationViaCursor: { field: 'id', direction: 'DESC' }, paginationPartial: true },
      /paginationViaCursor/,
    ],
    [
      'in no direction',
      { paginationViaCursor: [{ field: 'id', direction: 'desc' }], paginationPartial: true },
      /paginationViaCursor/,
    ],
    [
      'on an unknown field',
      { paginationViaCursor: [{ field: 'colour', direction: 'ASC' }], paginationPartial: true },
      /colour/,
    ],
    ['on one field twice', { paginationViaCursor: [...cursor, ...cursor], paginationPartial: true }, /twice/],
    [
      'on a field that is no column',
      {
        item: item.extend({ label: z.string() }),
        toItem: (row: { name: string }) => ({ ...row, label: row.name }),
        paginationViaCursor: [{ field: 'label', direction: 'ASC' }],
        paginationPartial: true,
      },
      /label/,
    ],
  ])('throws at load for a cursor %s', (_title, options, message) => {
    expect(define(options)).toThrow(message)
  })

  it('is accepted on the operation when paginationPartial is set on the resource', () => {
    expect(define({ paginationPartial: true, operations: { list: { paginationViaCursor: cursor } } })).not.toThrow()
  })
})

describe('query source', () => {
  const joined = { table: parts, on: eq(parts.thingId, things.id) }

  it('throws for joins that multiply rows when paginationFetchJoinCollection is false', () => {
    const source = { root: things, joins: [{ ...joined, kind: 'many', as: 'parts', columns: { id: parts.id } }] }
    const withParts = { item: item.extend({ parts: z.array(z.object({ id: z.number() })) }), source }
    expect(define(withParts)).not.toThrow()
    expect(define({ ...withParts, paginationFetchJoinCollection: false })).toThrow(/paginationFetchJoinCollection/)
  })

  it('throws for HAVING when paginationUseOutputWalkers is false', () => {
    const source = { root: things, joins: [joined], groupBy: [things.id], having: gt(count(parts.id), 1) }
    expect(define({ source })).not.toThrow()
    expect(define({ source, paginationUseOutputWalkers: false })).toThrow(/paginationUseOutputWalkers/)
  })

  it('throws for a root that is not a table', () => {
    expect(define({ source: { root: relations(things, () => ({})) } })).toThrow(/source/)
  })
})

describe('collections configuration', () => {
  const configure = (collections: object) => () => defineFwConfig({ collections })

  it.each<[string, object, RegExp]>([
    ['an unknown key', { defaults: { paginationItemPerPage: 3 } }, /paginationItemsPerPage/],
    ['two parameters of one name', { pagination: { pageParameterName: 'p', partialParameterName: 'p' } }, /differ/],
    ['a parameter named like the order', { pagination: { pageParameterName: 'order' } }, /differ/],
    ['a parameter without a name', { pagination: { pageParameterName: '' } }, /pageParameterName/],
    ['a parameter with brackets', { pagination: { pageParameterName: 'page[n]' } }, /pageParameterName/],
    ['a page size below 0', { defaults: { pagination_items_per_page: -1 } }, /pagination_items_per_page/],
    ['a maximum of 0', { defaults: { paginationMaximumItemsPerPage: 0 } }, /paginationMaximumItemsPerPage/],
    [
      'a cursor without paginationPartial',
      { defaults: { paginationViaCursor: [{ field: 'id', direction: 'DESC' }] } },
      /paginationPartial/,
    ],
    [
      'one key in two layouts with different values',
      { pagination: { page_parameter_name: 'p' }, collection: { pagination: { page_parameter_name: 'q' } } },
      /page_parameter_name/,
    ],
    ['a runtime that does not exist', { runtime: 'mongo' }, /runtime/],
    [
      'a cursor in the simple runtime',
      {
        runtime: 'simple',
        defaults: { paginationViaCursor: [{ field: 'id', direction: 'DESC' }], paginationPartial: true },
      },
      /simple/,
    ],
    [
      'fetch-join in the simple runtime',
      { runtime: 'simple', defaults: { paginationFetchJoinCollection: true } },
      /simple/,
    ],
    [
      'output walkers in the simple runtime',
      { runtime: 'simple', defaults: { pagination_use_output_walkers: true } },
      /simple/,
    ],
  ])('is rejected with %s', (_title, collections, message) => {
    expect(configure(collections)).toThrow(message)
  })

  it.each<[string, object]>([
    ['its own layout', { defaults: { paginationItemsPerPage: 7 }, pagination: { pageParameterName: 'p' } }],
    ['snake case', { defaults: { pagination_items_per_page: 7 }, pagination: { page_parameter_name: 'p' } }],
    [
      'keys below collection.pagination',
      { defaults: { pagination_items_per_page: 7 }, collection: { pagination: { page_parameter_name: 'p' } } },
    ],
    [
      'the same key twice with one value',
      {
        defaults: { pagination_items_per_page: 7, paginationItemsPerPage: 7 },
        pagination: { pageParameterName: 'p' },
        collection: { pagination: { page_parameter_name: 'p' } },
      },
    ],
  ])('is read from %s', (_title, collections) => {
    const { collections: read } = defineFwConfig({ collections })
    expect(read.defaults.paginationItemsPerPage).toBe(7)
    expect(read.pagination.pageParameterName).toBe('p')
  })
})

describe('collectionFaults', () => {
  const faultsOf = (options: object, collections: object = {}) => {
    const { collections: config } = defineFwConfig({ collections })
    return collectionFaults([{ name: 'things', collection: define(options)() as Collection }], config).join('\n')
  }
  const cursor = { paginationPartial: true, paginationViaCursor: [{ field: 'id', direction: 'DESC' }] }

  it('rejects options that the simple runtime does not support', () => {
    const options = {
      ...cursor,
      paginationFetchJoinCollection: true,
      operations: { list: { paginationUseOutputWalkers: true } },
    }
    expect(faultsOf(options)).toBe('')
    const faults = faultsOf(options, { runtime: 'simple' })
    for (const option of ['paginationViaCursor', 'paginationFetchJoinCollection', 'paginationUseOutputWalkers'])
      expect(faults).toContain(option)
  })

  it('rejects a filter with the name of a parameter', () => {
    expect(faultsOf({ filters: { name: 'exact' } }, { pagination: { pageParameterName: 'name' } })).toMatch(/name/)
  })

  it('rejects default cursor fields that the item does not have', () => {
    const defaults = { paginationPartial: true, paginationViaCursor: [{ field: 'rank', direction: 'DESC' }] }
    expect(faultsOf({}, { defaults })).toMatch(/rank/)
  })

  it('rejects two collections of the same type', () => {
    const { collections: config } = defineFwConfig()
    const [one, other] = [define({ shortName: 'Thing' })(), define({ shortName: 'Thing' })()] as Collection[]
    const entries = [one, other].map((collection, index) => ({ name: `things-${index}`, collection: collection! }))
    expect(collectionFaults(entries, config).join()).toMatch(/Thing/)
  })
})
