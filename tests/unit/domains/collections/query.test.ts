import { describe, expect, it } from 'vitest'
import { normalizeCollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { effectiveOptions, type PaginationOptions } from '#fairway/server/domains/collections/effective-options'
import type { Page } from '#fairway/server/domains/collections/collection'
import { buildQuery, sortedQuery, parseQuery } from '#fairway/server/domains/collections/query/query-tree'
import { fromJsonApiQuery } from '#fairway/server/domains/collections/formats/json-api'
import {
  readFilters,
  cursorOrder,
  readOrder,
  readSelection,
} from '#fairway/server/domains/collections/query/read-query'
import { viewLinks } from '#fairway/server/domains/collections/links'

const config = normalizeCollectionsConfig()
const NONE = new Set<string>()

describe('parseQuery', () => {
  it('parses long lists in linear time', () => {
    const lists = ['a[]', 'a[x][]', 'a[1]&a[]'].map(name => Array(50_000).fill(name).join('&'))
    const began = process.cpuUsage()
    const sizes = lists.map(list => parseQuery(list).get('a')).map(list => (list instanceof Map ? list.size : 0))
    expect(sizes).toEqual([50_000, 1, 50_001])
    // Quadratic time would take minutes.
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000)
  })

  it.each(['title=a%00b', 'order[title]=%00', 'a=1&unknown=x%00'])('refuses NUL in %s', query => {
    const path = query.slice(query.lastIndexOf('&') + 1, query.lastIndexOf('='))
    expect(() => parseQuery(query)).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        errors: [expect.objectContaining({ path, code: 'broken-text' })],
      }),
    )
  })

  it.each([
    ['a=1&b=2', 'a=1&b=2'],
    ['?b=2&a=1', 'a=1&b=2'],
    ['a=1&a=2', 'a=2'],
    ['flag', 'flag='],
    ['a=x+y', 'a=x%20y'],
    ['a=b%2Bc', 'a=b%2Bc'],
    ['list[]=b&list[]=a', 'list%5B%5D=b&list%5B%5D=a'],
    ['list%5B%5D=b&list[]=a', 'list%5B%5D=b&list%5B%5D=a'],
    ['foo[0]=a&foo[1]=b', 'foo%5B%5D=a&foo%5B%5D=b'],
    ['foo[1]=a&foo[]=b', 'foo%5B%5D=a&foo%5B%5D=b'],
    ['filters[0][a]=x&filters[0][b]=y', 'filters%5B0%5D%5Ba%5D=x&filters%5B0%5D%5Bb%5D=y'],
    ['order[name]=asc&category=1', 'category=1&order%5Bname%5D=asc'],
    ['order[b]=asc&order[a]=desc', 'order%5Bb%5D=asc&order%5Ba%5D=desc'],
    ['B=1&a=2&A=3', 'A=3&B=1&a=2'],
    ["q=a!b*c(d)'~a.b-c_d", 'q=a%21b%2Ac%28d%29%27~a.b-c_d'],
    ['q=%C3%89t%C3%A9', 'q=%C3%89t%C3%A9'],
    ['tag=x/y', 'tag=x%2Fy'],
    ['a=1&a[]=2', 'a%5B%5D=2'],
    ['a[]=2&a=1', 'a=1'],
    ['a[b=1', 'a%5Bb=1'],
    ['a[b]c=1', 'a%5Bb%5D=1'],
    ['=x&&a=1', 'a=1'],
    ['a=100%', 'a=100%25'],
    ['a=%FF', 'a=%EF%BF%BD'],
    ['__proto__[x]=1&constructor=2', '__proto__%5Bx%5D=1&constructor=2'],
  ])('normalizes %s to %s', (sent, written) => {
    expect(buildQuery(sortedQuery(parseQuery(sent)))).toBe(written)
  })

  it('parses 5,000 parameters, and ignores a name nested 3,000 levels deep', () => {
    const deep = `a${'[a]'.repeat(3000)}=1`
    const wide = Array.from({ length: 5000 }, (_, index) => `a${index}=1`).join('&')
    expect(parseQuery(deep).size).toBe(0)
    expect(parseQuery(wide).size).toBe(5000)
  })
})

const full = (page: number, lastPage: number): Page => ({
  mode: 'full',
  items: [],
  page,
  itemsPerPage: 10,
  lastPage,
  totalItems: 0,
})
const bound = (field: string, operator: 'lt' | 'gt', value: string | null) => ({ bounds: [{ field, operator, value }] })
const linksOf = (query: string, page: Page) => viewLinks('/items', parseQuery(query), page, config)

