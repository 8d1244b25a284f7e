import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readOpenApi } from '../../support/openapi'
import { tables } from '../../fixtures/collections/tables'
import { type CollectionFixture, startCollectionFixture } from './collection-fixture'

let fixture: CollectionFixture
beforeAll(async () => {
  fixture = await startCollectionFixture()
})
afterAll(() => fixture.stop())

type Links = Partial<Record<'self' | 'first' | 'last' | 'prev' | 'next', string>>

const id = z.union([z.string(), z.number()]).transform(Number)
const links = z.object({ self: z.string(), first: z.string(), last: z.string(), prev: z.string(), next: z.string() })
const jsonApi = z.object({
  links: links.partial(),
  data: z.array(z.object({ id, type: z.string() })),
  meta: z.object({ totalItems: z.number().optional() }),
})
const href = z.object({ href: z.string() })
const hal = z.object({
  _links: z.object({ self: href, first: href, last: href, prev: href, next: href }).partial(),
  _embedded: z.object({ item: z.array(z.object({ id })) }).optional(),
  totalItems: z.number().optional(),
})

interface Read {
  ids: number[]
  total: number | undefined
  links: Links
  header: Links
}

async function read<T extends z.ZodType>(path: string, accept: string, schema: T) {
  const answer = await fixture.request(path, { accept })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain(accept)
  return { body: schema.parse(await answer.json()), header: linksOf(answer) }
}

/** The relations of the `Link` header for pages. */
function linksOf(answer: Response): Links {
  const relations = [...(answer.headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(self|first|last|prev|next)"/g)]
  return Object.fromEntries(relations.map(([, target, relation]) => [relation, target]))
}

async function readJsonApi(path: string): Promise<Read> {
  const { body, header } = await read(path, 'application/vnd.api+json', jsonApi)
  return { ids: body.data.map(one => one.id), total: body.meta.totalItems, links: body.links, header }
}

async function readHal(path: string): Promise<Read> {
  const { body, header } = await read(path, 'application/hal+json', hal)
  const given = Object.entries(body._links).map(([name, link]) => [name, link?.href])
  return {
    ids: body._embedded?.item.map(one => one.id) ?? [],
    total: body.totalItems,
    links: Object.fromEntries(given),
    header,
  }
}

const paths = Object.keys(tables).flatMap(name => [`/${name}`, `/${name}?page=2&z=1&a[]=%C3%A9`])

describe('collection formats', () => {
  it.each(paths)('return the rows, total and links of %s in the body and in the Link header', async path => {
    // A collection without rows has no page 2.
    if (path.startsWith('/zero-pages?')) return expect((await fixture.request(path)).status).toBe(400)
    const page = await fixture.page(path)
    const { '@id': self, first, last, previous: prev, next } = page.view ?? {}
    const wanted = defined(page.view ? { self, first, last, prev, next } : {})
    for (const { ids, total, links, header } of [await readJsonApi(path), await readHal(path)]) {
      expect(ids).toEqual(page.member.map(one => one.id))
      expect(total).toBe(page.totalItems)
      expect(defined(links)).toEqual(header)
      expect(header).toEqual(page.view ? wanted : { self: header.self })
    }
  })

  it.each(paths)('return the headers of %s without its rows for HEAD', async path => {
    const [got, head] = await Promise.all([
      fixture.request(path),
      fetch(fixture.origin + path, { method: 'HEAD', headers: { accept: 'application/ld+json' } }),
    ])
    expect(head.status).toBe(got.status)
    expect(await head.text()).toBe('')
    expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'))
    expect(linksOf(head)).toEqual(linksOf(got))
  })
})

describe('GET /_fw/openapi.json', () => {
  const types = ['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json']

  it('describes every response of every collection and item', async () => {
    const openApi = await readOpenApi(fixture.origin)
    const faults: string[] = []
    async function check(path: string, status: number, accept = '*/*', method = 'GET') {
      const answer = await fetch(fixture.origin + path, { method, headers: { accept } })
      if (answer.status !== status) faults.push(`${method} ${path} is ${answer.status}, not ${status}`)
      faults.push(...(await openApi.faultsOf(method, path, answer)))
    }
    for (const name of Object.keys(tables)) {
      const [id] = await fixture.ids(`/${name}`)
      const hasItems = openApi.paths.includes(`/${name}/{id}`)
      await Promise.all([
        ...types.flatMap(type => [
          check(`/${name}`, 200, type),
          name !== 'zero-pages' && check(`/${name}?page=2`, 200, type),
          hasItems && id !== undefined && check(`/${name}/${id}`, 200, type),
        ]),
        hasItems && check(`/${name}/none`, 404),
        check(`/${name}`, 406, 'text/xml'),
        check(`/${name}`, 405, '*/*', 'POST'),
      ])
    }
    await check('/items?page=0', 400)
    expect(faults).toEqual([])
  })
})

describe('Link header', () => {
  it('leaves page links to the body when a long query would make it too long for clients', async () => {
    const path = `/items?page=2&long=${'x'.repeat(5000)}`
    const answer = await fixture.request(path)
    expect((answer.headers.get('link') ?? '').length).toBeLessThan(4500)
    expect(linksOf(answer)).toEqual({})
    expect((await fixture.page(path)).view?.next).toContain('page=3')
  })
})

describe('query length', () => {
  it('returns 400 when the links would become too long', async () => {
    // Each character takes three characters once it is escaped.
    expect((await fixture.request(`/items?long=${'!'.repeat(2700)}`)).status).toBe(200)
    expect((await fixture.request(`/items?long=${'!'.repeat(9000)}`)).status).toBe(400)
  })
})

describe('JSON:API', () => {
  it('reads its own parameters', async () => {
    expect((await readJsonApi('/small-pages?page[number]=2')).ids).toEqual([4, 5, 6])
    expect((await readJsonApi('/small-pages?page[page]=2')).ids).toEqual([4, 5, 6])
    expect((await readJsonApi('/sized?page[size]=3&page[number]=3')).ids).toEqual([7, 8, 9])
    expect((await readJsonApi('/filtered?sort=-id&filter[category]=1')).ids.slice(0, 3)).toEqual([97, 93, 89])
  })

  it('returns every row through its next links', async () => {
    for (const [start, count] of [
      ['/small-pages?page[number]=1', 10],
      ['/cursor-multi', 12],
      ['/partial', 25],
    ] as const) {
      const ids: number[] = []
      for (let path: string | undefined = start; path !== undefined && ids.length < 100;) {
        const page: Read = await readJsonApi(path)
        ids.push(...page.ids)
        path = page.links.next
      }
      expect(new Set(ids).size).toBe(count)
      expect(ids).toHaveLength(count)
    }
  })
})

const defined = (given: object) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
