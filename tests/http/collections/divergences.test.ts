import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CollectionFixture, startCollectionFixture, walk } from './collection-fixture'

let fixture: CollectionFixture
beforeAll(async () => {
  fixture = await startCollectionFixture()
})
afterAll(() => fixture.stop())

const status = async (path: string) => (await fixture.request(path)).status
const view = async (path: string) => (await fixture.page(path)).view

describe('pagination view', () => {
  it('is present on a single page, with that page as first and last', async () => {
    for (const name of ['items-few', 'items-empty', 'items-full-one'])
      expect(await view(`/${name}`)).toEqual({
        '@id': `/${name}?page=1`,
        '@type': 'PartialCollectionView',
        first: `/${name}?page=1`,
        last: `/${name}?page=1`,
      })
  })

  it('is absent whenever pagination is off, regardless of other parameters', async () => {
    for (const path of [
      '/unpaged',
      '/unpaged?x=1&page=3',
      '/toggle?pagination=false&x=1',
      '/toggle-off?itemsPerPage=2',
    ])
      expect(await view(path)).toBeUndefined()
  })

  it('links from beyond the end to the last existing page', async () => {
    for (const page of [5, 6, 900]) expect((await view(`/items?page=${page}`))?.previous).toBe('/items?page=4')
    expect((await view('/provider-array?page=9'))?.previous).toBe('/provider-array?page=3')
  })
})

describe('malformed number, switch or list', () => {
  it.each([
    '/items?page=1.5',
    '/items?page=2abc',
    '/items?page=1e1',
    '/items?page[]=2',
    '/items?page[a]=2',
    '/items?page=',
    '/items?page=0x2',
    '/items?page=%D9%A2',
    '/items?page=99999999999999999999',
    '/sized?itemsPerPage=abc',
    '/sized?itemsPerPage=',
    '/sized?itemsPerPage=10.5',
    '/sized?itemsPerPage[]=20',
    '/toggle?pagination=abc',
    '/toggle?pagination=t',
    '/toggle?pagination=2',
    '/toggle?pagination[]=1',
    '/partial-client?partial=abc',
    '/partial-client?partial[]=1',
  ])('returns 400 for %s', async path => {
    expect(await status(path)).toBe(400)
  })

  it('is ignored where the client cannot set the parameter', async () => {
    for (const query of ['pagination=abc', 'partial[]=1', 'itemsPerPage=abc', 'Page=abc'])
      expect(await fixture.ids(`/items?${query}`)).toHaveLength(30)
  })
})

describe('pages without a total', () => {
  it('have a next link only when the next page has a row', async () => {
    expect((await view('/partial-exact?page=1'))?.next).toBe('/partial-exact?page=2')
    expect(await view('/partial-exact?page=2')).not.toHaveProperty('next')
    expect(await view('/partial-sized?itemsPerPage=0')).not.toHaveProperty('next')
  })

  it('trust a provider that knows whether there is another page', async () => {
    expect((await view('/provider-hasnext'))?.next).toBe('/provider-hasnext?page=2')
    expect(await view('/provider-hasnext?page=2')).not.toHaveProperty('next')
  })
})

describe('cursor', () => {
  it('uses the declared order by default and the requested order when there is one', async () => {
    expect(await fixture.ids('/cursor-desc')).toEqual([10, 9, 8])
    expect((await view('/cursor-desc?order[id]=asc'))?.next).toBe('/cursor-desc?order%5Bid%5D=asc&id%5Bgt%5D=3')
    expect(await fixture.ids('/cursor-desc?order[id]=asc')).toEqual([1, 2, 3])
  })

  it('has no link past the first and last row', async () => {
    expect(await view('/cursor-desc')).not.toHaveProperty('previous')
    expect(await view('/cursor-desc?id[lt]=4')).not.toHaveProperty('next')
    expect(await view('/cursor-exact?id[lt]=4')).not.toHaveProperty('next')
  })

  it('goes back to the adjacent page, not to the first one', async () => {
    expect(await fixture.ids('/cursor-desc?id[gt]=4')).toEqual([7, 6, 5])
    expect(await fixture.ids('/cursor-asc?id[lt]=7')).toEqual([4, 5, 6])
  })

  it('compares several fields as one tuple', async () => {
    expect(await fixture.ids('/cursor-multi?score[lt]=2&id[lt]=8')).toEqual([7, 6, 5, 4, 3])
    expect(await fixture.ids('/cursor-mixed?score[lt]=3&id[gt]=10')).toEqual([11, 12, 5, 6, 7])
    expect(await fixture.ids('/cursor-mixed?score[gt]=2&id[lt]=6')).toEqual([9, 10, 11, 12, 5])
  })

  it('keeps the client’s own bounds in its links', async () => {
    const page = await fixture.page('/cursor-desc?id[gte]=3&id[lte]=8')
    expect(page.member.map(({ id }) => id)).toEqual([8, 7, 6])
    expect(new URL(page.view?.next ?? '', fixture.origin).searchParams.getAll('id[gte]')).toEqual(['3'])
    expect((await walk(fixture, '/cursor-desc?id[gte]=3&id[lte]=8', 'next')).ids).toEqual([8, 7, 6, 5, 4, 3])
  })

  it('adds no values to links on an empty page', async () => {
    expect(await view('/cursor-empty')).toEqual({ '@id': '/cursor-empty', '@type': 'PartialCollectionView' })
    expect(await view('/cursor-desc?id[lt]=1')).not.toHaveProperty('next')
    expect(await view('/cursor-desc?id[gt]=10')).not.toHaveProperty('previous')
  })

  it('returns every row among equal values and nulls', async () => {
    expect((await walk(fixture, '/cursor-ties', 'next')).ids.toSorted((a, b) => a - b)).toHaveLength(12)
    expect(new Set((await walk(fixture, '/cursor-nulls', 'next')).ids).size).toBe(9)
  })

  it('is not shifted by inserted and deleted rows', async () => {
    const first = await fixture.page('/cursor-desc')
    await fixture.mutate('cursor-desc', { insert: [{ id: 11 }, { id: 12 }, { id: 13 }], delete: [10, 9] })
    expect(await fixture.ids(first.view?.next ?? '')).toEqual([7, 6, 5])
    await fixture.reset('cursor-desc')
  })
})
