import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { OrderBy } from '#fairway/server/domains/collections/effective-options'
import { foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { shareTestApp } from '../../../../support/use-app'
import { query } from '../../../../support/query'
import { aContext, aReader, cursorPage, fill, idsOf, walk } from './reading'

const rows = sqliteTable('cursor_rows', {
  id: integer('id').primaryKey(),
  score: integer('score'),
  level: integer('level').notNull(),
  code: text('code'),
  name: text('name').notNull(),
  at: integer('at', { mode: 'timestamp_ms' }),
  second: integer('second', { mode: 'timestamp' }).notNull(),
  size: integer('size').notNull(),
})
const CREATE = `create table cursor_rows (id integer primary key, score integer, level integer not null, code text, name text not null,
  at integer, second integer not null, size integer not null);
  create index cursor_rows_score on cursor_rows (score); create index cursor_rows_level on cursor_rows (level desc, id);`

const item = z.object({
  id: z.number().int(),
  score: z.number().nullable(),
  level: z.number(),
  code: z.string().nullable(),
  name: z.string(),
  at: z.string().nullable(),
  second: z.string(),
})
const names = ['a&b', 'c d', 'e/f', 'g+h', 'i=j', 'k%l', '', '\\']
const row = (id: number) => ({
  id,
  score: id % 3 === 0 ? null : Math.ceil(id / 4),
  level: Math.ceil(id / 4),
  code: [null, '', '\\', '\\x', 'x', 'ü'][id % 6],
  name: names[id % names.length],
  at: id % 4 === 0 ? null : new Date(Date.UTC(2024, 0, Math.ceil(id / 2), 12, 0, 0, id % 2)),
  second: new Date(Date.UTC(2024, 0, Math.ceil(id / 2), 12)),
  size: id,
})

const test = shareTestApp()
const reader = aReader(item, rows, { filters: { level: ['exact', 'range'], id: 'range' } })
const context = () => aContext(test.app)
const by = (...fields: string[]): OrderBy[] =>
  fields.map(field => ({ field: field.replace('-', ''), direction: field.startsWith('-') ? 'DESC' : 'ASC' }))
const bounds = (...given: [string, 'lt' | 'gt', string][]) => ({
  bounds: given.map(([field, operator, value]) => ({ field, operator, value })),
})

beforeAll(async () => {
  await fill(test.app, rows, CREATE, [])
})
beforeEach(async () => {
  await query(test.app, 'delete from cursor_rows')
  await test.app.db.orm.insert(rows).values(Array.from({ length: 24 }, (_, index) => row(index + 1)) as never)
})

/** Returns the ids in an order, as SQLite itself sorts them. */
async function sorted(order: string): Promise<unknown[]> {
  const rows = await query(test.app, `select id from cursor_rows order by ${order}`)
  return rows.map(({ id }) => id)
}

describe('cursor pagination', () => {
  const orders: [OrderBy[], string][] = [
    [by('-id'), 'id desc'],
    [by('id'), 'id'],
    [by('-score'), 'score desc, id desc'],
    [by('score'), 'score, id'],
    [by('-level', '-id'), 'level desc, id desc'],
    [by('-level', 'id'), 'level desc, id'],
    [by('level', '-score', 'id'), 'level, score desc, id'],
    [by('-score', 'level', '-id'), 'score desc, level, id desc'],
    [by('code'), `${foldedSql('code')}, id`],
    [by('-code'), `${foldedSql('code')} desc, id desc`],
    [by('-code', 'score'), `${foldedSql('code')} desc, score, id`],
    [by('name'), `${foldedSql('name')}, id`],
    [by('-name', 'id'), `${foldedSql('name')} desc, id`],
    [by('-at'), 'at desc, id desc'],
    [by('at', '-id'), 'at, id desc'],
    [by('-second'), 'second desc, id desc'],
  ]

  it.each(orders)('by %j returns each row once and in order, in both directions', async (via, order) => {
    const expected = await sorted(order)
    for (const format of ['bounds', 'opaque'] as const) {
      for (const limit of [1, 2, 5, 8, 24, 30]) {
        const pages = await walk(reader, context(), { via, limit, format })
        expect(idsOf(...pages)).toEqual(expected)
        expect(pages.length).toBe(Math.ceil(24 / limit))
        expect(pages[0]!.previous).toBeUndefined()
        expect(pages.at(-1)!.next).toBeUndefined()
        const last = pages.at(-2)?.next
        if (!last) continue
        const back = await walk(reader, context(), { via, limit, format, at: last }, { follow: 'previous' })
        expect(back.map(page => idsOf(page)).toReversed()).toEqual(pages.map(page => idsOf(page)))
        expect(back.at(-1)!.previous).toBeUndefined()
      }
    }
  })

  it('is unaffected by rows inserted or deleted before the cursor', async () => {
    const pages = await walk(
      reader,
      context(),
      { via: by('-id'), limit: 5 },
      {
        between: async page => {
          if (page !== 1) return
          await query(test.app, 'delete from cursor_rows where id in (23, 20, 18)')
          await test.app.db.orm.insert(rows).values(row(30) as never)
        },
      },
    )
    expect(idsOf(...pages)).toEqual([24, 23, 22, 21, 20, 19, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it('applies the filters', async () => {
    const filters = [{ kind: 'range', field: 'level', operator: 'lte', value: '3' } as const]
    const pages = await walk(reader, context(), { via: by('-id'), limit: 5, filters })
    expect(idsOf(...pages)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(pages.length).toBe(3)
  })

  it('uses the requested order', async () => {
    const pages = await walk(reader, context(), { via: by('-id'), limit: 7, order: by('id') })
    expect(idsOf(...pages)).toEqual(await sorted('id'))
    expect(pages[0]!.next).toEqual(bounds(['id', 'gt', '7']))
  })
})

describe('page cursor', () => {
  it('contains the last and first row, with the primary key for rows with equal values', async () => {
    const first = await cursorPage(reader, context(), { via: by('-level'), limit: 5 })
    expect(idsOf(first)).toEqual([24, 23, 22, 21, 20])
    expect(first.next).toEqual(bounds(['level', 'lt', '5'], ['id', 'lt', '20']))
    const second = await cursorPage(reader, context(), { via: by('-level'), limit: 5, at: first.next })
    expect(second.previous).toEqual(bounds(['level', 'gt', '5'], ['id', 'gt', '19']))
  })

  it('goes back to the neighboring page', async () => {
    const page = await cursorPage(reader, context(), { via: by('-id'), limit: 3, at: bounds(['id', 'gt', '4']) })
    expect(idsOf(page)).toEqual([7, 6, 5])
    expect(page.previous).toEqual(bounds(['id', 'gt', '7']))
    expect(page.next).toEqual(bounds(['id', 'lt', '5']))
  })

  it('accepts bounds for the first fields only', async () => {
    const page = await cursorPage(reader, context(), { via: by('-level'), limit: 5, at: bounds(['level', 'lt', '2']) })
    expect(idsOf(page)).toEqual([4, 3, 2, 1])
    expect(page.previous).toEqual(bounds(['level', 'gt', '1'], ['id', 'gt', '4']))
  })

  it('writes null without a value, and dates with their stored precision', async () => {
    const [, second] = await walk(reader, context(), { via: by('at'), limit: 3 })
    expect(second!.previous).toEqual({
      bounds: [
        { field: 'at', operator: 'lt', value: null },
        { field: 'id', operator: 'lt', value: '16' },
      ],
    })
    const dated = await cursorPage(reader, context(), { via: by('-at'), limit: 1 })
    expect(dated.items[0]!.at).toBe('2024-01-12T12:00:00.001Z')
    expect(dated.next).toEqual(bounds(['at', 'lt', '2024-01-12T12:00:00.001+00:00'], ['id', 'lt', '23']))
    const seconds = await cursorPage(reader, context(), { via: by('-second'), limit: 1 })
    expect(seconds.next).toEqual(bounds(['second', 'lt', '2024-01-12T12:00:00+00:00'], ['id', 'lt', '24']))
  })

  it('accepts dates in other formats', async () => {
    for (const value of [
      '2024-01-02T12:00:00Z',
      '2024-01-02T13:00:00 01:00',
      '2024-01-02 12:00',
      '2024-01-02T12:00:00.000-00:00',
    ]) {
      const page = await cursorPage(reader, context(), {
        via: by('second'),
        limit: 1,
        at: bounds(['second', 'gt', value]),
      })
      expect(idsOf(page)).toEqual([5])
    }
  })

  it('reads a window between two bounds to its end, without previous pages', async () => {
    const at = bounds(['id', 'lt', '12'], ['id', 'gt', '6'])
    const pages = await walk(reader, context(), { via: by('-id'), limit: 2, at })
    expect(pages.map(page => idsOf(page))).toEqual([[11, 10], [9, 8], [7]])
    expect(pages.map(({ previous }) => previous)).toEqual([undefined, undefined, undefined])
  })

  it('leads back from an empty page to the last or first rows', async () => {
    for (const format of ['bounds', 'opaque'] as const) {
      const pages = await walk(reader, context(), { via: by('-id'), limit: 10, format })
      const end = await cursorPage(reader, context(), { via: by('-id'), limit: 4, format, at: pages[1]!.next })
      expect(idsOf(end)).toEqual([4, 3, 2, 1])
    }
    const behind = await cursorPage(reader, context(), { via: by('-id'), limit: 3, at: bounds(['id', 'lt', '1']) })
    expect(behind.items).toEqual([])
    expect(behind.next).toBeUndefined()
    expect(idsOf(await cursorPage(reader, context(), { via: by('-id'), limit: 3, at: behind.previous }))).toEqual([
      3, 2, 1,
    ])
    const before = await cursorPage(reader, context(), { via: by('-id'), limit: 3, at: bounds(['id', 'gt', '24']) })
    expect(before.items).toEqual([])
    expect(before.previous).toBeUndefined()
    expect(idsOf(await cursorPage(reader, context(), { via: by('-id'), limit: 3, at: before.next }))).toEqual([
      24, 23, 22,
    ])
  })

  it('is absent in an empty collection and for a page without rows', async () => {
    const empty = await cursorPage(reader, context(), { via: by('-id'), limit: 0 })
    expect(empty).toEqual({ mode: 'cursor', items: [], itemsPerPage: 0 })
    await query(test.app, 'delete from cursor_rows')
    for (const at of [undefined, bounds(['id', 'lt', '9']), bounds(['id', 'gt', '9'])])
      expect(await cursorPage(reader, context(), { via: by('-id'), limit: 3, at })).toEqual({
        mode: 'cursor',
        items: [],
        itemsPerPage: 3,
      })
  })

  it.each([
    ['a value that does not parse', by('-id'), bounds(['id', 'lt', 'abc']), 'id[lt]'],
    ['a value with a fraction', by('-id'), bounds(['id', 'lt', '1.5']), 'id[lt]'],
    ['null for a column without nulls', by('-level'), bounds(['level', 'lt', '']), 'level[lt]'],
    ['a date that is none', by('second'), bounds(['second', 'gt', 'yesterday']), 'second[gt]'],
    [
      'values that lead in different directions',
      by('-level', '-id'),
      bounds(['level', 'lt', '2'], ['id', 'gt', '5']),
      'level[lt]',
    ],
    ['a gap', by('-level', '-id'), bounds(['id', 'lt', '5']), 'id[lt]'],
    ['a field that is not in the order', by('-level', '-id'), bounds(['score', 'lt', '5']), 'score[lt]'],
  ])('rejects %s', async (_, via, at, path) => {
    await expect(cursorPage(reader, context(), { via, limit: 3, at })).rejects.toMatchObject({
      code: 'invalid-input',
      errors: [{ path }],
    })
  })
})

describe('opaque cursor', () => {
  const via = by('-score', 'id')
  const read = (at: string, more = {}) =>
    cursorPage(reader, context(), { via, limit: 5, format: 'opaque', at: { token: at }, ...more })

  it('is rejected when it was changed, or used with another order or other filters', async () => {
    const { next } = await cursorPage(reader, context(), { via, limit: 5, format: 'opaque' })
    const token = next && 'token' in next ? next.token : ''
    expect(idsOf(await read(token))).toHaveLength(5)
    const [keyId = '', sealed = ''] = token.split('.')
    const changed = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1)
    const filters = [{ kind: 'exact', field: 'level', values: ['1'] } as const]
    const refusal = { code: 'invalid-input', errors: [{ path: 'cursor' }] }
    for (const wrong of ['', 'abc', sealed, `${keyId}.${changed}`, `${keyId}.`, token.slice(0, -4), `${token}.`])
      await expect(read(wrong)).rejects.toMatchObject(refusal)
    await expect(read(token, { filters })).rejects.toMatchObject(refusal)
    await expect(read(token, { order: by('id') })).rejects.toMatchObject(refusal)
  })

  it('hides its values, and is the same token for the same page', async () => {
    const read = () => cursorPage(reader, context(), { via: by('name'), limit: 5, format: 'opaque' })
    const [first, again] = await Promise.all([read(), read()])
    const tokenOf = ({ next }: typeof first) => (next && 'token' in next ? next.token : '')
    const token = tokenOf(first)
    const shown = [token, ...token.split('.')].map(part => Buffer.from(part, 'base64url').toString('latin1'))
    expect(
      idsOf(await cursorPage(reader, context(), { via: by('name'), limit: 5, format: 'opaque', at: { token } })),
    ).toHaveLength(5)
    const values = names.filter(({ length }) => length > 2)
    for (const text of shown) for (const hidden of [...values, 'false']) expect(text).not.toContain(hidden)
    expect(tokenOf(again)).toBe(token)
  })
})