describe('viewLinks', () => {
  it.each([
    ['', full(1, 1), { self: '/items?page=1', first: '/items?page=1', last: '/items?page=1' }],
    [
      'page=2&zeta=1&alpha=2',
      full(2, 10),
      {
        self: '/items?alpha=2&zeta=1&page=2',
        first: '/items?alpha=2&zeta=1&page=1',
        last: '/items?alpha=2&zeta=1&page=10',
        previous: '/items?alpha=2&zeta=1&page=1',
        next: '/items?alpha=2&zeta=1&page=3',
      },
    ],
    [
      'page[]=2&Page=2',
      full(9, 4),
      {
        self: '/items?Page=2&page=9',
        first: '/items?Page=2&page=1',
        last: '/items?Page=2&page=4',
        previous: '/items?Page=2&page=4',
      },
    ],
    ['x=1&page=3', { mode: 'whole', items: [] }, { self: '/items?x=1' }],
    [
      'page=2',
      { mode: 'partial', items: [], page: 2, itemsPerPage: 10, hasNextPage: true },
      { self: '/items?page=2', previous: '/items?page=1', next: '/items?page=3' },
    ],
    ['', { mode: 'partial', items: [], page: 1, itemsPerPage: 10, hasNextPage: false }, { self: '/items?page=1' }],
  ] satisfies [string, Page, object][])('builds page links from the query %j', (query, page, links) => {
    expect(JSON.parse(JSON.stringify(linksOf(query, page)))).toEqual(links)
  })

  it.each([
    ['order[id]=desc', bound('id', 'lt', '8'), '/items?order%5Bid%5D=desc&id%5Blt%5D=8'],
    ['id[lt]=8&order[id]=desc', bound('id', 'lt', '5'), '/items?id%5Blt%5D=5&order%5Bid%5D=desc'],
    ['page=3&itemsPerPage=5', bound('id', 'lt', '5'), '/items?itemsPerPage=5&id%5Blt%5D=5'],
    ['id[gt]=4', bound('id', 'lt', '5'), '/items?id%5Blt%5D=5'],
    ['id[gt]=4&id[lt]=9', bound('id', 'lt', '7'), '/items?id%5Bgt%5D=4&id%5Blt%5D=7'],
    ['id[gte]=3&id[lt]=9', bound('id', 'lt', '7'), '/items?id%5Bgte%5D=3&id%5Blt%5D=7'],
    ['score[lt]=', bound('score', 'lt', null), '/items?score%5Blt%5D='],
    ['category=1', bound('category', 'gt', '1'), '/items?category%5B%5D=1&category%5Bgt%5D=1'],
    ['', bound('code', 'gt', 'a&b'), '/items?code%5Bgt%5D=a%26b'],
    ['', { token: 'abc.d' }, '/items?cursor=abc.d'],
    ['cursor=old&z=1', { token: 'new' }, '/items?cursor=new&z=1'],
  ])('builds the next link with a cursor from the query %j', (query, next, link) => {
    expect(linksOf(query, { mode: 'cursor', items: [], itemsPerPage: 3, next }).next).toBe(link)
  })

  it('returns no page, previous or next in cursor mode when there are no other pages', () => {
    const page: Page = { mode: 'cursor', items: [], itemsPerPage: 3 }
    expect(linksOf('page=3&a=1', page)).toEqual({ self: '/items?a=1', previous: undefined, next: undefined })
  })
})

function select(query: string, ...layers: PaginationOptions[]) {
  const options = effectiveOptions(layers)
  return readSelection(parseQuery(query), { options, config, via: options.viaCursor })
}
const sized: PaginationOptions = {
  paginationItemsPerPage: 10,
  paginationClientItemsPerPage: true,
  paginationMaximumItemsPerPage: 50,
}
const cursor: PaginationOptions = {
  paginationItemsPerPage: 3,
  paginationPartial: true,
  paginationViaCursor: [{ field: 'id', direction: 'DESC' }],
}

