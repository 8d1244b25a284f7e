import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CollectionQuery, CollectionReader, CollectionScope } from '#fairway/server/domains/collections/collection'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { aMember } from '../../../../support/members'
import { query } from '../../../../support/query'
import { aContext, aQuery, aReader, full, idsOf, partial } from './reading'

const rows = sqliteTable('kept_rows', {
  id: integer('id').primaryKey(),
  orgId: text('org_id').notNull(),
  ownerEmail: text('owner_email').notNull(),
  visibility: text('visibility').notNull(),
  name: text('name').notNull(),
})
const item = z.object({ id: z.number(), name: z.string() })

let test: TestApp
let dataDir: string
let one: Session
let other: Session

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fw-kept-'))
  test = await createTestApp({ FW_DATA_DIR: dataDir })
  one = await aMember(test.app)
  other = await aMember(test.app)
  await query(
    test.app,
    'create table kept_rows (id integer primary key, org_id text not null, owner_email text not null, visibility text not null, name text not null)',
  )
})
afterAll(() => test.close())

beforeEach(async () => {
  await query(test.app, 'delete from kept_rows')
  for (const [index, { email, orgId }] of [one, other].entries())
    for (let number = 1; number <= 5; number++)
      await query(test.app, 'insert into kept_rows values (?, ?, ?, ?, ?)', [
        index * 100 + number,
        orgId,
        email,
        'private',
        `row ${number}`,
      ])
})

const contextOf = (session: Session | null) => aContext(test.app, session)

/** Reads a page twice, then returns its kept form, or undefined when the page is not kept. */
async function keptOf(reader: CollectionReader<Record<string, unknown>>, asked: CollectionQuery, session = one) {
  await reader.readPage(contextOf(session), asked)
  await reader.readPage(contextOf(session), asked)
  return reader.keptPage?.(contextOf(session), asked)
}

const queries = {
  full: aQuery(full(1, 3)),
  partial: aQuery(partial(1, 3)),
  whole: aQuery({ mode: 'whole', most: 10 }),
  cursor: aQuery({
    mode: 'cursor',
    limit: 3,
    via: [{ field: 'id', direction: 'ASC' }],
    format: 'bounds',
    cursor: { bounds: [] },
  }),
}

