import { execFile } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { iterateCollection, type IterateOptions } from '#fairway/shared/collections/iterate-collection'
import { serveListener, type WebServer } from '../../../support/web-server'

const TOTAL = 7
const SIZE = 3

let server: WebServer
let origin: string
let asked: string[]
let answer: (request: IncomingMessage, response: ServerResponse) => void

const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/ld+json', ...headers }).end(JSON.stringify(body))

/** Seven items in pages of three, in the wire format. */
function items(request: IncomingMessage, response: ServerResponse): void {
  const page = Number(new URL(request.url!, origin).searchParams.get('page') ?? 1)
  const ids = Array.from({ length: TOTAL }, (_, index) => index + 1).slice((page - 1) * SIZE, page * SIZE)
  const last = Math.ceil(TOTAL / SIZE)
  json(response, {
    '@id': '/items',
    '@type': 'Collection',
    totalItems: TOTAL,
    member: ids.map(id => ({ '@id': `/items/${id}`, '@type': 'Item', id })),
    view: {
      '@id': `/items?page=${page}`,
      '@type': 'PartialCollectionView',
      ...(page < last ? { next: `/items?page=${page + 1}` } : {}),
    },
  })
}

const emptyPage = (view?: object) => ({ '@id': '/items', member: [], ...(view ? { view } : {}) })

beforeEach(async () => {
  asked = []
  answer = items
  server = await serveListener((request, response) => {
    asked.push(request.url!)
    answer(request, response)
  })
  origin = server.origin
})
afterEach(() => server.stop())

const walk = async (...[source, path, options]: Parameters<typeof iterateCollection>) =>
  (await Array.fromAsync(iterateCollection(source, path, options as IterateOptions))).map(item => item.id)