describe('pagination options', () => {
  it('are inherited from operation, resource, settings and defaults, in this order', () => {
    expect(select('')).toEqual({ mode: 'full', page: 1, offset: 0, limit: 30 })
    expect(select('', {}, {}, { paginationItemsPerPage: 7 })).toMatchObject({ limit: 7 })
    expect(select('', {}, { paginationItemsPerPage: 20 }, { paginationItemsPerPage: 7 })).toMatchObject({ limit: 20 })
    expect(select('', { paginationItemsPerPage: 5 }, { paginationItemsPerPage: 20 })).toMatchObject({ limit: 5 })
    expect(select('', { paginationItemsPerPage: 0 }, { paginationItemsPerPage: 20 })).toMatchObject({ limit: 0 })
    expect(select('', { paginationItemsPerPage: undefined }, { paginationItemsPerPage: 20 })).toMatchObject({
      limit: 20,
    })
    expect(select('', { paginationEnabled: true }, { paginationEnabled: false })).toMatchObject({ mode: 'full' })
    expect(select('', { paginationPartial: false }, { paginationPartial: true })).toMatchObject({ mode: 'full' })
  })

  it('limit client page sizes to 100 by default, and do not limit them when the maximum is null', () => {
    const open = { paginationClientItemsPerPage: true }
    expect(select('itemsPerPage=1000', open)).toMatchObject({ limit: 100 })
    expect(select('itemsPerPage=1000', { ...open, paginationMaximumItemsPerPage: null }, sized)).toMatchObject({
      limit: 1000,
    })
    expect(select('', { ...open, paginationItemsPerPage: 50, paginationMaximumItemsPerPage: 20 })).toMatchObject({
      limit: 20,
    })
    expect(select('', { paginationItemsPerPage: 50, paginationMaximumItemsPerPage: 20 })).toMatchObject({ limit: 50 })
  })
})

