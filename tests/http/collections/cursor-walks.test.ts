import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CollectionFixture, startCollectionFixture, walk } from './collection-fixture'

const down = (from: number) => Array.from({ length: from }, (_, index) => from - index)
const up = (to: number) => Array.from({ length: to }, (_, index) => index + 1)

interface Walk {
  path: string
  /** Every id in the order of the walk. */
  ids: number[]
}

const WALKS: Walk[] = [
  { path: '/cursor-desc', ids: down(10) },
  { path: '/cursor-desc?order[id]=asc', ids: up(10) },
  { path: '/cursor-desc?id[gte]=3&id[lte]=8', ids: [8, 7, 6, 5, 4, 3] },
  { path: '/cursor-asc', ids: up(10) },
  { path: '/cursor-asc?order[id]=desc', ids: down(10) },
  { path: '/cursor-asc?unknown=1&z[]=a&z[]=b', ids: up(10) },
  { path: '/cursor-exact', ids: down(9) },
  { path: '/cursor-empty', ids: [] },
  { path: '/cursor-sized', ids: down(10) },
  { path: '/cursor-sized?itemsPerPage=1', ids: down(10) },
  { path: '/cursor-sized?itemsPerPage=5', ids: down(10) },
  { path: '/cursor-sized?itemsPerPage=100', ids: down(10) },
  { path: '/cursor-multi', ids: down(12) },
  { path: '/cursor-multi?order[score]=asc&order[id]=asc', ids: up(12) },
  { path: '/cursor-multi?score[lte]=2', ids: down(8) },
  { path: '/cursor-mixed', ids: [9, 10, 11, 12, 5, 6, 7, 8, 1, 2, 3, 4] },
  { path: '/cursor-ties', ids: down(12) },
  { path: '/cursor-ties?order[score]=asc', ids: up(12) },
  { path: '/cursor-nulls', ids: [8, 7, 5, 4, 2, 1, 9, 6, 3] },
  { path: '/cursor-nulls?order[score]=asc', ids: [3, 6, 9, 1, 2, 4, 5, 7, 8] },
  { path: '/cursor-date', ids: down(7) },
  { path: '/cursor-date?order[createdAt]=asc', ids: up(7) },
  { path: '/cursor-text', ids: up(6) },
  { path: '/cursor-text?order[code]=desc', ids: down(6) },
  { path: '/cursor-moments', ids: [7, 6, 5, 4, 3, 2, 1, 9, 8] },
  { path: '/cursor-moments?order[takenAt]=asc', ids: [8, 9, 1, 2, 3, 4, 5, 6, 7] },
  { path: '/cursor-opaque', ids: [2, 5, 1, 7, 10, 3, 6, 9, 4, 8] },
  { path: '/cursor-opaque?order[score]=asc&order[id]=desc', ids: [8, 4, 9, 6, 3, 10, 7, 1, 5, 2] },
  { path: '/cursor-opaque?score[gte]=1', ids: [2, 5, 1, 7, 10] },
  { path: '/cursor-filtered', ids: down(20) },
  { path: '/cursor-filtered?category=1', ids: [19, 17, 15, 13, 11, 9, 7, 5, 3, 1] },
]

const ON_ONE_PAGE = new Set(['/cursor-empty', '/cursor-sized?itemsPerPage=100'])

let fixture: CollectionFixture
beforeAll(async () => {
  fixture = await startCollectionFixture()
})
afterAll(() => fixture.stop())

describe('cursor pagination', () => {
  it.each(WALKS)('returns each row of $path once, to the end and back to the start', async ({ path, ids }) => {
    const there = await walk(fixture, path, 'next')
    expect(there.ids).toEqual(ids)
    const back = await walk(fixture, there.paths.at(-1) ?? path, 'previous')
    expect(back.pages.map(({ member }) => member)).toEqual(there.pages.map(({ member }) => member).toReversed())
  })

  it.each(WALKS)('has no link before the first and after the last row of $path', async ({ path }) => {
    const { pages } = await walk(fixture, path, 'next')
    expect(pages.at(0)?.view).not.toHaveProperty('previous')
    expect(pages.at(-1)?.view).not.toHaveProperty('next')
    for (const page of pages) {
      expect(page).not.toHaveProperty('totalItems')
      expect(page.view).not.toHaveProperty('first')
      expect(page.view).not.toHaveProperty('last')
    }
  })

  it.each(WALKS.filter(({ path }) => !ON_ONE_PAGE.has(path)))(
    'can turn around in the middle of $path',
    async ({ path }) => {
      const { pages, paths } = await walk(fixture, path, 'next')
      expect(pages.length).toBeGreaterThan(1)
      for (const [index, page] of pages.slice(0, -1).entries()) {
        const after = await fixture.page(paths[index + 1] ?? 'no next page')
        const before = await fixture.page(after.view?.previous ?? 'no link back')
        expect(before.member).toEqual(page.member)
      }
    },
  )
})

