import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCollection } from '#fw'
import { query } from '../../../support/query'
import { serveCollections } from './serve'

const rows = sqliteTable('answers', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  at: integer('at', { mode: 'timestamp_ms' }).notNull(),
})
const item = z.object({ id: z.number(), name: z.string(), at: z.string() })
const base = { description: 'Items.', item, source: rows, public: true, paginationItemsPerPage: 4 } as const

let site: Awaited<ReturnType<typeof serveCollections>>
beforeAll(async () => {
  site = await serveCollections({
    full: defineCollection({ ...base, order: ['name'] }),
    cursor: defineCollection({
      ...base,
      paginationPartial: true,
      paginationViaCursor: [{ field: 'id', direction: 'ASC' }],
    }),
    // `toItem` computes its items for each answer.
    made: defineCollection({
      ...base,
      order: ['name'],
      toItem: ({ at, ...row }) => ({ ...row, at: at.toISOString() }),
    }),
  })
  await site.app.db.client.executeMultiple(
    `create table answers (id integer primary key, name text not null, at integer not null);
     insert into answers values (1, 'a "b" é', 0), (2, '\\', 1e12), (3, '', -1), (4, 'd', 4), (5, 'e', 5), (6, 'f', 6)`,
  )
})
afterAll(() => site.stop())

const TYPES = ['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json']
const HEADERS = ['content-type', 'link', 'vary', 'cache-control', 'etag']

async function ask(path: string, accept: string) {
  const answer = await site.get(path, { accept })
  const headers = Object.fromEntries(HEADERS.map(name => [name, answer.headers.get(name)]))
  return { status: answer.status, headers, body: await answer.text() }
}

describe.each(TYPES)('collection responses as %s', accept => {
  it.each([
    '/full',
    '/full?page=2',
    '/full?page=9',
    '/full?order[name]=desc',
    '/full?x=1',
    '/full?x=2',
    '/cursor?id[gt]=2',
  ])('are identical for repeated requests of %s until a row changes', async path => {
    const first = await ask(path, accept)
    expect(first.status).toBe(200)
    expect(await ask(path, accept)).toEqual(first)
    await query(site.app, 'update answers set name = name || ?', ['!'])
    const changed = await ask(path, accept)
    expect(changed.headers.link).toBe(first.headers.link)
    if (!path.endsWith('9')) expect(changed.body).not.toBe(first.body)
  })

  it('have the same bytes as with items built by toItem', async () => {
    const [written, made] = [await ask('/full', accept), await ask('/made', accept)]
    expect(made.body.replaceAll('/made', '/full').replaceAll('Made', 'Full')).toBe(written.body)
  })
})

it('sends only the fields of the item when toItem returns more', async () => {
  const narrow = z.object({ id: z.number() })
  const own = await serveCollections({
    narrow: defineCollection({ ...base, item: narrow, toItem: row => ({ ...row }) }),
  })
  await own.app.db.client.executeMultiple(
    'create table answers (id integer, name text, at integer); insert into answers values (1, 2, 3)',
  )
  for (const path of ['/narrow', '/narrow/1'])
    for (const accept of TYPES) expect(await (await own.get(path, { accept })).text()).not.toContain('"name"')
  await own.stop()
})

it('GET /{collection} returns 304 for a request with a matching ETag', async () => {
  const { headers } = await ask('/full', '*/*')
  const again = await site.get('/full', { 'if-none-match': String(headers.etag) })
  expect([again.status, await again.text()]).toEqual([304, ''])
})
