import { Validator } from '@seriousme/openapi-schema-validator'
import jsonld from 'jsonld'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ArrayPaginator, defineAction, defineCollection, usePagination } from '#fw'
import { openApiDocument } from '#fairway/server/domains/actions'
import { answerDocumentRequest } from '#fairway/server/domains/collections'
import { collectionPaths } from '#fairway/server/domains/collections/openapi-paths'
import { negotiate } from '#fairway/server/domains/collections/formats/negotiate'
import { toOpenApi } from '../../../support/openapi'
import { serveCollections } from './serve'

// The item's fields have the names of a collection's keys; the formats must not mix them up.
const item = z.object({ id: z.string(), name: z.string(), view: z.string(), first: z.int(), type: z.string() })
const rows = Array.from({ length: 25 }, (_, index) => ({
  id: `a/${index + 1}`,
  name: `Item ${index + 1}`,
  view: 'sea',
  first: index,
  type: 'thing',
}))
const things = defineCollection({
  description: 'Things.',
  item,
  public: true,
  filters: { name: ['exact', 'search'], first: 'range' },
  order: ['name'],
  paginationItemsPerPage: 10,
  paginationClientItemsPerPage: true,
  source: ({ pagination: { offset, limit } }) => new ArrayPaginator(rows, offset, limit),
  getItem: id => rows.find(row => row.id === id),
})
const feed = defineCollection({
  description: 'A feed of another service.',
  item: z.object({ id: z.int() }),
  public: true,
  paginationPartial: true,
  paginationViaCursor: [{ field: 'id', direction: 'DESC' }],
  paginationCursorFormat: 'opaque',
  source: ({ pagination: { cursor } }) => ({
    items: [{ id: 2 }, { id: 1 }],
    next: cursor?.token === 'b' ? undefined : { token: 'b' },
    previous: cursor?.token === 'b' ? { token: 'a' } : undefined,
  }),
})
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#'
const HYDRA = 'http://www.w3.org/ns/hydra/core#'

/** A node of an expanded document. */
type Node = Record<string, unknown>
const nodesOf = (node: Node | undefined, property: string) => (node?.[property] ?? []) as Node[]

type Site = Awaited<ReturnType<typeof serveCollections>>
const sites: Record<string, Site> = {}
let site: Site
beforeAll(async () => {
  const collections = { things, feed, slow: slow(), broken: broken(), large: large() }
  const entries = Object.entries(collections).map(([name, collection]) => ({ name, collection }))
  const documents = ['/contexts/:name', '/docs.jsonld', '/index.jsonld'].map(path => [
    path,
    (event: Parameters<typeof usePagination>[0]) => answerDocumentRequest(event, entries),
  ])
  const own = (event: Parameters<typeof usePagination>[0]) => {
    const operation = { paginationItemsPerPage: 5 }
    const { page, offset, limit } = usePagination(event, operation)
    return { page, offset, limit, same: usePagination(event, operation) === usePagination(event, operation) }
  }
  const handlers = { ...Object.fromEntries(documents), '/own': own }
  for (const hydraPrefix of [false, true]) {
    sites[String(hydraPrefix)] = await serveCollections(
      collections,
      { actionTimeoutInSeconds: 1, collections: { hydraPrefix, hardLimit: 100 } },
      handlers,
    )
  }
  sites.absolute = await serveCollections({ things }, { collections: { urlGenerationStrategy: 'absolute' } })
  sites.network = await serveCollections({ things }, { collections: { urlGenerationStrategy: 'network' } })
  site = sites.false!
})
afterAll(() => Promise.all(Object.values(sites).map(one => one.stop())))

function slow() {
  return defineCollection({
    description: 'Waits.',
    public: true,
    item: z.object({ id: z.int() }),
    source: () => new Promise<never[]>(() => {}),
  })
}
function broken() {
  return defineCollection({
    description: 'Breaks its word.',
    public: true,
    item: z.object({ id: z.int() }),
    source: ({ filters }) => [{ id: `secret-${filters.length}` as unknown as number }],
  })
}
function large() {
  const all = Array.from({ length: 500 }, (_, index) => ({ id: index, secret: 'not a field' }))
  return defineCollection({
    description: 'Many.',
    public: true,
    item: z.object({ id: z.int() }),
    paginationClientEnabled: true,
    source: ({ pagination: { offset, limit } }) => new ArrayPaginator(all, offset, limit),
  })
}

