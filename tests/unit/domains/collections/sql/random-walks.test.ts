import * as fc from 'fast-check'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { foldedText } from '#fairway/server/fw-tables'
import { foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { keepFolds } from '#fairway/server/kernel/folding/keep-folds'
import { shareTestApp } from '../../../../support/use-app'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, full, idsOf, partial, walk } from './reading'

const rows = sqliteTable('random_rows', {
  id: integer('id').primaryKey(),
  a: integer('a'),
  b: integer('b').notNull(),
  c: text('c'),
  cFolded: foldedText('c'),
  d: text('d').notNull(),
  e: real('e'),
})
const item = z.object({
  id: z.number(),
  a: z.number().nullable(),
  b: z.number(),
  c: z.string().nullable(),
  d: z.string(),
  e: z.number().nullable(),
})
const FIELDS = ['id', 'a', 'b', 'c', 'd', 'e']
const reader = aReader(item, rows, { filters: { b: ['exact', 'range'] }, order: FIELDS })

const test = shareTestApp()
beforeAll(async () => {
  await test.app.db.client
    .executeMultiple(`create table random_rows (id integer primary key, a integer, b integer not null, c text, c_folded text_folded, d text not null, e real);
    create index random_a on random_rows (a); create index random_b on random_rows (b desc, a, id); create index random_c on random_rows (c_folded, e desc);`)
  await keepFolds(test.app)
})

const few = fc.integer({ min: -1, max: 2 })
const texts = fc.constantFrom('', 'a', 'A', 'ä', 'a\u0308', 'B', '\\', '\\a', '\\Ä', ' ', 'é', 'ß', 'ss', '%_', "'")
/** What an order compares: texts without case and marks, whether a column holds them or not. */
const compared = (field: string) => (['c', 'd'].includes(field) ? foldedSql(field) : field)
const rowsOf = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: -50, max: 50 }),
    a: fc.option(few),
    b: few,
    c: fc.option(texts),
    d: texts,
    e: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
)
const orders = fc.uniqueArray(
  fc.record({ field: fc.constantFrom(...FIELDS), direction: fc.constantFrom('ASC' as const, 'DESC' as const) }),
  { selector: ({ field }) => field, minLength: 1, maxLength: 4 },
)

it(
  'pagination returns each row once and in order, in both directions, for any rows, order and page size',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        rowsOf,
        orders,
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        async (table, via, limit, isFiltered) => {
          const context = aContext(test.app)
          await query(test.app, 'delete from random_rows')
          if (table.length > 0) await test.app.db.orm.insert(rows).values(table)
          const keyed = [...via, { field: 'id', direction: via.at(-1)!.direction }]
          const order = keyed.map(({ field, direction }) => `${compared(field)} ${direction}`).join(', ')
          const sorted = await query(
            test.app,
            `select id from random_rows ${isFiltered ? 'where b >= 0' : ''} order by ${order}`,
          )
          const ids = sorted.map(({ id }) => id)
          const filters = isFiltered ? [{ kind: 'range', field: 'b', operator: 'gte', value: '0' } as const] : []
          for (const format of ['bounds', 'opaque'] as const) {
            const pages = await walk(reader, context, { via, limit, format, filters })
            expect(idsOf(...pages)).toEqual(ids)
            if (pages.length < 2) continue
            const at = pages.at(-2)!.next
            const back = await walk(reader, context, { via, limit, format, filters, at }, { follow: 'previous' })
            expect(back.toReversed().map(page => idsOf(page))).toEqual(pages.map(page => idsOf(page)))
          }
          const whole = await reader.readPage(context, aQuery({ mode: 'whole', most: 100 }, { order: keyed, filters }))
          expect(idsOf(whole)).toEqual(ids)
          const count = Math.max(1, Math.ceil(ids.length / limit))
          const numbers = Array.from({ length: count }, (_, index) => index + 1)
          const fulls = await Promise.all(
            numbers.map(number => reader.readPage(context, aQuery(full(number, limit), { order: keyed, filters }))),
          )
          expect(idsOf(...fulls)).toEqual(ids)
          for (const page of fulls) expect(page).toMatchObject({ totalItems: ids.length, lastPage: count })
          const parts = await Promise.all(
            numbers.map(number => reader.readPage(context, aQuery(partial(number, limit), { order: keyed, filters }))),
          )
          expect(parts.map(page => page.mode === 'partial' && page.hasNextPage)).toEqual(
            numbers.map(number => number < count),
          )
          expect(idsOf(...parts)).toEqual(ids)
        },
      ),
      { numRuns: 150 },
    )
  },
)
