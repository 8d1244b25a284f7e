import { describe, expect, it } from 'vitest'
import { ArrayPaginator, TraversablePaginator } from '#fw'
import type { PageSelection } from '#fairway/server/domains/collections/collection'
import { toPagination } from '#fairway/server/domains/collections/pagination'
import { toPage } from '#fairway/server/domains/collections/provider-reader'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const full: PageSelection = { mode: 'full', page: 1, offset: 0, limit: 10 }
const partial: PageSelection = { mode: 'partial', page: 2, offset: 10, limit: 10 }
const whole: PageSelection = { mode: 'whole', most: 100 }

describe('ArrayPaginator', () => {
  it.each([
    { total: 25, offset: 0, limit: 10, items: numbers(10), page: 1, last: 3, next: true },
    { total: 25, offset: 20, limit: 10, items: [21, 22, 23, 24, 25], page: 3, last: 3, next: false },
    { total: 20, offset: 10, limit: 10, items: numbers(20).slice(10), page: 2, last: 2, next: false },
    { total: 25, offset: 30, limit: 10, items: [], page: 4, last: 3, next: false },
    { total: 25, offset: 0, limit: 0, items: [], page: 1, last: 1, next: false },
    { total: 25, offset: 5, limit: -1, items: [], page: 1, last: 1, next: false },
    { total: 0, offset: 0, limit: 10, items: [], page: 1, last: 1, next: false },
  ])(
    'paginates $total items from offset $offset with limit $limit',
    ({ total, offset, limit, items, page, last, next }) => {
      const paginator = new ArrayPaginator(numbers(total), offset, limit)
      expect([...paginator]).toEqual(items)
      expect(paginator.count()).toBe(items.length)
      expect(paginator.getCurrentPage()).toBe(page)
      expect(paginator.getLastPage()).toBe(last)
      expect(paginator.getItemsPerPage()).toBe(limit)
      expect(paginator.getTotalItems()).toBe(total)
      expect(paginator.hasNextPage()).toBe(next)
    },
  )
})

describe('TraversablePaginator', () => {
  it.each([
    { items: numbers(3), page: 1, perPage: 3, total: 6, last: 2, next: true },
    { items: numbers(3), page: 2, perPage: 3, total: 6, last: 2, next: false },
    { items: [], page: 4, perPage: 3, total: 7, last: 3, next: false },
    { items: [7], page: 3, perPage: 3, total: 7, last: 3, next: false },
    { items: [], page: 1, perPage: 0, total: 7, last: 1, next: false },
    { items: [], page: 1, perPage: 3, total: 0, last: 1, next: false },
  ])('reports page $page with $perPage items per page of $total', ({ items, page, perPage, total, last, next }) => {
    const paginator = new TraversablePaginator(items, page, perPage, total)
    expect([...paginator]).toEqual(items)
    expect(paginator.count()).toBe(items.length)
    expect(new TraversablePaginator(new Set(items), page, perPage, total).count()).toBe(items.length)
    expect(paginator.getLastPage()).toBe(last)
    expect(paginator.hasNextPage()).toBe(next)
    expect([paginator.getCurrentPage(), paginator.getItemsPerPage(), paginator.getTotalItems()]).toEqual([
      page,
      perPage,
      total,
    ])
  })
})

const partialOf = (items: number[], perPage: number, hasNextPage?: () => boolean) => ({
  getCurrentPage: () => 2,
  getItemsPerPage: () => perPage,
  count: () => items.length,
  [Symbol.iterator]: () => items[Symbol.iterator](),
  ...(hasNextPage ? { hasNextPage } : {}),
})

describe('toPage', () => {
  it('returns a full page when the total is known', () => {
    expect(toPage(new ArrayPaginator(numbers(25), 10, 10), full)).toMatchObject({
      mode: 'full',
      page: 2,
      lastPage: 3,
      itemsPerPage: 10,
      totalItems: 25,
    })
  })

  it('returns a partial page, and derives hasNextPage from its size unless given', () => {
    expect(toPage(partialOf(numbers(10), 10), partial)).toMatchObject({ mode: 'partial', page: 2, hasNextPage: true })
    expect(toPage(partialOf(numbers(9), 10), partial)).toMatchObject({ hasNextPage: false })
    expect(toPage(partialOf([], 0), partial)).toMatchObject({ hasNextPage: false })
    expect(
      toPage(
        partialOf(numbers(10), 10, () => false),
        partial,
      ),
    ).toMatchObject({ hasNextPage: false })
    expect(
      toPage(
        partialOf([1], 10, () => true),
        partial,
      ),
    ).toMatchObject({ hasNextPage: true })
  })

  it('returns a list as a whole page, with a total when it can be counted', () => {
    expect(toPage(numbers(3), full)).toEqual({ mode: 'whole', items: [1, 2, 3], totalItems: 3 })
    expect(toPage(new Set([1, 2]), full)).toEqual({ mode: 'whole', items: [1, 2], totalItems: 2 })
    const generated = (function* () {
      yield 1
    })()
    expect(toPage(generated, full)).toEqual({ mode: 'whole', items: [1], totalItems: undefined })
  })

  it('returns a whole page when the whole collection is requested', () => {
    const page = toPage(new ArrayPaginator(numbers(45), 0, 101), whole)
    expect(page).toMatchObject({ mode: 'whole', totalItems: 45 })
    expect(page.items).toHaveLength(45)
  })

  it('returns a cursor page', () => {
    const next = { token: 'abc' }
    expect(toPage({ items: [1], next }, partial)).toEqual({
      mode: 'cursor',
      items: [1],
      itemsPerPage: 10,
      next,
      previous: undefined,
    })
  })

  it('throws for a value that is not a list', () => {
    expect(() => toPage(null as never, full)).toThrow(TypeError)
    expect(() => toPage({ rows: [] } as never, full)).toThrow(TypeError)
  })
})

describe('toPagination', () => {
  it('returns a frozen object with page, offset and limit', () => {
    const pagination = toPagination(partial)
    expect(pagination).toMatchObject({ enabled: true, partial: true, page: 2, offset: 10, limit: 10, cursor: null })
    expect(Object.isFrozen(pagination)).toBe(true)
  })

  it('requests one row more than the maximum for a whole collection', () => {
    expect(toPagination(whole)).toMatchObject({ enabled: false, offset: 0, limit: 101 })
  })

  it('builds pages with a total, without a total, and from one extra row', () => {
    const pagination = toPagination(partial)
    expect(toPage(pagination.toPage(numbers(10), 25), full)).toMatchObject({ mode: 'full', page: 2, lastPage: 3 })
    expect(toPage(pagination.toPage(numbers(10)), partial)).toMatchObject({ mode: 'partial', hasNextPage: true })
    const slice = toPage(pagination.toSlice(numbers(11)), partial)
    expect(slice).toMatchObject({ mode: 'partial', hasNextPage: true })
    expect(slice.items).toHaveLength(10)
    expect(toPage(pagination.toSlice(numbers(10)), partial)).toMatchObject({ hasNextPage: false })
  })

  it('passes the cursor on to the source', () => {
    const via = [{ field: 'id', direction: 'DESC' }] as const
    const cursor = { bounds: [{ field: 'id', operator: 'lt', value: '8' }] } as const
    expect(toPagination({ mode: 'cursor', limit: 3, via, format: 'bounds', cursor })).toMatchObject({
      partial: true,
      limit: 3,
      cursor: { ...cursor, via },
    })
  })
})