const accepting = (accept: string) => ({ accept })

describe('JSON-LD', () => {
  it.each(['false', 'true'])('expands to Hydra, with prefixed keys: %s', async prefixed => {
    const { origin, get } = sites[prefixed]!
    const documentLoader = async (url: string) => ({
      contextUrl: undefined,
      documentUrl: url,
      document: await (await fetch(url)).json(),
    })
    const body = await (await get('/things?page=2')).json()
    const expanded = await jsonld.expand(body, { base: `${origin}/things`, documentLoader } as object)
    const collection = expanded[0] as Record<string, never>
    expect(collection['@id']).toBe(`${origin}/things`)
    expect(collection['@type']).toEqual([`${HYDRA}Collection`])
    expect(collection[`${HYDRA}totalItems`]).toEqual([{ '@value': 25 }])
    const members: Record<string, unknown>[] = collection[`${HYDRA}member`]!
    expect(members).toHaveLength(10)
    expect(members[0]).toEqual({
      '@id': `${origin}/things/a%2F11`,
      '@type': [`${origin}/docs.jsonld#Thing`],
      [`${origin}/docs.jsonld#Thing/id`]: [{ '@value': 'a/11' }],
      [`${origin}/docs.jsonld#Thing/name`]: [{ '@value': 'Item 11' }],
      [`${origin}/docs.jsonld#Thing/view`]: [{ '@value': 'sea' }],
      [`${origin}/docs.jsonld#Thing/first`]: [{ '@value': 10 }],
      [`${origin}/docs.jsonld#Thing/type`]: [{ '@value': 'thing' }],
    })
    expect(collection[`${HYDRA}view`]).toEqual([
      {
        '@id': `${origin}/things?page=2`,
        '@type': [`${HYDRA}PartialCollectionView`],
        [`${HYDRA}first`]: [{ '@id': `${origin}/things?page=1` }],
        [`${HYDRA}last`]: [{ '@id': `${origin}/things?page=3` }],
        [`${HYDRA}previous`]: [{ '@id': `${origin}/things?page=1` }],
        [`${HYDRA}next`]: [{ '@id': `${origin}/things?page=3` }],
      },
    ])
    expect(collection[`${HYDRA}search`]).toMatchObject([
      {
        '@type': [`${HYDRA}IriTemplate`],
        [`${HYDRA}variableRepresentation`]: [{ '@id': `${HYDRA}BasicRepresentation` }],
      },
    ])
  })

  it('uses prefixed keys when configured', async () => {
    const body = await (await sites.true!.get('/things')).json()
    expect(Object.keys(body)).toEqual([
      '@context',
      '@id',
      '@type',
      'hydra:totalItems',
      'hydra:member',
      'hydra:view',
      'hydra:search',
    ])
    expect(body['@type']).toBe('hydra:Collection')
    expect(Object.keys(body['hydra:view'])).toEqual(['@id', '@type', 'hydra:first', 'hydra:last', 'hydra:next'])
  })

  it('describes the accepted query parameters', async () => {
    const { search } = await (await site.get('/things')).json()
    expect(search.template).toBe(
      '/things{?name,name[],name[search],first[lt],first[lte],first[gt],first[gte],order[name],page,itemsPerPage}',
    )
    expect(search.mapping[0]).toEqual({
      '@type': 'IriTemplateMapping',
      variable: 'name',
      property: 'name',
      required: false,
    })
    expect(await (await site.get('/large')).json()).toHaveProperty('search')
  })

  it('describes all collections', async () => {
    const documentation = await (await site.get('/docs.jsonld')).json()
    const [expanded] = await jsonld.expand(documentation)
    expect(expanded).toMatchObject({
      '@id': `${site.origin}/docs.jsonld`,
      '@type': [`${HYDRA}ApiDocumentation`],
      [`${HYDRA}entrypoint`]: [{ '@id': `${site.origin}/` }],
    })
    const classes = documentation['hydra:supportedClass'].map((one: { '@id': string }) => one['@id'])
    expect(classes).toEqual(['#Thing', '#Feed', '#Slow', '#Broken', '#Large', '#Entrypoint'])
    const entrypoint = await (await site.get('/index.jsonld')).json()
    expect(entrypoint).toMatchObject({ '@context': '/contexts/Entrypoint', '@type': 'Entrypoint', things: '/things' })
    expect(await (await site.get('/contexts/Entrypoint')).json()).toHaveProperty(['@context', 'things'])
    expect((await site.get('/contexts/Nothing')).status).toBe(404)
    expect((await site.get('/contexts/constructor')).status).toBe(404)
  })
})

