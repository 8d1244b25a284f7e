// Public pages that show rows: what two processes on one database answer after a write of either, or of a third.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { query } from '../support/query'
import { borrowServer, databaseOf, type OwnServer, startServer, type TestServer } from '../support/server'

let reached = 0
const elsewhere = createServer((_request, response) => void response.end(`asked ${++reached}`))
const output = new URL('../fixtures/author/.output', import.meta.url).pathname

let one: TestServer
let two: OwnServer
let plain: OwnServer
beforeAll(async () => {
  await new Promise<void>(resolve => elsewhere.listen(0, resolve))
  const otherServer = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`
  const env = { OWN_ELSEWHERE: otherServer, FW_SHORTCUTS: 'on' }
  one = await borrowServer({ application: 'author', env })
  // Pages contain their absolute address, so it must match.
  const beside = { output, database: databaseOf(one) }
  two = await startServer({ ...beside, env: { ...env, FW_BASE_URL: one.origin } })
  plain = await startServer({ ...beside, env: { ...env, FW_BASE_URL: one.origin, FW_SHORTCUTS: 'off' } })
}, 600_000)
afterAll(async () => {
  await Promise.all([two.stop(), plain.stop()])
  await one.stop()
  elsewhere.close()
})

const write = (id: string, title: string) =>
  query(
    one,
    `insert into quotes (id, org_id, created_by, created_by_name, title, created_at) values (?, 'of-' || ?, null, 'Ada', ?, 0)
     on conflict (id) do update set title = excluded.title`,
    [id, id, title],
  )
const get = (server: TestServer, path: string, headers: Record<string, string> = {}) =>
  fetch(server.origin + path, { headers })
const heading = async (server: TestServer, path: string) =>
  /<h1>(.*?)<\/h1>/.exec(await (await get(server, path)).text())?.[1]

it('a page shows a row as it is, in every process, with and without shortcuts', async () => {
  const everywhere = () => Promise.all([one, two, plain].map(server => heading(server, '/offers/a')))
  for (const _again of [1, 2, 3]) expect(await everywhere()).toEqual(['No offer', 'No offer', 'No offer'])
  for (const title of ['Two places', 'One place', 'None']) {
    await write('a', title)
    for (const _again of [1, 2, 3]) expect(await everywhere()).toEqual([title, title, title])
  }
})

it('a page keeps its bytes and its ETag until one of its own rows changes', async () => {
  await write('b', 'Before')
  const first = await heading(one, '/stamps/b')
  await write('c', 'another row')
  for (const _again of [1, 2, 3]) expect(await heading(one, '/stamps/b')).toBe(first)
  const etag = (await get(one, '/stamps/b')).headers.get('etag') ?? ''
  expect((await get(one, '/stamps/b', { 'if-none-match': etag })).status).toBe(304)
  await write('b', 'After')
  expect(await heading(one, '/stamps/b')).toContain('After')
  expect((await get(one, '/stamps/b', { 'if-none-match': etag })).status).toBe(200)
})

it('caches in front keep a page with rows only as long as it declares, and what the application says comes first', async () => {
  const cacheControl = (path: string) =>
    Promise.all([one, one, plain].map(async server => (await get(server, path)).headers.get('cache-control')))
  const all = (value: string) => [value, value, value]
  expect(await cacheControl('/offers/d')).toEqual(all('public, max-age=0, must-revalidate'))
  expect(await cacheControl('/stamps/d')).toEqual(all('public, max-age=0, s-maxage=60, must-revalidate'))
  expect(await cacheControl('/ruled')).toEqual(all('public, max-age=30'))
  expect((await cacheControl('/told'))[1]).toMatch(/^public, max-age=0, s-maxage=600, stale-while-revalidate=604800/)
})

it('a page that asks another server is rendered each time', async () => {
  const before = await heading(one, '/elsewhere')
  const after = await heading(one, '/elsewhere')
  expect([before, after]).toEqual([expect.stringMatching(/^asked \d+$/), expect.stringMatching(/^asked \d+$/)])
  expect(after).not.toBe(before)
})
