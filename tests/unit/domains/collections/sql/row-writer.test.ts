import { eq, sql } from 'drizzle-orm'
import { blob, customType, integer, numeric, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestApp, type TestApp } from '../../../../support/app'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, full } from './reading'

const upper = customType<{ data: string | undefined; driverData: string }>({
  dataType: () => 'text',
  fromDriver: value => (value === 'nothing' ? undefined : value.toUpperCase()),
})
const values = sqliteTable('written_values', {
  id: text('id').primaryKey(),
  whole: integer('whole'),
  real: real('real'),
  price: numeric('price'),
  flag: integer('flag', { mode: 'boolean' }),
  seconds: integer('seconds', { mode: 'timestamp' }),
  millis: integer('millis', { mode: 'timestamp_ms' }),
  json: text('json', { mode: 'json' }),
  blob: blob('blob', { mode: 'json' }),
  upper: upper('upper'),
  text: text('text'),
})
const parents = sqliteTable('written_parents', { id: text('id').primaryKey(), name: text('name').notNull() })
const any = z.unknown()
const item = z.object({
  id: z.string(),
  ...Object.fromEntries(
    ['whole', 'real', 'price', 'flag', 'seconds', 'millis', 'json', 'blob', 'upper', 'text'].map(name => [name, any]),
  ),
  parent: z.object({ id: z.string(), name: z.string() }).nullable(),
  sum: z.number().nullable(),
})
const reader = aReader(item, {
  root: values,
  columns: { sum: sql`${values.whole} + ${values.real}` as never },
  joins: [{ table: parents, on: eq(parents.id, values.text), as: 'parent' }],
})

let test: TestApp
beforeAll(async () => {
  test = await createTestApp()
  await test.app.db.client.executeMultiple(`
    create table written_values (id text primary key, whole, real, price, flag, seconds, millis, json, blob, upper, text);
    create table written_parents (id text primary key, name text not null);
    insert into written_parents values ('p', 'the "parent"')`)
  const odd = ['', '"', '\\', '\n\t\b\f\r', '\u0000\u0001\u001F\u007F', '\u2028 é 😀', '</script>', '"}],"']
  const rows: [string, ...(string | number | null)[]][] = [
    ['nulls', null, null, null, null, null, null, null, null, null, null],
    ['plain', 7, 0.1, '12.50', 1, 1.7e9, 1.7e12, '{"a":[1,null,"x"]}', '{"b":1}', 'abc', 'p'],
    ['bounds', 9_007_199_254_740_991, 1e21, '0', 0, -1, -1, '[]', '"s"', 'nothing', 'text'],
    ['small', -5, 5e-324, '-3', 0, 0, 0, 'null', '0', '', ''],
    ['long ago', 0, -0.5, '1e3', 1, -6.3e10, -6.3e13, 'true', '[]', 'é', 'p'],
    ['mixed types', 1.5, 3, 'x', 2, 253_402_300_800, 1_700_000_000_123.5, '1', '1', '"', 'null'],
    ...odd.map((one, index): [string, ...(string | number | null)[]] => [
      `${index} ${one}`,
      index,
      index / 3,
      '1',
      1,
      index,
      index,
      JSON.stringify(one),
      JSON.stringify({ [one]: one }),
      one,
      one,
    ]),
  ]
  for (const row of rows) await query(test.app, `insert into written_values values (${row.map(() => '?').join()})`, row)
})
afterAll(() => test.close())

it('writes each row as JSON.stringify writes its object', async () => {
  const page = await reader.readPage(aContext(test.app), aQuery(full(1, 50)))
  expect(page.items).toHaveLength(14)
  expect(page.written?.ids).toEqual(page.items.map(({ id }) => id))
  expect(page.written?.fields.map(fields => `{${fields}}`)).toEqual(page.items.map(one => JSON.stringify(one)))
})

it('leaves names that JSON puts elsewhere, or that formats have of their own, to JSON.stringify', async () => {
  for (const name of ['1', '@type', '__proto__', 'a"b']) {
    const odd = aReader(z.object({ id: z.string(), [name]: z.string().nullable() }), {
      root: values,
      columns: { [name]: values.text },
    })
    expect((await odd.readPage(aContext(test.app), aQuery(full(1, 3)))).written).toBeUndefined()
  }
})
