import NativeDatabase from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonRows } from '#fairway/server/kernel/database/json-rows'
import { openEmptyDatabase, type TestDatabase } from '../../../support/database'

const texts = [
  '',
  'a',
  "it's",
  '"[1]"',
  '[1,2]',
  '{"a":1}',
  'null',
  'é 漢 🎉',
  '\u2028\u0001\\\n\t',
  '1.0',
  '9007199254740993',
  null,
]
const integers = [0, 1, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53) + 1, null, 15, 10 ** 15, 10 ** 15 + 1, 7, 3]

let db: TestDatabase

beforeEach(async () => {
  db = await openEmptyDatabase()
  await db.client.batch([
    'create table rows (id integer primary key, text text, name varchar(20), n integer, big bigint, anything, size real, bytes blob)',
    ...texts.map((text, id) => ({
      sql: 'insert into rows values (?, ?, ?, cast(? as integer), cast(? as integer), ?, ?, ?)',
      args: [id, text, text, integers[id] ?? null, id, id % 2 ? text : null, id / 3, new Uint8Array([id])],
    })),
    `create view odd as select id, json_array(text) as list, text || '!' as loud from rows`,
  ])
})

afterEach(() => db.close())

/** The rows as they come at first and as they come from then on, which may be as JSON. */
async function bothWays(sql: string, args: (string | number | null)[] = []) {
  const first = await db.client.rows({ sql, args })
  const later = await db.client.rows({ sql, args })
  expect(later).toStrictEqual(first)
  expect(await db.client.rows({ sql, args })).toStrictEqual(first)
  expect((await db.client.execute({ sql, args })).rows.map(row => Array.from(row))).toStrictEqual(first)
  expect(await arraysBothWays(sql, args)).toEqual(first.map(row => row.map(asNative)))
  return first
}

/** The same of pages, by themselves, beside others, and in a snapshot. */
async function arraysBothWays(sql: string, args: (string | number | null)[] = []) {
  const statement = { sql, args }
  const [first] = await db.readRows([statement])
  for (const [rows] of [
    await db.readRows([statement]),
    await db.readRows([statement, statement]),
    [await db.snapshot!(state => state.rows(sql, args))],
  ])
    expect(rows).toStrictEqual(first)
  return first
}

const asNative = (value: unknown): unknown => (value instanceof ArrayBuffer ? Buffer.from(value) : value)

/** Whether a statement is read as JSON, and its values fit. */
function isRead(sql: string, args: unknown[] = []): boolean {
  const native = new NativeDatabase(db.url.slice('file:'.length))
  try {
    return jsonRows(native, sql)?.(args) !== undefined
  } finally {
    native.close()
  }
}

describe('rows that come as JSON are those that come one by one', () => {
  it.each([
    ['select id, text, name, n, big from rows'],
    ['select id, text as id, n as id from rows order by text desc, id desc'],
    ['select text from rows order by length(text), id limit 9 offset 2'],
    [
      "select id, case when n > 1 then text else 'small' end, count(*) over (), n % 7, text || name, not n from rows order by n",
    ],
    ['select a.id, b.text from rows a left join rows b on b.id = a.n order by 1 -- with a remark'],
    ['select n, count(*), max(text), min(id) from rows group by n order by 1 desc'],
    ['select distinct text from rows where id >= ?', [2]],
    ['select loud, id from odd order by id desc'],
    ['select text from rows union all select name from rows order by 1'],
    ['select (select text from rows r where r.id = rows.n) from rows'],
    ['select id, null, anything from rows'],
  ])('of %s', async (sql, args = []) => {
    expect(isRead(sql, args)).toBe(true)
    expect((await bothWays(sql, args)).length).toBeGreaterThan(7)
  })

  it.each<[string, string, string?]>([
    ['a real column', 'select id, size from rows'],
    ['a real number out of an expression', 'select id, id / 3.0 from rows'],
    [
      'a real number in a column of integers',
      'select n from (select n, id from rows union all select 0.1 + 0.2, 99) order by id',
    ],
    ['a real number that is nearly an integer', 'select id, iif(id = 3, 0.9999999999999999, n) from rows'],
    ['bytes', 'select id, bytes from rows'],
    ['bytes in an expression', "select id, iif(id = 3, x'00ff', text) from rows", 'throws'],
    ['a list that was made as JSON', 'select id, json_array(text) from rows'],
    ['an arrow', `select id, '{"a":"b"}' -> 'a' from rows`],
    ['a text with a NUL', "select id, text || char(0) || 'b' from rows"],
  ])('and otherwise are not read as JSON: %s', async (_what, sql, throws?: string) => {
    if (throws) expect(() => isRead(sql)).toThrow(/BLOB/)
    else expect(isRead(sql)).toBe(false)
    await bothWays(sql)
  })

  it.each(['', 'order by id desc', 'where id > 1 limit 9', 'group by id'])(
    'also of a view that makes JSON, %s',
    async rest => {
      const sql = `select list, id from odd ${rest}`
      expect(isRead(sql)).toBe(true)
      expect(await bothWays(sql)).toContainEqual(['["[1,2]"]', 4])
    },
  )

  it('also when other values come', async () => {
    const sql = 'select id, text, n from rows where id >= ? order by id'
    await bothWays(sql, [0])
    await db.client.execute("insert into rows (id, text, n) values (20, 'half', 0.5)")
    expect((await bothWays(sql, [0])).at(-1)).toEqual([20, 'half', 0.5])
    await db.client.execute("update rows set text = x'00ff', n = 1 where id = 20")
    expect((await bothWays(sql, [0])).at(-1)).toEqual([20, new Uint8Array([0, 255]).buffer, 1])
    await db.client.execute("update rows set text = 'whole' where id = 20")
    expect((await bothWays(sql, [0])).at(-1)).toEqual([20, 'whole', 1])
    expect(await bothWays(sql, [99])).toEqual([])
  })

  it('also of an integer that a number cannot hold, which is refused', async () => {
    const rows = () => db.client.rows('select id, n from rows')
    await rows()
    await rows()
    await db.client.execute('insert into rows (id, n) values (21, 9007199254740993)')
    await expect(rows()).rejects.toThrow(RangeError)
    await expect(rows()).rejects.toThrow(RangeError)
    expect((await arraysBothWays('select id, n from rows order by id desc'))?.[0]).toEqual([21, 2 ** 53])
    await db.client.execute('delete from rows where id = 21')
    expect(await rows()).toHaveLength(12)
  })

  it('see what was written since', async () => {
    const rows = () => db.client.rows('select id from rows where text = ? or id < 10'.replace('?', "'new'"))
    await rows()
    expect(await rows()).toHaveLength(10)
    await db.client.execute("insert into rows (id, text) values (30, 'new')")
    expect(await rows()).toHaveLength(11)
    await db.client.execute('alter table rows add column more text')
    expect(await rows()).toHaveLength(11)
  })
})