describe('readSelection', () => {
  const below1 = 'Page should not be less than 1'
  it.each([
    ['page=0', below1],
    ['page=-1', below1],
    ['page=abc', below1],
    ['page=', below1],
    ['page=00', below1],
    ['page=null', below1],
    ['page=1.5', below1],
    ['page=2abc', below1],
    ['page=1e1', below1],
    ['page[]=2', below1],
    ['page[a]=2', below1],
    ['page=0x2', below1],
    ['page=%D9%A2', below1],
    ['page=+2', below1],
    ['page=99999999999999999999', 'Page parameter is too large.'],
    ['page=9007199254740993', 'Page parameter is too large.'],
    ['page=1000000000000000', 'Page parameter is too large.'],
    ['itemsPerPage=-1', 'Limit should not be less than 0'],
    ['itemsPerPage=abc', 'Limit should be a whole number'],
    ['itemsPerPage=', 'Limit should be a whole number'],
    ['itemsPerPage=10.5', 'Limit should be a whole number'],
    ['itemsPerPage[]=20', 'Limit should be a whole number'],
    ['itemsPerPage=0&page=2', 'Page should not be greater than 1 if limit is equal to 0'],
    ['itemsPerPage=0&page=99999999999999999999', 'Page should not be greater than 1 if limit is equal to 0'],
  ])('rejects %s', (query, detail) => {
    expect(() => select(query, sized)).toThrow(expect.objectContaining({ code: 'invalid-input', detail }))
  })

  it.each([
    ['page=002', { page: 2 }],
    ['page=%32', { page: 2 }],
    ['page=2&page=3', { page: 3 }],
    ['Page=2', { page: 1 }],
    ['itemsPerPage=0', { limit: 0, offset: 0 }],
    ['itemsPerPage=51', { limit: 50 }],
    ['itemsPerPage=99999999999999999999', { limit: 50 }],
    ['itemsPerPage=20&itemsPerPage=5&page=3', { limit: 5, offset: 10 }],
  ])('reads %s', (query, selection) => {
    expect(select(query, sized)).toMatchObject(selection)
  })

  it.each([['itemsPerPage=-1'], ['itemsPerPage=abc'], ['itemsPerPage[]=2'], ['pagination=abc'], ['partial=abc']])(
    'ignores %s when clients may not set it',
    query => expect(select(query)).toEqual({ mode: 'full', page: 1, offset: 0, limit: 30 }),
  )

  const toggle = { paginationClientEnabled: true, paginationClientPartial: true }
  it.each([
    ...['false', '0', 'no', 'off', 'FALSE', '+No+', ''].map(value => [value, 'whole', 'full'] as const),
    ...['true', '1', 'yes', 'on', 'True', '%20ON'].map(value => [value, 'full', 'partial'] as const),
  ])('reads pagination=%j as a boolean with the mode %j, and reads partial likewise', (value, whole, partial) => {
    expect(select(`pagination=${value}`, toggle)).toMatchObject({ mode: whole })
    expect(select(`partial=${value}`, toggle)).toMatchObject({ mode: partial })
  })

  it.each([['abc'], ['t'], ['2'], ['null']])('rejects pagination=%s and partial=%s', value => {
    expect(() => select(`pagination=${value}`, toggle)).toThrow(expect.objectContaining({ status: 400 }))
    expect(() => select(`partial=${value}`, toggle)).toThrow(expect.objectContaining({ status: 400 }))
    expect(() => select(`pagination[]=1`, toggle)).toThrow(expect.objectContaining({ status: 400 }))
  })

  it('ignores other parameters and applies the hard limit when pagination is off', () => {
    expect(select('pagination=false&page=0&partial=true', toggle)).toEqual({ mode: 'whole', most: 10_000 })
  })

  it('ignores the page in cursor mode and reads the cursor', () => {
    expect(select('page=0&id[lt]=8&id[gte]=2', cursor)).toMatchObject({
      mode: 'cursor',
      limit: 3,
      cursor: { bounds: [{ field: 'id', operator: 'lt', value: '8' }] },
    })
    expect(() => select('id[lt][]=8', cursor)).toThrow(expect.objectContaining({ status: 400 }))
    const opaque = { ...cursor, paginationCursorFormat: 'opaque' as const }
    expect(select('cursor=abc', opaque)).toMatchObject({ format: 'opaque', cursor: { bounds: [], token: 'abc' } })
    expect(() => select('cursor[]=abc', opaque)).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('readFilters', () => {
  const filters = { category: 'exact', id: 'range', name: ['exact', 'search'], text: 'search' } as const
  const read = (query: string, cursorFields = NONE) => readFilters(parseQuery(query), filters, cursorFields)
  it.each([
    ['category=1', [{ kind: 'exact', field: 'category', values: ['1'] }]],
    ['category[]=1&category[]=2', [{ kind: 'exact', field: 'category', values: ['1', '2'] }]],
    ['category=&text=&id[gt]=&name[]=', []],
    [
      'id[gt]=10&id[lte]=25',
      [
        { kind: 'range', field: 'id', operator: 'lte', value: '25' },
        { kind: 'range', field: 'id', operator: 'gt', value: '10' },
      ],
    ],
    ['text=x+y', [{ kind: 'search', field: 'text', value: 'x y' }]],
    ['name=x', [{ kind: 'exact', field: 'name', values: ['x'] }]],
    ['name[search]=x', [{ kind: 'search', field: 'name', value: 'x' }]],
    ['id=5&unknown=1&category[lt]=2&id[between]=1..2', []],
  ])('reads %s', (query, conditions) => {
    expect(read(query)).toEqual(conditions)
  })

  it('leaves lt and gt of cursor fields to the cursor', () => {
    expect(read('id[lt]=5&id[gte]=2', new Set(['id']))).toEqual([
      { kind: 'range', field: 'id', operator: 'gte', value: '2' },
    ])
  })

  it('rejects lists where a single value is required', () => {
    expect(() => read('id[lt][]=5')).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('order parameter', () => {
  const offered = new Set(['id', 'name'])
  it('accepts the offered fields in the order of the request', () => {
    const order = readOrder(parseQuery('order[name]=DESC&order[id]=&order[secret]=asc'), 'order', offered)
    expect(order).toEqual([
      { field: 'name', direction: 'DESC' },
      { field: 'id', direction: 'ASC' },
    ])
    expect(readOrder(parseQuery('order=name&order[id]=sideways'), 'order', offered)).toEqual([])
  })

  it('puts the requested cursor fields before the declared ones', () => {
    const declared = [
      { field: 'score', direction: 'DESC' },
      { field: 'id', direction: 'DESC' },
    ] as const
    expect(cursorOrder(declared, [])).toEqual(declared)
    expect(cursorOrder(declared, [{ field: 'id', direction: 'ASC' }])).toEqual([
      { field: 'id', direction: 'ASC' },
      { field: 'score', direction: 'DESC' },
    ])
  })
})

describe('fromJsonApiQuery', () => {
  it.each([
    ['page[page]=2&page[itemsPerPage]=5', 'page=2&itemsPerPage=5'],
    ['page[number]=2&page[size]=5', 'page=2&itemsPerPage=5'],
    ['sort=-name,id', 'order%5Bname%5D=desc&order%5Bid%5D=asc'],
    ['filter[category]=1&filter[id][gt]=3', 'category=1&id%5Bgt%5D=3'],
    ['page=2', 'page=2'],
    ['page[]=2', 'page%5B%5D=2'],
  ])('converts %s to %s', (sent, meant) => {
    expect(buildQuery(fromJsonApiQuery(parseQuery(sent), config))).toBe(meant)
  })
})
