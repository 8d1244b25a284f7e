import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixtureRows } from '../../fixtures/collections/rows'
import type { FixtureName } from '../../fixtures/collections/tables'
import { type CollectionFixture, startCollectionFixture, walk } from './collection-fixture'

let fixture: CollectionFixture
beforeAll(async () => {
  fixture = await startCollectionFixture()
})
afterAll(() => fixture.stop())

interface PageWalk {
  collection: FixtureName
  query?: string
  /** Defaults to every row, in the order of the ids. */
  ids?: number[]
  pages: number
}

const full: PageWalk[] = [
  { collection: 'items', pages: 4 },
  { collection: 'items-exact', pages: 2 },
  { collection: 'items-full-one', pages: 1 },
  { collection: 'items-few', pages: 1 },
  { collection: 'items-empty', pages: 1 },
  { collection: 'items-31', pages: 2 },
  { collection: 'small-pages', pages: 4 },
  { collection: 'sized', query: 'itemsPerPage=7', pages: 15 },
  { collection: 'sized', query: 'itemsPerPage=1000', pages: 2 },
  { collection: 'sized-free', query: 'itemsPerPage=1000', pages: 1 },
  { collection: 'max-over', pages: 5 },
  { collection: 'max-unused', pages: 2 },
  { collection: 'toggle', query: 'pagination=yes', pages: 5 },
  { collection: 'toggle-off', query: 'pagination=1', pages: 5 },
  { collection: 'partial-both', query: 'partial=false', pages: 3 },
  { collection: 'all-client', query: 'itemsPerPage=33&x[a][]=1', pages: 4 },
  { collection: 'op-override', pages: 10 },
  { collection: 'op-reenable', pages: 3 },
  { collection: 'op-partial-off', pages: 3 },
  { collection: 'provider-array', pages: 3 },
  { collection: 'provider-traversable', pages: 3 },
  { collection: 'provider-sized', query: 'itemsPerPage=4', pages: 7 },
  { collection: 'join-many', pages: 4 },
  { collection: 'having', ids: [2, 3, 6, 7, 10, 11, 14, 15, 18, 19], pages: 3 },
  { collection: 'filtered', query: 'order[id]=desc', ids: Array.from({ length: 100 }, (_, i) => 100 - i), pages: 10 },
  {
    collection: 'filtered',
    query: 'order[category]=desc&id[lte]=8',
    ids: [3, 7, 2, 6, 1, 5, 4, 8],
    pages: 1,
  },
]

const partial: PageWalk[] = [
  { collection: 'partial', pages: 3 },
  { collection: 'partial-exact', pages: 2 },
  { collection: 'partial-empty', pages: 1 },
  { collection: 'partial-few', pages: 1 },
  { collection: 'partial-client', query: 'partial=true', pages: 3 },
  { collection: 'partial-both', pages: 3 },
  { collection: 'partial-sized', query: 'itemsPerPage=20', pages: 2 },
  { collection: 'partial-sized', query: 'itemsPerPage=0', ids: [], pages: 1 },
  { collection: 'partial-sized', query: 'itemsPerPage=5', pages: 5 },
  { collection: 'all-client', query: 'partial=1&itemsPerPage=25', pages: 4 },
  { collection: 'provider-partial', pages: 3 },
  { collection: 'provider-hasnext', pages: 2 },
]

const pathOf = ({ collection, query }: PageWalk) => `/${collection}${query ? `?${query}` : ''}`
const idsOf = ({ collection, ids }: PageWalk) => ids ?? fixtureRows(collection).map(({ id }) => id)
const titled = (walks: PageWalk[]) => walks.map(one => [pathOf(one), one] as const)

describe('pages with a total', () => {
  it.each(titled(full))('return each row of %s once, forwards and backwards', async (path, wanted) => {
    const there = await walk(fixture, path, 'next')
    expect(there.ids).toEqual(idsOf(wanted))
    expect(there.pages).toHaveLength(wanted.pages)
    const back = await walk(fixture, there.pages[0]?.view?.last ?? 'no last page', 'previous')
    expect(back.pages.map(({ member }) => member)).toEqual(there.pages.map(({ member }) => member).toReversed())
    for (const page of there.pages) expect(page.totalItems).toBe(idsOf(wanted).length)
  })
})

describe('pages without a total', () => {
  it.each(titled(partial))('return each row of %s once, forwards and backwards', async (path, wanted) => {
    const there = await walk(fixture, path, 'next')
    expect(there.ids).toEqual(idsOf(wanted))
    expect(there.pages).toHaveLength(wanted.pages)
    const back = await walk(fixture, there.paths.at(-1) ?? path, 'previous')
    expect(back.pages.map(({ member }) => member)).toEqual(there.pages.map(({ member }) => member).toReversed())
    for (const page of there.pages) {
      expect(page).not.toHaveProperty('totalItems')
      expect(page.view).not.toHaveProperty('first')
      expect(page.view).not.toHaveProperty('last')
    }
  })
})

describe('total count', () => {
  it.each(['items', 'filtered', 'provider-array', 'join-many', 'unpaged'] as const)(
    'is current for /%s before and after rows are added and deleted',
    async collection => {
      const count = fixtureRows(collection).length
      const totalOf = async () => (await fixture.page(`/${collection}`)).totalItems
      expect(await totalOf()).toBe(count)
      await fixture.mutate(collection, { insert: [{ id: 1001 }, { id: 1002 }] })
      expect(await totalOf()).toBe(count + 2)
      await fixture.mutate(collection, { delete: [1, 2, 3, 1001] })
      expect(await totalOf()).toBe(count - 2)
      await fixture.reset(collection)
      expect(await totalOf()).toBe(count)
    },
  )
})
