import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { foldedText } from '#fairway/server/fw-tables'
import { backgroundDone } from '#fairway/server/kernel/background'
import { keepFolds } from '#fairway/server/kernel/folding/keep-folds'
import { createTestApp, type TestApp } from '../../../../support/app'
import { type Sqld, startSqld } from '../../../../support/database-sqld'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, cursorPage, fill, full } from './reading'

const shops = sqliteTable('plain_shops', {
  id: integer('id').primaryKey(),
  name: text('name'),
  state: text('state', { enum: ['a', 'B'] }).notNull(),
})
const NAMES = [
  null,
  'apple',
  'Äpfel',
  'Banana',
  'Straße',
  'STRASSE',
  'Zebra',
  'zoë',
  'Ærø',
  'İstanbul',
  'ｆｕｌｌ',
  'nai\u0308ve',
]
const made = NAMES.map((name, at) => ({ id: at + 1, name, state: at % 2 === 0 ? 'a' : 'B' }) as const)
const item = z.object({ id: z.number(), name: z.string().nullable(), state: z.enum(['a', 'B']) })
const reader = aReader(item, shops, { filters: { name: 'search' }, order: ['name', 'state'] })
const whole = { mode: 'whole', most: 100 } as const

describe.each(['a file', 'a libSQL server'])('%s', store => {
  let server: Sqld | undefined
  let test: TestApp
  beforeAll(async () => {
    server = store === 'a file' ? undefined : await startSqld()
    test = await createTestApp(server ? { DATABASE_URL: server.url } : {})
    await fill(
      test.app,
      shops,
      'create table plain_shops (id integer primary key, name text, state text not null)',
      made,
    )
  })
  afterAll(async () => {
    await test.close()
    await server?.stop()
  })

  const found = async (value: string) => {
    const filters = [{ kind: 'search', field: 'name', value } as const]
    const page = await reader.readPage(aContext(test.app), aQuery(full(1, 50), { filters }))
    expect(page).toMatchObject({ totalItems: page.items.length })
    return page.items.map(({ name }) => name)
  }

  it.each([
    ['äpfel', ['Äpfel']],
    ['APFEL', ['Äpfel']],
    ['strasse', ['Straße', 'STRASSE']],
    ['ß', ['Straße', 'STRASSE']],
    ['ZOE\u0308', ['zoë']],
    ['aero', ['Ærø']],
    ['istanbul', ['İstanbul']],
    ['FULL', ['ｆｕｌｌ']],
    ['naive', ['nai\u0308ve']],
    ['%', []],
    ['_', []],
  ])('a search for %s ignores case and marks', async (sought, names) => {
    expect(await found(sought)).toEqual(names)
  })

  it('orders texts as people read them, and states and nulls as before', async () => {
    const by = async (field: string, direction: 'ASC' | 'DESC') => {
      const page = await reader.readPage(aContext(test.app), aQuery(whole, { order: [{ field, direction }] }))
      return page.items.map(row => row[field])
    }
    const sorted = [
      null,
      'Ærø',
      'Äpfel',
      'apple',
      'Banana',
      'ｆｕｌｌ',
      'İstanbul',
      'nai\u0308ve',
      'Straße',
      'STRASSE',
      'Zebra',
      'zoë',
    ]
    expect(await by('name', 'ASC')).toEqual(sorted)
    expect((await by('name', 'DESC')).at(-1)).toBeNull()
    expect(await by('state', 'ASC')).toEqual([...made].map(({ state }) => state).toSorted((a, b) => (a < b ? -1 : 1)))
  })
  it('refuses a search of more than 200 characters', async () => {
    await expect(found('a'.repeat(201))).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await found('a'.repeat(200))).toEqual([])
  })
})

describe('in development', () => {
  it('an order names the folded column and the index that it lacks, and uses them once they exist', async () => {
    const test = await createTestApp({ NODE_ENV: 'development' })
    onTestFinished(() => test.close())
    const { app } = test
    await fill(app, shops, 'create table plain_shops (id integer primary key, name text, state text not null)', made)
    const via = [{ field: 'name', direction: 'ASC' } as const]
    const rest = { via, limit: 3, at: { bounds: [{ field: 'name', operator: 'gt', value: 'ÄPFEL' }] } } as const
    const advice = async (table: typeof shops) => {
      const page = await cursorPage(aReader(item, table, { order: ['name'] }), aContext(app), rest)
      expect(page.items.map(({ name }) => name)).toEqual(['apple', 'Banana', 'ｆｕｌｌ'])
      await backgroundDone(app)
      return test.lines().filter(({ message }) => String(message).includes('without an index'))
    }
    const [line, ...others] = await advice(shops)
    expect(line).toMatchObject({
      columns: ["foldedText('name')"],
      index: 'create index plain_shops_name_folded_id on "plain_shops" ("name_folded", "id")',
    })
    expect(others).toEqual([])
    await query(app, 'alter table plain_shops add column name_folded text_folded')
    await query(app, String(line?.index))
    await keepFolds(app)
    const folded = { nameFolded: foldedText('name') }
    const indexed = sqliteTable('plain_shops', {
      id: integer('id').primaryKey(),
      name: text('name'),
      state: text('state', { enum: ['a', 'B'] }).notNull(),
      ...folded,
    })
    expect(await advice(indexed)).toHaveLength(1)
  })
})
