import { expect, it } from 'vitest'
import { pagerParts } from '#fairway/app/collections/collection-list'

const SIZES = [30, 60]
const view = { '@id': '/items?page=1' }

it.each([
  ['no page', undefined],
  ['a list that is not cut', { items: [], totalItems: 500 }],
  ['a list that fits on one page', { items: [], totalItems: 30, view }],
])('offers nothing for %s', (_, page) => {
  expect(pagerParts(page, SIZES)).toEqual({ canTurn: false, sizes: [], isNeeded: false })
})

it('offers other sizes even when all rows are shown', () => {
  expect(pagerParts({ items: [], totalItems: 31, view }, SIZES)).toEqual({
    canTurn: false,
    sizes: SIZES,
    isNeeded: true,
  })
  expect(pagerParts({ items: [], totalItems: 31, view })).toMatchObject({ isNeeded: false })
})

it('offers turning wherever a link leads', () => {
  expect(pagerParts({ items: [], view: { ...view, next: '/items?page=2' } })).toMatchObject({
    canTurn: true,
    sizes: [],
  })
  expect(pagerParts({ items: [], view: { ...view, previous: '/items' } }, SIZES)).toMatchObject({
    canTurn: true,
    sizes: SIZES,
  })
})
