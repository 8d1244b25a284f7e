import jsonld from 'jsonld'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../fixtures/collections/tables'
import { type CollectionFixture, startCollectionFixture } from './collection-fixture'

const HYDRA = 'http://www.w3.org/ns/hydra/core#'

let plain: CollectionFixture
let prefixed: CollectionFixture
beforeAll(async () => {
  ;[plain, prefixed] = await Promise.all([startCollectionFixture(), startCollectionFixture('hydra-prefix')])
})
afterAll(() => Promise.all([plain.stop(), prefixed.stop()]))

/** What a page means: its graph, with the address of the server left out. No key of the page may get lost in it. */
async function expanded(fixture: CollectionFixture, path: string): Promise<string> {
  const answer = await fixture.request(path)
  expect(answer.status).toBe(200)
  const loaded: string[] = []
  const page = (await answer.json()) as jsonld.JsonLdDocument
  const graph = await jsonld.expand(page, {
    base: `${fixture.origin}${path}`,
    async documentLoader(url: string) {
      loaded.push(url)
      if (!url.startsWith(`${fixture.origin}/`)) throw new Error(`the context asks another server: ${url}`)
      const context = await fetch(url, { headers: { accept: 'application/ld+json' } })
      expect(context.status, url).toBe(200)
      return { contextUrl: undefined, documentUrl: url, document: await context.json() }
    },
  })
  expect(loaded.length).toBeGreaterThan(0)
  expect(countTerms(graph)).toBe(countTerms(page))
  return JSON.stringify(sortKeys(graph)).replaceAll(fixture.origin, '')
}

// Null says nothing in JSON-LD.
function countTerms(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + countTerms(inner), 0)
  if (typeof value !== 'object' || value === null) return 0
  const terms = Object.entries(value).filter(([key, inner]) => !key.startsWith('@') && inner !== null)
  return terms.length + countTerms(terms.map(([, inner]) => inner))
}

// Keys are not ordered by meaning; lists are.
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}

describe('a page as linked data', () => {
  it.each(Object.keys(tables))('of %s means the same with and without prefixed keys', async name => {
    const [one, other] = await Promise.all([expanded(plain, `/${name}`), expanded(prefixed, `/${name}`)])
    expect(other).toBe(one)
    expect(one).toContain(`"${HYDRA}Collection"`)
  })

  it('loses none of its keys in the expansion', async () => {
    const [graph = {}] = JSON.parse(await expanded(plain, '/items?page=2')) as Record<string, unknown>[]
    expect(graph).toMatchObject({
      '@id': '/items',
      '@type': [`${HYDRA}Collection`],
      [`${HYDRA}totalItems`]: [{ '@value': 100 }],
    })
    const [view] = graph[`${HYDRA}view`] as Record<string, unknown>[]
    expect(view).toMatchObject({ '@id': '/items?page=2', '@type': [`${HYDRA}PartialCollectionView`] })
    for (const [link, page] of Object.entries({ first: 1, last: 4, previous: 1, next: 3 }))
      expect(view?.[HYDRA + link]).toEqual([{ '@id': `/items?page=${page}` }])
    expect(graph[`${HYDRA}member`]).toHaveLength(30)
  })
})