describe('/docs.jsonld', () => {
  it('names the datatype of each field', async () => {
    const typed = defineCollection({
      description: 'One field of each type.',
      public: true,
      item: z.object({
        id: z.string(),
        flag: z.boolean(),
        size: z.int().nullable(),
        share: z.number().optional(),
        at: z.iso.datetime(),
        day: z.iso.date().nullable(),
        made: z.date(),
        link: z.url(),
        kind: z.enum(['a', 'b']),
        either: z.union([z.string(), z.number()]),
        list: z.array(z.string()),
        place: z.object({ city: z.string() }),
      }),
      source: () => [],
    })
    const entries = [{ name: 'typed', collection: typed }]
    const own = await serveCollections(
      { typed },
      {},
      { '/docs.jsonld': event => answerDocumentRequest(event, entries) },
    )
    const [expanded = {}] = await jsonld.expand(await (await own.get('/docs.jsonld')).json())
    const [described] = expanded[`${HYDRA}supportedClass`] as Node[]
    const ranges = nodesOf(described, `${HYDRA}supportedProperty`).map(supported => {
      const [property] = nodesOf(supported, `${HYDRA}property`)
      const [[label], [range]] = [nodesOf(property, `${RDFS}label`), nodesOf(property, `${RDFS}range`)]
      return [label?.['@value'], String(range?.['@id']).replace('http://www.w3.org/2001/XMLSchema#', '')]
    })
    expect(Object.fromEntries(ranges)).toEqual({
      id: 'string',
      flag: 'boolean',
      size: 'integer',
      share: 'double',
      at: 'dateTime',
      day: 'date',
      made: 'dateTime',
      link: 'anyURI',
      kind: 'string',
      either: 'undefined',
      list: 'undefined',
      place: 'undefined',
    })
    await own.stop()
  })
})

describe('other formats', () => {
  it('returns the same body as JSON', async () => {
    const answer = await site.get('/things?page=3', accepting('application/json'))
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await answer.text()).toBe(await (await site.get('/things?page=3')).text())
  })

  it('returns links, data and meta as JSON:API, and accepts JSON:API parameters', async () => {
    const path = '/things?page[number]=2&page[size]=10&sort=-name&filter[first][lt]=99'
    const answer = await site.get(path, accepting('application/vnd.api+json'))
    expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
    const body = await answer.json()
    const query = 'first%5Blt%5D=99&itemsPerPage=10&order%5Bname%5D=desc'
    expect(body.links).toEqual({
      self: `/things?${query}&page=2`,
      first: `/things?${query}&page=1`,
      last: `/things?${query}&page=3`,
      prev: `/things?${query}&page=1`,
      next: `/things?${query}&page=3`,
    })
    expect(body.meta).toEqual({ totalItems: 25, itemsPerPage: 10, currentPage: 2 })
    expect(body.data[0]).toEqual({
      id: 'a/11',
      type: 'Thing',
      attributes: { _id: 'a/11', name: 'Item 11', view: 'sea', first: 10, _type: 'thing' },
      links: { self: '/things/a%2F11' },
    })
    const behind = await (await site.get('/things?page=9', accepting('application/vnd.api+json'))).json()
    expect(behind.links).not.toHaveProperty('next')
  })

  it('returns _links and _embedded as HAL', async () => {
    const body = await (await site.get('/things?page=3', accepting('application/hal+json'))).json()
    expect(Object.keys(body)).toEqual(['_links', 'totalItems', 'itemsPerPage', '_embedded'])
    expect(body._links).toMatchObject({
      self: { href: '/things?page=3' },
      first: { href: '/things?page=1' },
      last: { href: '/things?page=3' },
      prev: { href: '/things?page=2' },
    })
    expect(body._links).not.toHaveProperty('next')
    expect(body._links.item).toHaveLength(5)
    expect(body._embedded.item[0]).toMatchObject({ _links: { self: { href: '/things/a%2F21' } }, name: 'Item 21' })
    const empty = await (await site.get('/things?page=9', accepting('application/hal+json'))).json()
    expect(empty).not.toHaveProperty('_embedded')
    expect(empty._links).not.toHaveProperty('item')
  })

  it.each([
    ['application/ld+json', (body: { view: object }) => body.view, { next: '/feed?cursor=b' }],
    ['application/vnd.api+json', (body: { links: object }) => body.links, { self: '/feed', next: '/feed?cursor=b' }],
    ['application/hal+json', (body: { _links: object }) => body._links, { next: { href: '/feed?cursor=b' } }],
  ])('links to cursors in %s', async (type, links, expected) => {
    const body = await (await site.get('/feed', accepting(type))).json()
    expect(links(body)).toMatchObject(expected)
    expect(links(body)).not.toHaveProperty('first')
    const second = await (await site.get('/feed?cursor=b&page=7', accepting(type))).json()
    expect(JSON.stringify(links(second))).toContain('/feed?cursor=a')
    expect(JSON.stringify(links(second))).not.toMatch(/page=|"next"/)
  })

  it.each([
    [undefined, 'application/ld+json'],
    ['', 'application/ld+json'],
    ['*/*', 'application/ld+json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/ld+json'],
    ['application/json', 'application/json'],
    ['application/json;q=0.5, application/hal+json', 'application/hal+json'],
    ['application/ld+json;q=0, */*', 'application/json'],
    ['application/*', 'application/ld+json'],
    ['Application/HAL+JSON', 'application/hal+json'],
    ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', 'application/ld+json'],
  ])('selects for the Accept header %j the media type %s', (accept, mediaType) => {
    expect(negotiate(accept).mediaType).toBe(mediaType)
  })

  it('returns 406 with the supported media types when none matches', async () => {
    const answer = await site.get('/things', accepting('text/xml'))
    expect(answer.status).toBe(406)
    expect((await answer.json()).detail).toBe(
      'Requested format "text/xml" is not supported. Supported MIME types are "application/ld+json", "application/json", "application/vnd.api+json", "application/hal+json".',
    )
  })
})

