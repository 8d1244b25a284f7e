import * as fc from 'fast-check'
import { sql } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { containsSql, containsText, foldedSql, toSought } from '#fairway/server/kernel/folding/fold-sql'
import { keepFolds } from '#fairway/server/kernel/folding/keep-folds'
import { foldedText } from '#fairway/server/fw-tables'
import { FOLDS, foldText, PLAIN } from '#fairway/shared/fold-text'
import { createTestApp, type TestApp } from '../../../support/app'
import { type Sqld, startSqld } from '../../../support/database-sqld'
import { query } from '../../../support/query'

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...FOLDS.keys(), ...PLAIN, ...'?:@$"\'ß漢字🙂'), maxLength: 40 }),
  // More different characters than folding takes.
  fc
    .integer({ min: 140, max: 160 })
    .map(count => Array.from({ length: count }, (_, at) => `Ä${String.fromCodePoint(0x4e00 + at)}`).join('')),
)

describe.each(['a file', 'a libSQL server'])('%s', store => {
  let server: Sqld | undefined
  let test: TestApp
  beforeAll(async () => {
    server = store === 'a file' ? undefined : await startSqld()
    test = await createTestApp(server ? { DATABASE_URL: server.url } : {})
  })
  afterAll(async () => {
    await test.close()
    await server?.stop()
  })

  const folded = async (values: readonly string[]) => {
    const rows = await query(test.app, `select value, ${foldedSql('value')} as folded from json_each(?) order by key`, [
      JSON.stringify(values),
    ])
    return rows.map(row => ({ value: String(row.value), folded: row.folded }))
  }

  it('folds each character as foldText does', async () => {
    const characters = Array.from({ length: 0x1_1000 }, (_, code) => String.fromCodePoint(code)).filter(
      character => character !== '\0' && character.isWellFormed(),
    )
    const rows = await folded(characters)
    expect(rows.filter(({ value, folded: found }) => found !== foldText(value))).toEqual([])
    expect(await query(test.app, 'select count(*) as count from fw_folds')).toEqual([{ count: FOLDS.size }])
  })

  it('folds any text as foldText does, and finds any part of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.nat(),
        async (given, from, length) => {
          const values = given.map(one => one.toWellFormed().replaceAll('\0', ''))
          const rows = await folded(values)
          expect(rows.map(row => row.folded)).toEqual(values.map(foldText))
          const whole = foldText(values[0]!)
          const sought = toSought(
            whole
              .slice(from % (whole.length + 1))
              .slice(0, 1 + (length % 30))
              .toWellFormed(),
          )
          if (!sought || sought.folded.includes('\ufffd')) return
          const found = await query(
            test.app,
            `select key from json_each(?) where ${containsSql('value').join(' and ')}`,
            [JSON.stringify(values), sought.pattern, sought.folded],
          )
          const wanted = values.flatMap((value, key) => (foldText(value).includes(sought.folded) ? [{ key }] : []))
          expect(found).toEqual(wanted)
        },
      ),
      { numRuns: server ? 50 : 300 },
    )
  })

  it('keeps the columns of foldedText with every kind of write', async () => {
    const { app } = test
    const table = sqliteTable('folded_rows', {
      id: text('id').primaryKey(),
      title: text('title'),
      titleFolded: foldedText('title'),
    })
    await query(app, 'create table folded_rows (id text primary key, title text, title_folded text_folded)')
    await query(app, "insert into folded_rows (id, title) values ('old', 'ÄLTER')")
    await Promise.all([keepFolds(app), keepFolds(app)])
    await app.db.orm.insert(table).values([
      { id: 'a', title: 'Ärzte' },
      { id: 'b', title: null },
    ])
    await query(app, "insert or replace into folded_rows (id, title) values ('a', 'Straße')")
    await query(app, "insert into folded_rows (id, title) values ('b', '') on conflict do update set title = 'ΣΊΣΥΦΟΣ'")
    await query(app, "update folded_rows set id = 'c' where id = 'old'")
    expect(await query(app, 'select id, title_folded as folded from folded_rows order by id')).toEqual([
      { id: 'a', folded: 'strasse' },
      { id: 'b', folded: 'σισυφοσ' },
      { id: 'c', folded: 'alter' },
    ])
    const found = (column: Parameters<typeof containsText>[0]) =>
      app.db.orm.select({ id: table.id }).from(table).where(containsText(column, 'STRASSE'))
    expect(await found(table.title)).toEqual([{ id: 'a' }])
    expect(await found(sql`'(' || ${table.title} || ')'`)).toEqual([{ id: 'a' }])
    await query(app, 'drop table folded_rows')
  })

  it('refuses a column of foldedText that names no column', async () => {
    await query(test.app, 'create table lost_rows (id text primary key, title_folded text_folded)')
    await expect(keepFolds(test.app)).rejects.toThrow('lost_rows.title_folded: foldedText() takes the name of a column')
    await query(test.app, 'drop table lost_rows')
  })
})
