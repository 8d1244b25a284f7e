import { desc, sql } from 'drizzle-orm'
import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeEach, expect, it } from 'vitest'
import { useEmptyDatabase } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'

const LIMIT_IN_MS = 300
/** Runs for much longer than the limit. */
const ENDLESS = 'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r'
const COUNT = 'select count(*) from texts'

const db = useEmptyDatabase({ limits: { callInMs: LIMIT_IN_MS } })
beforeEach(async () => {
  await db.client.batch([
    'create table texts (id integer primary key, text text)',
    "insert into texts values (1, 'one')",
  ])
})

const apart = <T>(read: Parameters<NonNullable<typeof db.apart<T>>>[0], signal?: AbortSignal) => db.apart!(read, signal)
const count = () => apart(rows => rows(COUNT, []))

it('returns rows in their order, and each read includes all earlier writes', async () => {
  expect(await count()).toEqual([[1]])
  await db.client.execute("insert into texts values (2, 'two'), (3, null)")
  expect(await count()).toEqual([[3]])
  expect(await apart(rows => rows('select text, id, id from texts order by id desc -- newest', []))).toEqual([
    [null, 3, 3],
    ['two', 2, 2],
    ['one', 1, 1],
  ])
})

it('several statements see one state of the database', async () => {
  const counts = await apart(async rows => {
    const before = await rows(COUNT, [])
    await db.client.execute("insert into texts values (2, 'two')")
    return [before, await rows(COUNT, [])]
  })
  expect(counts).toEqual([[[1]], [[1]]])
  expect(await count()).toEqual([[2]])
})

it('refuses a read that takes longer than the limit, and goes on with the next', async () => {
  const refused = await Promise.all(Array.from({ length: 5 }, () => refusalOf(apart(rows => rows(ENDLESS, [])))))
  expect(new Set(refused)).toEqual(new Set(['timed-out']))
  expect(await count()).toEqual([[1]])
})

it('ends a read whose client is gone', async () => {
  const gone = new AbortController()
  const read = refusalOf(apart(rows => rows(ENDLESS, []), gone.signal))
  gone.abort()
  expect(await read).toBe('timed-out')
  expect(await count()).toEqual([[1]])
})

it('refuses a statement that writes', async () => {
  await expect(apart(rows => rows("insert into texts values (9, 'nine') returning id", []))).rejects.toThrow()
  expect(await count()).toEqual([[1]])
})

it('drizzle reads the same rows, with the same limit', async () => {
  const texts = sqliteTable('texts', {
    id: integer('id').primaryKey(),
    text: text('text'),
    bytes: blob('bytes', { mode: 'buffer' }),
    at: integer('at', { mode: 'timestamp_ms' }),
  })
  await db.client.batch([
    'alter table texts add column bytes blob',
    'alter table texts add column at integer',
    `update texts set bytes = x'00ff', at = ${Date.UTC(2026, 0, 1)}`,
  ])
  const read = (orm: typeof db.orm) => orm.select().from(texts).orderBy(desc(texts.id)).limit(3)
  expect(await read(db.ormApart)).toEqual(await read(db.orm))
  expect(await refusalOf(db.ormApart.select({ n: sql`(${sql.raw(ENDLESS)})` }).from(texts))).toBe('timed-out')
})

it('leaves the event loop free during a search of the client', async () => {
  const long = ['a'.repeat(20_000)]
  await db.client.execute({
    sql: `with recursive r(n) as (select 1 union all select n + 1 from r where n < 40) insert into texts select n + 10, ? from r`,
    args: long,
  })
  const find = (sought: string) =>
    db.client.execute({ sql: 'select id, text as t from texts where text like ? order by id', args: [sought] })
  expect((await find('on%')).rows.map(row => ({ ...row }))).toEqual([{ id: 1, t: 'one' }])
  let turns = 0
  const turning = setInterval(() => (turns += 1), 1)
  expect(await refusalOf(find(`%${'a'.repeat(7000)}b%`))).toBe('timed-out')
  clearInterval(turning)
  expect(turns).toBeGreaterThan(5)
})