describe('cached page', () => {
  const scopes: Record<string, CollectionScope> = {
    organization: 'organization',
    shared: 'shared',
    function: ({ email }) => eq(rows.ownerEmail, email),
    'function with another text for everybody': ({ email }) => sql`owner_email = ${sql.raw(`'${email}'`)}`,
  }
  it.each(Object.keys(scopes).flatMap(scope => Object.keys(queries).map(mode => [scope, mode] as const)))(
    'is never returned to another person: scope %s, %s pages',
    async (scope, mode) => {
      const reader = aReader(item, rows, { scope: scopes[scope] })
      const asked = queries[mode as keyof typeof queries]
      const wanted = mode === 'whole' ? [1, 2, 3, 4, 5] : [1, 2, 3]
      for (let turn = 0; turn < 4; turn++) {
        for (const [session, first] of [
          [one, 0],
          [other, 100],
        ] as const) {
          const ids = wanted.map(id => id + first)
          expect(idsOf(await reader.readPage(contextOf(session), asked))).toEqual(ids)
          const kept = reader.keptPage?.(contextOf(session), asked)
          if (turn > 0) expect(kept && idsOf(kept)).toEqual(ids)
        }
      }
    },
  )

  it('has no omitted fields, which still work as filters, also in grouped queries', async () => {
    const both = sql`${rows.name} || ' of ' || ${rows.id}`
    const withBoth = item.extend({ both: z.string().optional() })
    const asked = aQuery(full(1, 3), { filters: [{ kind: 'search', field: 'both', value: 'row 2 of 2' }] })
    for (const more of [{}, { groupBy: [rows.id], having: sql`count(*) = 1` }]) {
      const reader = aReader(
        withBoth,
        { root: rows, columns: { both }, ...more },
        { scope: 'organization', omit: ['both'], filters: { both: 'search' } },
      )
      expect((await reader.readPage(contextOf(one), asked)).items).toEqual([{ id: 2, name: 'row 2' }])
      expect((await keptOf(reader, asked))?.items).toEqual([{ id: 2, name: 'row 2' }])
    }
  })

  it.each(Object.keys(queries))('is read again after a write by this process: %s pages', async mode => {
    const reader = aReader(item, rows, { scope: 'organization' })
    const asked = queries[mode as keyof typeof queries]
    expect(await keptOf(reader, asked)).toMatchObject({ mode })
    await query(test.app, 'update kept_rows set name = ? where id = 1', ['changed'])
    expect(reader.keptPage?.(contextOf(one), asked)).toBeUndefined()
    expect((await reader.readPage(contextOf(one), asked)).items[0]).toEqual({ id: 1, name: 'changed' })
  })

  it('is read again after a write by another process', async () => {
    const reader = aReader(item, rows, { scope: 'organization' })
    expect(await keptOf(reader, queries.full)).toMatchObject({ totalItems: 5 })
    await query({ dataDir }, 'delete from kept_rows where id = 1')
    expect(reader.keptPage?.(contextOf(one), queries.full)).toBeUndefined()
    expect(await reader.readPage(contextOf(one), queries.full)).toMatchObject({ totalItems: 4 })
  })

  it('depends on filters, order, page size and cursor', async () => {
    const reader = aReader(item, rows, { scope: 'organization', filters: { id: 'range' }, order: ['id'] })
    const { cursor } = queries
    const bounds = (value: string) =>
      ({
        ...cursor,
        selection: { ...cursor.selection, cursor: { bounds: [{ field: 'id', operator: 'gt', value }] } },
      }) as const
    const asked: [CollectionQuery, number[]][] = [
      [aQuery(full(1, 3)), [1, 2, 3]],
      [aQuery(full(2, 3)), [4, 5]],
      [aQuery(full(1, 2)), [1, 2]],
      [aQuery(full(1, 3), { order: [{ field: 'id', direction: 'DESC' }] }), [5, 4, 3]],
      [aQuery(full(1, 3), { filters: [{ kind: 'range', field: 'id', operator: 'gt', value: '3' }] }), [4, 5]],
      [aQuery(full(1, 3), { filters: [{ kind: 'range', field: 'id', operator: 'gt', value: '4' }] }), [5]],
      [aQuery(partial(1, 3)), [1, 2, 3]],
      [bounds('2'), [3, 4, 5]],
      [bounds('3'), [4, 5]],
    ]
    for (let turn = 0; turn < 3; turn++)
      for (const [query, ids] of asked) expect(idsOf(await reader.readPage(contextOf(one), query))).toEqual(ids)
  })

  it('passes cached rows to toItem on each request', async () => {
    let clock = 0
    const reader = aReader(item, rows, { scope: 'organization', toItem: ({ id }) => ({ id, name: `at ${clock}` }) })
    expect(await keptOf(reader, queries.full)).toMatchObject({ items: [{ name: 'at 0' }, {}, {}] })
    clock = 1
    expect(reader.keptPage?.(contextOf(one), queries.full)).toMatchObject({ items: [{ name: 'at 1' }, {}, {}] })
  })
})

describe('page caching', () => {
  it.each(["strftime('%Y', 'now')", 'random()', 'current_timestamp', 'cast(unixepoch() as text)'])(
    'is skipped when the query depends on %s',
    async expression => {
      const asked = { root: rows, columns: { name: sql.raw(expression) as ReturnType<typeof sql<string>> } }
      expect(await keptOf(aReader(item, asked, { scope: 'organization' }), queries.full)).toBeUndefined()
      const scope = () => sql.raw(`${expression} is not null`)
      expect(await keptOf(aReader(item, rows, { scope }), queries.full)).toBeUndefined()
    },
  )

  it('is skipped for large pages', async () => {
    await query(test.app, "update kept_rows set name = printf('%040000d', 1) where id = 1")
    expect(await keptOf(aReader(item, rows, { scope: 'organization' }), queries.full)).toBeUndefined()
  })

  it('is skipped when the database cannot detect writes by others', async () => {
    const { snapshot: _, ...db } = test.app.db
    const reader = aReader(item, rows, { scope: 'organization' })
    const context = { ...contextOf(one), app: { ...test.app, db } }
    for (let turn = 0; turn < 3; turn++) await reader.readPage(context, queries.full)
    expect(reader.keptPage?.(context, queries.full)).toBeUndefined()
  })
})
