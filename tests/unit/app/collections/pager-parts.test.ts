import { expect, it } from 'vitest'
import { pagerParts } from '#fairway/app/collections/collection-list'

const SIZES = [30, 60]
const view = { '@id': '/items?page=1' }

it.each([
  ['no page', undefined],
  ['a list that is not cut', { items: [], totalItems: 500 }],
  ['a list that fits on one page', { items: [], totalItems: 30, view }],
])('offers no controls for %s', (_, page) => {
  expect(pagerParts(page, SIZES)).toEqual({ canTurn: false, sizes: [], isNeeded: false })
})

it('offers other page sizes even when the page shows all rows', () => {
  expect(pagerParts({ items: [], totalItems: 31, view }, SIZES)).toEqual({
    canTurn: false,
    sizes: SIZES,
    isNeeded: true,
  })
  expect(pagerParts({ items: [], totalItems: 31, view })).toMatchObject({ isNeeded: false })
})

it('offers page navigation when there is a next or previous link', () => {
  expect(pagerParts({ items: [], view: { ...view, next: '/items?page=2' } })).toMatchObject({
    canTurn: true,
    sizes: [],
  })
  expect(pagerParts({ items: [], view: { ...view, previous: '/items' } }, SIZES)).toMatchObject({
    canTurn: true,
    sizes: SIZES,
  })
})
