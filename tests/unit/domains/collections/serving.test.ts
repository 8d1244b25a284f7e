import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ArrayPaginator, defineCollection, TraversablePaginator } from '#fw'
import { serveCollections } from './serve'

const item = z.object({ id: z.int(), name: z.string() })
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `Item ${index + 1}` }))

const base = { description: 'Items.', item, public: true as const }
const partialPage = (count: number, offset: number, limit: number, page: number) => {
  const slice = rows(count).slice(offset, offset + limit)
  return {
    getCurrentPage: () => page,
    getItemsPerPage: () => limit,
    count: () => slice.length,
    [Symbol.iterator]: () => slice[Symbol.iterator](),
  }
}

const array = (count: number) => ({
  source: ({ pagination: { offset, limit } }: { pagination: { offset: number; limit: number } }) =>
    new ArrayPaginator(rows(count), offset, limit),
})

let site: Awaited<ReturnType<typeof serveCollections>>
beforeAll(async () => {
  site = await serveCollections({
    items: defineCollection({ ...base, shortName: 'Item', ...array(100) }),
    'items-few': defineCollection({ ...base, shortName: 'Few', ...array(5) }),
    'zero-pages': defineCollection({ ...base, ...array(10), paginationItemsPerPage: 0 }),
    wide: defineCollection({
      ...base,
      source: () => [{ id: 1, name: 'Item 1', secret: 'swordfish' }],
      getItem: () => ({ id: 1, name: 'Item 1', secret: 'swordfish' }),
    }),
    unpaged: defineCollection({ ...base, ...array(45), paginationEnabled: false }),
    sized: defineCollection({
      ...base,
      ...array(100),
      paginationItemsPerPage: 10,
      paginationClientItemsPerPage: true,
      paginationMaximumItemsPerPage: 50,
    }),
    toggle: defineCollection({ ...base, ...array(45), paginationItemsPerPage: 10, paginationClientEnabled: true }),
    traversable: defineCollection({
      ...base,
      paginationItemsPerPage: 10,
      source: ({ pagination: { page, offset, limit } }) =>
        new TraversablePaginator(rows(25).slice(offset, offset + limit), page, limit, 25),
    }),
    'without-total': defineCollection({
      ...base,
      paginationItemsPerPage: 10,
      source: ({ pagination: { page, offset, limit } }) => partialPage(20, offset, limit, page),
    }),
    'with-next': defineCollection({
      ...base,
      shortName: 'WithNext',
      paginationItemsPerPage: 10,
      source: ({ pagination: { page, offset, limit } }) => ({
        ...partialPage(20, offset, limit, page),
        hasNextPage: () => offset + limit < 20,
      }),
    }),
    slices: defineCollection({
      ...base,
      paginationItemsPerPage: 10,
      paginationPartial: true,
      source: ({ pagination }) =>
        pagination.toSlice(rows(20).slice(pagination.offset, pagination.offset + pagination.limit + 1)),
    }),
    bare: defineCollection({
      ...base,
      source: () => rows(25),
      getItem: id => rows(25).find(row => String(row.id) === id),
    }),
    private: defineCollection({ ...base, public: false, source: () => rows(2) }),
  })
})
afterAll(() => site.stop())

const read = async (path: string) => (await site.get(path)).json()