describe('collection headers', () => {
  it.each(['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json'])(
    'include links to neighboring pages in %s, also for HEAD',
    async accept => {
      const link =
        '</things?page=2>; rel="self", </things?page=1>; rel="first", </things?page=3>; rel="last", </things?page=1>; rel="prev", </things?page=3>; rel="next", '
      const description = `<${site.origin}/docs.jsonld>; rel="${HYDRA}apiDocumentation"`
      for (const method of ['GET', 'HEAD']) {
        const answer = await site.get('/things?page=2', { accept }, method)
        expect(answer.headers.get('link')).toBe(link + description)
        expect(answer.headers.get('vary')).toMatch(/^Accept\b/)
        await answer.arrayBuffer()
      }
    },
  )

  it('include Content-Range for HEAD', async () => {
    const range = async (path: string) => (await site.get(path, {}, 'HEAD')).headers.get('content-range')
    expect(await range('/things?page=3')).toBe('items 20-24/25')
    expect(await range('/things?page=4')).toBe('items */25')
    expect(await range('/feed')).toBe(null)
  })

  it('allow caching and revalidation of a public collection', async () => {
    const answer = await site.get('/things')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0')
    await answer.arrayBuffer()
    const again = await site.get('/things', { 'if-none-match': answer.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })
})

describe('GET /{collection}', () => {
  it('returns absolute or network-path links from the configured base URL', async () => {
    const { origin, get } = sites.absolute!
    const body = await (await get('/things', { host: 'evil.example' })).json()
    expect(body['@id']).toBe(`${origin}/things`)
    expect(body.member[0]['@id']).toBe(`${origin}/things/a%2F1`)
    expect(body.view.next).toBe(`${origin}/things?page=2`)
    const network = await (await sites.network!.get('/things')).json()
    expect(network.view.next).toBe(`${sites.network!.origin.replace('http:', '')}/things?page=2`)
  })

  it('returns one item by its encoded id', async () => {
    const body = await (await site.get('/things/a%2F7')).json()
    expect(body).toMatchObject({ '@id': '/things/a%2F7', '@type': 'Thing', name: 'Item 7' })
    expect((await site.get('/things/%FF')).status).toBe(404)
    const resource = await (await site.get('/things/a%2F7', accepting('application/vnd.api+json'))).json()
    expect(resource.data).toMatchObject({ id: 'a/7', type: 'Thing' })
  })

  it('returns 400 when the whole collection is too large', async () => {
    const answer = await site.get('/large?pagination=false')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'collection-too-large' })
    expect((await site.get('/large?pagination=false', {}, 'HEAD')).status).toBe(400)
    const page = await (await site.get('/large')).json()
    expect(page.member[0]).toEqual({ '@id': '/large/0', '@type': 'Large', id: 0 })
  })

  it('returns 504 for a slow source and 500 for invalid items, without details', async () => {
    expect((await site.get('/slow')).status).toBe(504)
    const answer = await site.get('/broken')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
  })
})