describe('iterateCollection', () => {
  it('returns the items of all pages in order and requests each page once', async () => {
    expect(await walk(origin, '/items')).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(asked).toEqual(['/items', '/items?page=2', '/items?page=3'])
  })

  it('returns whole pages', async () => {
    const pages = await Array.fromAsync(iterateCollection(origin, '/items').pages())
    expect(pages.map(page => page.items.length)).toEqual([3, 3, 1])
    expect(pages[0]).toMatchObject({ totalItems: 7, view: { next: '/items?page=2' } })
  })

  it('requests a page only when the loop reaches it', async () => {
    for await (const item of iterateCollection(origin, '/items')) if (item.id === 2) break
    expect(asked).toEqual(['/items'])
  })

  it('starts again in every loop', async () => {
    const all = iterateCollection(origin, '/items')
    await Array.fromAsync(all)
    expect(await Array.fromAsync(all)).toHaveLength(7)
  })

  it('sends the given parameters and headers', async () => {
    let seen: IncomingMessage | undefined
    answer = (request, response) => {
      seen = request
      json(response, emptyPage())
    }
    await walk(origin, '/items?a=1', { query: { itemsPerPage: 100, 'order[title]': 'asc' }, headers: { 'x-key': 'k' } })
    expect(asked).toEqual(['/items?a=1&itemsPerPage=100&order%5Btitle%5D=asc'])
    expect(seen?.headers).toMatchObject({ 'x-key': 'k', accept: 'application/ld+json, application/json' })
  })

  it('calls a given fetch function with paths', async () => {
    const paths: unknown[] = []
    const fetch = (path: unknown) => {
      paths.push(path)
      return globalThis.fetch(origin + String(path))
    }
    expect(await walk(fetch, '/items')).toHaveLength(7)
    expect(paths).toEqual(['/items', '/items?page=2', '/items?page=3'])
  })

  it('applies the parse option to each item', async () => {
    const parse = (item: Record<string, unknown>) => Number(item.id) * 10
    expect(await Array.fromAsync(iterateCollection(origin, '/items', { parse }))).toEqual([10, 20, 30, 40, 50, 60, 70])
  })

  it('reads a collection without pages, and one with prefixed keys', async () => {
    answer = (_, response) => json(response, { member: [{ id: 1 }] })
    expect(await walk(origin, '/items')).toEqual([1])
    answer = (request, response) =>
      json(response, {
        'hydra:member': [{ id: asked.length }],
        'hydra:view': { '@id': '/items', ...(request.url === '/items' ? { 'hydra:next': '/items?page=2' } : {}) },
      })
    asked = []
    expect(await walk(origin, '/items')).toEqual([1, 2])
  })

  it.each([
    'https://elsewhere.example/items?page=2',
    '//elsewhere.example/items',
    String.raw`\\elsewhere.example\items`,
  ])('does not follow the link %s to another origin', async next => {
    answer = (_, response) => json(response, emptyPage({ '@id': '/items', next }))
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'foreign-link' })
    await expect(walk(path => fetch(origin + String(path)), '/items')).rejects.toMatchObject({ code: 'foreign-link' })
    expect(asked).toEqual(['/items', '/items'])
  })

  it('does not follow a redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/items' }).end()
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'unreadable-answer', status: 302 })
  })

  it('detects links that lead back', async () => {
    answer = (request, response) =>
      json(response, { member: [{ id: 1 }], view: { '@id': request.url, next: '/items?page=2' } })
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'link-loop' })
    expect(asked).toEqual(['/items', '/items?page=2'])
  })

  it('detects an endless chain of empty pages', async () => {
    answer = (_, response) => json(response, emptyPage({ '@id': '/items', next: `/items?id[lt]=-${asked.length}` }))
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'link-loop' })
    expect(asked).toHaveLength(11)
  })

  it('waits for Retry-After when the server is busy and then continues', async () => {
    answer = (request, response) =>
      asked.length === 2 ? json(response, {}, 429, { 'retry-after': '1' }) : items(request, response)
    const began = performance.now()
    expect(await walk(origin, '/items')).toHaveLength(7)
    expect(performance.now() - began).toBeGreaterThanOrEqual(990)
    expect(asked).toEqual(['/items', '/items?page=2', '/items?page=2', '/items?page=3'])
  })

  it('does not wait longer than allowed', async () => {
    answer = (_, response) => json(response, { code: 'rate-limited' }, 429, { 'retry-after': '3600' })
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'rate-limited', status: 429 })
  })

  it('gives up when the server stays busy', async () => {
    answer = (_, response) => json(response, { code: 'rate-limited' }, 429, { 'retry-after': '0' })
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'rate-limited' })
    expect(asked).toHaveLength(6)
  })

  it('throws the code, status and message of the server’s error', async () => {
    answer = (_, response) => json(response, { code: 'invalid-input', detail: 'Page should not be less than 1' }, 400)
    await expect(walk(origin, '/items')).rejects.toMatchObject({
      name: 'CollectionError',
      code: 'invalid-input',
      status: 400,
      message: 'Page should not be less than 1',
    })
  })

  it.each(['<p>proxy</p>', '{}', '{"member":[1]}'])('refuses the body %s', async body => {
    answer = (_, response) => response.end(body)
    await expect(walk(origin, '/items')).rejects.toMatchObject({ code: 'unreadable-answer' })
  })

  it('stops in the middle of a loop with the reason of the signal', async () => {
    const stop = new AbortController()
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const item of iterateCollection(origin, '/items', { signal: stop.signal })) {
        seen.push(item.id)
        if (item.id === 3) stop.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(seen).toEqual([1, 2, 3])
    expect(asked).toEqual(['/items'])
  })

  it.each([
    ['a request', () => undefined],
    ['a pause', (_: IncomingMessage, response: ServerResponse) => json(response, {}, 429, { 'retry-after': '60' })],
  ])('stops in the middle of %s', async (_, busy) => {
    answer = busy
    const began = performance.now()
    await expect(walk(origin, '/items', { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/i)
    expect(performance.now() - began).toBeLessThan(5000)
  })

  it('runs in Node.js without a build', async () => {
    const file = new URL('../../../../layers/fairway/shared/collections/iterate-collection.ts', import.meta.url).href
    const script = `
      import { iterateCollection } from ${JSON.stringify(file)}
      for await (const { id } of iterateCollection(process.argv[1], '/items')) console.log(id)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, origin])
    expect(stdout).toBe('1\n2\n3\n4\n5\n6\n7\n')
  })
})
