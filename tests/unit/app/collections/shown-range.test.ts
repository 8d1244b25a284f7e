import { describe, expect, it } from 'vitest'
import { shownRange } from '#fairway/app/collections/shown-range'

const rows = (count: number) => Array.from({ length: count }, () => ({}))
const view = (page: number, next = false) => ({ '@id': `/items?page=${page}`, ...(next ? { next: '/items' } : {}) })

describe('shownRange', () => {
  it.each([
    ['the first page', { items: rows(30), totalItems: 100, view: view(1, true) }, 1, 30],
    ['a page in the middle', { items: rows(30), totalItems: 100, view: view(2, true) }, 31, 60],
    ['the short last page', { items: rows(10), totalItems: 100, view: view(4) }, 91, 100],
    ['an exactly full last page', { items: rows(30), totalItems: 90, view: view(3) }, 61, 90],
    ['a collection of one page', { items: rows(3), totalItems: 3, view: view(1) }, 1, 3],
    ['a collection that is not cut', { items: rows(3), totalItems: 3 }, 1, 3],
  ])('returns the range and total for %s', (_, page, first, last) => {
    expect(shownRange(page)).toEqual({ kind: 'counted', first, last, total: page.totalItems })
  })

  it.each([
    ['an empty collection', 0],
    ['a page past the end', 3],
  ])('returns zero rows for %s', (_, totalItems) => {
    expect(shownRange({ items: [], totalItems, view: view(9) })).toEqual({ kind: 'rows', rows: 0 })
  })

  it('returns the page number when there is no total', () => {
    expect(shownRange({ items: rows(12), view: view(3) })).toEqual({ kind: 'paged', page: 3, rows: 12 })
  })

  it('returns only the number of rows for a cursor page', () => {
    expect(shownRange({ items: rows(12), view: { '@id': '/items?id%5Blt%5D=8' } })).toEqual({ kind: 'rows', rows: 12 })
  })

  it('counts appended pages from the first row', () => {
    expect(shownRange({ items: rows(60), totalItems: 100, view: view(2, true) }, true)).toMatchObject({
      first: 1,
      last: 60,
    })
    expect(shownRange({ items: rows(60), view: view(2, true) }, true)).toEqual({ kind: 'rows', rows: 60 })
  })
})