describe('usePagination', () => {
  it('returns page, offset and limit to custom routes', async () => {
    expect(await (await site.get('/own?page=3&itemsPerPage=99')).json()).toEqual({
      page: 3,
      offset: 10,
      limit: 5,
      same: true,
    })
    const answer = await site.get('/own?page=0')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: 'Page should not be less than 1' })
  })
})

describe('OpenAPI', () => {
  it('describes a collection and its export with their parameters', () => {
    const { paths } = collectionPaths(site.app, [])
    const names = ['/things', '/feed', '/slow', '/broken', '/large']
    expect(Object.keys(paths).toSorted()).toEqual(
      ['/things/{id}', ...names, ...names.map(name => `${name}/export/{format}`)].toSorted(),
    )
    const { parameters, security } = (paths['/things'] as { get: { parameters: object[]; security: object[] } }).get
    expect(security).toEqual([])
    const aboutPages = { name: expect.stringMatching(/^(page|itemsPerPage|pagination|partial)$/) }
    const { get: file } = paths['/things/export/{format}'] as { get: object }
    expect(file).not.toMatchObject({ parameters: expect.arrayContaining([expect.objectContaining(aboutPages)]) })
    expect(file).toMatchObject({
      operationId: 'things.export',
      parameters: expect.arrayContaining([
        { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: ['csv', 'jsonl'] } },
        ...parameters.filter(parameter => /"(first|order)/.test(JSON.stringify(parameter))),
      ]),
      responses: { 200: { content: { 'text/csv': {}, 'application/x-ndjson': {} } } },
    })
    expect(parameters).toContainEqual({
      name: 'itemsPerPage',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: 10, minimum: 0, maximum: 100 },
    })
    expect(parameters).toContainEqual({
      name: 'page',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: 1, minimum: 1 },
    })
  })

  it('describes recursive schemas, named schemas and dates', async () => {
    const named = z.object({ city: z.string() }).meta({ id: 'Problem' })
    const branch = z.object({
      id: z.string(),
      at: z.date(),
      place: named,
      get children() {
        return z.array(branch)
      },
    })
    const leaf = { id: 'leaf', at: new Date(0), place: { city: 'Bern' }, children: [] }
    const tree = await serveCollections({
      problems: defineCollection({
        description: 'Trees.',
        item: branch.meta({ id: 'Tree' }),
        public: true,
        source: () => [{ ...leaf, id: 'root', children: [leaf] }],
        getItem: () => leaf,
      }),
    })
    const grow = defineAction({
      description: 'Grows a tree.',
      input: z.object({ tree: branch.pick({ id: true }).extend({ under: branch.optional() }) }),
      output: z.object({ tree: branch }),
      readOnly: true,
      public: true,
      run: () => ({ tree: leaf }),
    })
    const catalog = [{ name: 'grow', group: '', action: grow }]
    const openApi = toOpenApi(openApiDocument(tree.app, catalog, () => collectionPaths(tree.app, [])))
    const { valid, errors } = await new Validator().validate(openApi.document)
    expect([valid, errors]).toEqual([true, undefined])
    for (const path of ['/problems', '/problems/leaf'])
      for (const accept of ['application/ld+json', 'application/vnd.api+json', 'application/hal+json'])
        expect(await openApi.faultsOf('GET', path, await tree.get(path, { accept }))).toEqual([])
    expect(await openApi.faultsOf('GET', '/problems/leaf', Response.json({ ...leaf, place: 1 }))).toHaveLength(1)
    const grown = (children: unknown[]) => Response.json({ result: { tree: { ...leaf, children } } })
    expect(await openApi.faultsOf('GET', '/_fw/actions/grow', grown([leaf]))).toEqual([])
    expect(await openApi.faultsOf('POST', '/_fw/actions/grow', grown([{ ...leaf, at: 7 }]))).toHaveLength(1)
    await tree.stop()
  })
})
