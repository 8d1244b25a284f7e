import { parseHydraDocumentation } from '@api-platform/api-doc-parser'
import { beforeAll, describe, expect, it } from 'vitest'
import { useServer } from '../support/use-server'

const server = useServer()
let paths: string[]
beforeAll(async () => {
  const entrypoint = await (await fetch(`${server.origin}/index.jsonld`)).json()
  paths = Object.entries(entrypoint).flatMap(([key, path]) => (key.startsWith('@') ? [] : [String(path)]))
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(server.origin + path, { headers, method })

describe('JSON-LD documents of the collections', () => {
  it.each(['/index.jsonld', '/docs.jsonld', '/contexts/Entrypoint'])('serves %s as public JSON-LD', async path => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/ld+json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await answer.json()).toHaveProperty('@context')
  })

  it.each(['/contexts/Nothing', '/contexts/a/b', '/contexts/'])(
    'returns a 404 problem for %s, never the application page',
    async path => {
      const answer = await get(path, { accept: 'text/html' })
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ code: 'not-found' })
    },
  )

  it('redirects clients that ask for JSON-LD from the root and sends browsers the page', async () => {
    for (const accept of ['text/html,*/*;q=0.8', '*/*', 'text/html, application/ld+json'])
      for (let turn = 0; turn < 3; turn++) {
        const page = await get('/', { accept })
        expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
        await page.arrayBuffer()
      }
    const led = await fetch(`${server.origin}/`, { headers: { accept: 'application/ld+json' }, redirect: 'manual' })
    expect([
      led.status,
      led.headers.get('location'),
      led.headers.get('cache-control'),
      led.headers.get('vary'),
    ]).toEqual([303, '/index.jsonld', 'no-store', 'Accept'])
    expect((await get('/', { accept: 'application/ld+json' }, 'POST')).status).toBe(405)
    const { api } = await parseHydraDocumentation(server.origin, { headers: {} })
    const notes = api.resources?.find(({ name }) => name === 'note-list')
    expect(notes).toMatchObject({ url: `${server.origin}/note-list`, title: 'Note' })
    expect(Object.fromEntries(notes?.fields?.map(({ name, type }) => [name, type]) ?? [])).toMatchObject({
      title: 'string',
      pinned: 'boolean',
      updatedAt: 'dateTime',
    })
  })

  it('returns 405 for POST', async () => {
    const answer = await get('/docs.jsonld', {}, 'POST')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  })

  it('provides a context for every type and lists every collection in OpenAPI', async () => {
    const documentation = await (await get('/docs.jsonld')).json()
    for (const { 'hydra:title': type } of documentation['hydra:supportedClass'])
      expect((await get(`/contexts/${type}`)).status).toBe(200)
    const openApi = await (await get('/_fw/openapi.json')).json()
    for (const path of paths) expect(Object.keys(openApi.paths)).toContain(path)
  })
})

describe('Collection routes', () => {
  it('returns 405 for POST, and problem JSON instead of a page for paths below', async () => {
    for (const path of paths) {
      const answer = await get(path, {}, 'POST')
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toBe('GET, HEAD')
      for (const below of [`${path}/none`, `${path}/none/more`]) {
        const nothing = await get(below, { accept: 'text/html' })
        expect([401, 404]).toContain(nothing.status)
        expect(nothing.headers.get('content-type')).toBe('application/problem+json')
      }
    }
  })

  it('returns 401 without a session and for a bearer credential unless the collection is public', async () => {
    const openApi = await (await get('/_fw/openapi.json')).json()
    for (const path of paths.filter(path => openApi.paths[path].get.security.length > 0)) {
      for (const authorization of [undefined, 'Bearer abc']) {
        const answer = await get(path, authorization ? { authorization } : {})
        expect(answer.status).toBe(401)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    }
  })
})