interface ChangingWalk {
  path: string
  /** After the first page, the test inserts and deletes rows before it, on it and after it. */
  insert: { id: number; [column: string]: unknown }[]
  delete: number[]
  ids: number[]
}

const CHANGING: ChangingWalk[] = [
  { path: '/cursor-desc', insert: [{ id: 11 }, { id: 12 }], delete: [9, 5], ids: [10, 9, 8, 7, 6, 4, 3, 2, 1] },
  { path: '/cursor-desc', insert: [{ id: 0 }, { id: -1 }], delete: [8], ids: [...down(10), 0, -1] },
  { path: '/cursor-asc', insert: [{ id: 11 }, { id: 0 }], delete: [2, 3, 4], ids: [1, 2, 3, 5, 6, 7, 8, 9, 10, 11] },
  { path: '/cursor-exact', insert: [{ id: 20 }], delete: [1, 2, 3], ids: [9, 8, 7, 6, 5, 4] },
  { path: '/cursor-sized', insert: [{ id: 11 }], delete: down(10), ids: [10, 9, 8] },
  {
    path: '/cursor-multi',
    insert: [
      { id: 100, score: 3 },
      { id: 101, score: 1 },
      { id: 102, score: 0 },
    ],
    delete: [8, 7],
    ids: [12, 11, 10, 9, 8, 6, 5, 101, 4, 3, 2, 1, 102],
  },
  {
    path: '/cursor-mixed',
    insert: [
      { id: 100, score: 2 },
      { id: 0, score: 2 },
    ],
    delete: [9, 10, 11, 12],
    ids: [9, 10, 11, 12, 5, 6, 7, 8, 100, 1, 2, 3, 4],
  },
  {
    path: '/cursor-ties',
    insert: [{ id: 13, score: 1 }],
    delete: [8],
    ids: [12, 11, 10, 9, 8, 7, 6, 5, 13, 4, 3, 2, 1],
  },
  {
    path: '/cursor-nulls',
    insert: [
      { id: 12, score: null },
      { id: 13, score: 6 },
    ],
    delete: [7, 6],
    ids: [8, 7, 13, 5, 4, 2, 1, 12, 9, 3],
  },
  { path: '/cursor-date', insert: [{ id: 9 }, { id: 8 }], delete: [7, 6, 3], ids: [7, 6, 5, 4, 2, 1] },
  {
    path: '/cursor-text',
    insert: [
      { id: 7, code: 'd' },
      { id: 8, code: 'b' },
    ],
    delete: [2, 3],
    ids: [1, 2, 7, 4, 5, 6],
  },
  {
    path: '/cursor-filtered?category=1',
    insert: [
      { id: 21, category: '1' },
      { id: 23, category: '1' },
    ],
    delete: [17, 13],
    ids: [19, 17, 15, 11, 9, 7, 5, 3, 1],
  },
]

describe('cursor pagination while rows change', () => {
  afterEach(async () => {
    for (const { path } of CHANGING) await fixture.reset(nameOf(path))
  })

  it.each(CHANGING)('does not repeat or skip a row of $path ($delete deleted)', async change => {
    const { ids } = await walk(fixture, change.path, 'next', {
      async afterPage(count) {
        if (count === 1) await fixture.mutate(nameOf(change.path), { insert: change.insert, delete: change.delete })
      },
    })
    expect(ids).toEqual(change.ids)
  })

  it('includes new rows on the way back', async () => {
    const there = await walk(fixture, '/cursor-desc', 'next')
    await fixture.mutate('cursor-desc', { insert: [{ id: 11 }, { id: 12 }], delete: [4] })
    const back = await walk(fixture, there.paths.at(-1) ?? '', 'previous')
    const rows = back.pages.toReversed().flatMap(({ member }) => member.map(({ id }) => id))
    expect(rows).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1])
  })

  it('links from an empty page back to the remaining rows', async () => {
    const last = (await walk(fixture, '/cursor-asc', 'next')).paths.at(-1) ?? ''
    await fixture.mutate('cursor-asc', { delete: [10] })
    const empty = await fixture.page(last)
    expect(empty.member).toEqual([])
    expect(empty.view).not.toHaveProperty('next')
    expect((await fixture.ids(empty.view?.previous ?? 'no link back')).at(-1)).toBe(9)
  })
})

const nameOf = (path: string) => path.slice(1).split('?', 1)[0] ?? ''