describe('GET /{collection}', () => {
  it('returns a Hydra document with its keys in a fixed order', async () => {
    const answer = await site.get('/items?page=2')
    expect(answer.headers.get('content-type')).toBe('application/ld+json; charset=utf-8')
    const text = await answer.text()
    const body = JSON.parse(text)
    expect(Object.keys(body)).toEqual(['@context', '@id', '@type', 'totalItems', 'member', 'view'])
    expect(body).toMatchObject({
      '@context': '/contexts/Item',
      '@id': '/items',
      '@type': 'Collection',
      totalItems: 100,
    })
    expect(body.member[0]).toEqual({ '@id': '/items/31', '@type': 'Item', id: 31, name: 'Item 31' })
    expect(body.member).toHaveLength(30)
    expect(text).toContain(
      '"view":{"@id":"/items?page=2","@type":"PartialCollectionView","first":"/items?page=1","last":"/items?page=4","previous":"/items?page=1","next":"/items?page=3"}',
    )
  })

  it.each([
    ['/items', { first: '/items?page=1', last: '/items?page=4', next: '/items?page=2' }],
    ['/items?page=4', { first: '/items?page=1', last: '/items?page=4', previous: '/items?page=3' }],
    ['/items?page=9', { first: '/items?page=1', last: '/items?page=4', previous: '/items?page=4' }],
    ['/items-few', { first: '/items-few?page=1', last: '/items-few?page=1' }],
    ['/items-few?page=2', { first: '/items-few?page=1', last: '/items-few?page=1', previous: '/items-few?page=1' }],
    [
      '/sized?page=2&itemsPerPage=20',
      {
        first: '/sized?itemsPerPage=20&page=1',
        last: '/sized?itemsPerPage=20&page=5',
        previous: '/sized?itemsPerPage=20&page=1',
        next: '/sized?itemsPerPage=20&page=3',
      },
    ],
    [
      '/traversable?page=3',
      { first: '/traversable?page=1', last: '/traversable?page=3', previous: '/traversable?page=2' },
    ],
    ['/without-total?page=2', { previous: '/without-total?page=1', next: '/without-total?page=3' }],
    ['/with-next?page=2', { previous: '/with-next?page=1' }],
    ['/slices', { next: '/slices?page=2' }],
    ['/slices?page=2', { previous: '/slices?page=1' }],
  ])('returns the expected links for %s', async (path, links) => {
    const { '@id': _id, '@type': _type, ...view } = (await read(path)).view
    expect(view).toEqual(links)
  })

  it.each([
    ['/zero-pages', { totalItems: 10, member: [] }],
    ['/sized?itemsPerPage=0', { totalItems: 100, member: [] }],
  ])('returns an empty page with the real total for %s', async (path, body) => {
    const answer = await read(path)
    expect(answer).toMatchObject(body)
    expect(answer.view).not.toHaveProperty('next')
  })

  it.each([['/unpaged'], ['/unpaged?page=0'], ['/toggle?pagination=false&x=y'], ['/toggle?pagination']])(
    'returns all items without a view for %s',
    async path => {
      const body = await read(path)
      expect(body.member).toHaveLength(45)
      expect(body.totalItems).toBe(45)
      expect(body).not.toHaveProperty('view')
    },
  )

  it('returns all items without a view when the source returns a bare list', async () => {
    const body = await read('/bare?page=2')
    expect(body).toMatchObject({ totalItems: 25 })
    expect(body.member).toHaveLength(25)
    expect(body).not.toHaveProperty('view')
  })

  it.each([
    ['/items?page=0', 'Page should not be less than 1'],
    ['/zero-pages?page=2', 'Page should not be greater than 1 if limit is equal to 0'],
    ['/sized?itemsPerPage=-1', 'Limit should not be less than 0'],
    ['/items?page=99999999999999999999', 'Page parameter is too large.'],
  ])('returns 400 for %s: %s', async (path, detail) => {
    const answer = await site.get(path)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(await answer.json()).toMatchObject({ detail, code: 'invalid-input', status: 400 })
  })

  it('returns only the declared fields of its items', async () => {
    const page = await (await site.get('/wide')).json()
    expect(page.member).toEqual([expect.objectContaining({ id: 1, name: 'Item 1' })])
    for (const type of ['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json'])
      for (const path of ['/wide', '/wide/1']) {
        const answer = await site.get(path, { accept: type })
        expect([path, type, answer.status]).toEqual([path, type, 200])
        expect(await answer.text()).not.toMatch(/secret|swordfish/)
      }
  })

  it('returns 401 without a session unless the collection is public', async () => {
    const answer = await site.get('/private')
    expect(answer.status).toBe(401)
  })

  it('returns 404 for an unknown item, and for any item when the source cannot read one', async () => {
    expect((await site.get('/items/3')).status).toBe(404)
    expect((await site.get('/bare/99')).status).toBe(404)
    const answer = await site.get('/bare/3')
    expect(await answer.json()).toEqual({
      '@context': '/contexts/Bare',
      '@id': '/bare/3',
      '@type': 'Bare',
      id: 3,
      name: 'Item 3',
    })
  })

  it('returns 405 for other methods', async () => {
    const answer = await site.get('/items', {}, 'DELETE')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  })
})
