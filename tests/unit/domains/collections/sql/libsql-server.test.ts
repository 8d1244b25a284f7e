import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestApp, type TestApp } from '../../../../support/app'
import { type Sqld, startSqld } from '../../../../support/database-sqld'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, fill, full, idsOf, partial, walk } from './reading'

const rows = sqliteTable('server_rows', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  score: integer('score'),
})
const item = z.object({ id: z.number(), name: z.string(), score: z.number().nullable() })
const reader = aReader(item, rows)
const COUNT = 1000

let server: Sqld
let test: TestApp

beforeAll(async () => {
  server = await startSqld()
  test = await createTestApp({ DATABASE_URL: server.url })
  const made = Array.from({ length: COUNT }, (_, index) => ({
    id: index + 1,
    name: `Item ${index + 1}`,
    score: index % 3 === 0 ? null : index % 10,
  }))
  await fill(
    test.app,
    rows,
    'create table server_rows (id integer primary key, name text not null, score integer)',
    made,
  )
})
afterAll(async () => {
  await test.close()
  await server.stop()
})

it('libSQL server returns pages and totals of one state while rows change', async () => {
  const over = new AbortController()
  const writing = (async () => {
    for (let id = COUNT + 1; !over.signal.aborted; id += 1) {
      await query(test.app, "insert into server_rows values (?, 'new', 1)", [id])
      await query(test.app, 'delete from server_rows where id = ?', [id])
    }
  })()
  for (const number of [1, 2, 9, 10, 11, 10, 10, 10]) {
    const page = await reader.readPage(aContext(test.app), aQuery(full(number, 100)))
    if (page.mode !== 'full') throw new Error(page.mode)
    const length = Math.max(0, Math.min(100, page.totalItems - (number - 1) * 100))
    expect(idsOf(page)).toHaveLength(length)
    if (length > 1) expect(page.items[0]!.id).toBe((number - 1) * 100 + 1)
    expect(page.totalItems - COUNT).toBeLessThanOrEqual(1)
  }
  over.abort()
  await writing
})

it('libSQL server returns partial pages, single items and cursor pages', async () => {
  const context = aContext(test.app)
  expect(await reader.readPage(context, aQuery(partial(10, 100)))).toMatchObject({ hasNextPage: false })
  expect(await reader.readItem(context, '1')).toEqual({ id: 1, name: 'Item 1', score: null })
  const via = [{ field: 'score', direction: 'DESC' } as const]
  const pages = await walk(reader, context, { via, limit: 90 })
  const sorted = await query(test.app, 'select id from server_rows order by score desc, id desc')
  expect(idsOf(...pages)).toEqual(sorted.map(({ id }) => id))
  const back = await walk(reader, context, { via, limit: 90, at: pages.at(-2)!.next }, { follow: 'previous' })
  expect(idsOf(...back.toReversed())).toEqual(idsOf(...pages))
})
