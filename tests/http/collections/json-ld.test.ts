import { parseHydraDocumentation, type Resource } from '@api-platform/api-doc-parser'
import jsonld from 'jsonld'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOpenApi } from '../../support/openapi'
import { tables } from '../../fixtures/collections/tables'
import { type CollectionFixture, startCollectionFixture } from './collection-fixture'

const HYDRA = 'http://www.w3.org/ns/hydra/core#'

let plain: CollectionFixture
let prefixed: CollectionFixture
let openApi: Awaited<ReturnType<typeof readOpenApi>>
beforeAll(async () => {
  ;[plain, prefixed] = await Promise.all([startCollectionFixture(), startCollectionFixture('hydra-prefix')])
  openApi = await readOpenApi(prefixed.origin)
})
afterAll(() => Promise.all([plain.stop(), prefixed.stop()]))

/** Returns the JSON-LD graph of a page without the server's address. Every key of the page must appear in the graph. */
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

// JSON-LD ignores null.
function countTerms(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + countTerms(inner), 0)
  if (typeof value !== 'object' || value === null) return 0
  const terms = Object.entries(value).filter(([key, inner]) => !key.startsWith('@') && inner !== null)
  return terms.length + countTerms(terms.map(([, inner]) => inner))
}

// In JSON-LD the order of keys has no meaning; the order of lists does.
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}

describe('@api-platform/api-doc-parser', () => {
  const names = Object.keys(tables).toSorted()
  const urls = () => names.map(name => `${plain.origin}/${name}`)
  async function resourcesAt(at: string): Promise<Resource[]> {
    const { api } = await parseHydraDocumentation(plain.origin + at, { headers: {} })
    return (api.resources ?? []).toSorted((a, b) => (a.url < b.url ? -1 : 1))
  }
  const typesOf = ({ fields }: Resource) => Object.fromEntries((fields ?? []).map(({ name, type }) => [name, type]))
  const operationsOf = ({ operations }: Resource) => operations?.map(({ type, method }) => `${method} ${type}`)

  it.each(['', '/'])('reads every collection with its fields and operations from the root (%j)', async at => {
    const resources = await resourcesAt(at)
    expect(resources.map(({ name }) => name)).toEqual(names)
    expect(resources.map(({ url }) => url)).toEqual(urls())
    expect(resources.map(typesOf)).toEqual(names.map(() => expect.objectContaining({ id: 'integer', name: 'string' })))
    expect(resources.map(operationsOf)).toEqual(
      names.map(name => (name.startsWith('provider-') ? ['GET list'] : ['GET list', 'GET show'])),
    )
    const searched = await resources.find(({ name }) => name === 'searched')?.getParameters?.()
    const variables = ['name', 'id', 'id[]', 'id[lt]', 'id[lte]', 'id[gt]', 'id[gte]', 'order[name]']
    expect(searched?.map(({ variable }) => variable)).toEqual(variables)
  })

  it('reads the same names from the address that both documents call the entrypoint', async () => {
    for (const [path, key] of [
      ['/docs.jsonld', 'hydra:entrypoint'],
      ['/index.jsonld', '@id'],
    ] as const) {
      const document = await (await plain.request(path)).json()
      const { pathname } = new URL(document[key], plain.origin)
      expect([path, (await resourcesAt(pathname)).map(({ name }) => name)]).toEqual([path, names])
    }
  })

  it('reads the same addresses from /index.jsonld', async () => {
    expect((await resourcesAt('/index.jsonld')).map(({ url }) => url)).toEqual(urls())
  })
})

describe('JSON-LD page', () => {
  it.each(Object.keys(tables))('means the same for %s with and without prefixed keys', async name => {
    const [one, other] = await Promise.all([expanded(plain, `/${name}`), expanded(prefixed, `/${name}`)])
    expect(other).toBe(one)
    expect(one).toContain(`"${HYDRA}Collection"`)
  })

  it.each(Object.keys(tables))('matches OpenAPI for %s with prefixed keys too', async name => {
    expect(await openApi.faultsOf('GET', `/${name}`, await prefixed.request(`/${name}`))).toEqual([])
  })

  it('loses no keys in the expansion', async () => {
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
