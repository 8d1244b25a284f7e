import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCollection } from '#fairway/server/domains/collections'
import { keepTotals } from '#fairway/server/domains/collections/sql/kept-total'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../../support/app'
import { aMember } from '../../../../support/members'
import { countRows, query } from '../../../../support/query'
import { aContext, aQuery, full } from './reading'

const rows = sqliteTable('totalled', {
  id: integer('id').primaryKey(),
  orgId: text('org_id'),
  code: text('code'),
  name: text('name').notNull(),
})
const CREATE =
  'create table totalled (id integer primary key, org_id text, code text unique, name text not null, unique (org_id, name))'
const base = {
  description: 'Rows.',
  item: z.object({ id: z.number(), name: z.string() }),
  source: rows,
  keepTotal: true,
}
const all = defineCollection({ ...base, scope: 'everybody' })
const ours = defineCollection(base)
const entries = [
  { name: 'all', collection: all },
  { name: 'ours', collection: ours },
]

let test: TestApp
let dataDir: string
let one: Session
let other: Session

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fw-total-'))
  test = await createTestApp({ FW_DATA_DIR: dataDir })
  one = await aMember(test.app)
  other = await aMember(test.app)
})
afterAll(() => test.close())

beforeEach(async () => {
  await test.app.db.client.executeMultiple(`drop table if exists totalled; ${CREATE}`)
  await keepTotals(test.app, entries)
})

const run = (statement: string) => query(test.app, statement)

async function total({ reader }: typeof all, session: Session): Promise<unknown> {
  const page = await reader.readPage(aContext(test.app, session), aQuery(full(1, 1)))
  return 'totalItems' in page ? page.totalItems : page
}

/** Compares the stored totals with a count of the rows. */
async function expectTotals(): Promise<void> {
  const kept = await query(
    test.app,
    "select scope, amount from fw_totals where total = 'totalled:organization' and amount <> 0 order by scope",
  )
  const counted = await query(
    test.app,
    "select coalesce(org_id, '') as scope, count(*) as amount from totalled group by 1 order by 1",
  )
  expect(kept.map(row => ({ ...row }))).toEqual(counted.map(row => ({ ...row })))
  expect(await total(all, one)).toBe(await countRows(test.app, 'totalled'))
  expect(await total(ours, one)).toBe(await countRows(test.app, 'totalled where org_id = ?', [one.orgId]))
  expect(await total(ours, other)).toBe(await countRows(test.app, 'totalled where org_id = ?', [other.orgId]))
}

const keptAmount = async () =>
  (await query(test.app, "select amount from fw_totals where total = 'totalled:all'"))[0]?.amount ?? 0

const CHOICES = ['', 'or ignore', 'or replace', 'or fail', 'or rollback', 'or abort']

/** Returns statements of every kind that depend only on the seed; some of them fail. */
function statements(seed: number, count: number, orgs: readonly (string | null)[]): string[] {
  let state = seed
  const below = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * most)
  }
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
  const org = () => {
    const id = pick(orgs)
    return id === null ? 'null' : `'${id}'`
  }
  const id = () => pick(['null', '-1', ...Array.from({ length: 12 }, (_, index) => String(index))])
  const code = () => pick(['null', "'a'", "'b'", "'c'", "'d'"])
  const values = () => `(${id()}, ${org()}, ${code()}, 'n${below(6)}')`
  const kinds: (() => string)[] = [
    () => `insert ${pick(CHOICES)} into totalled values ${values()}`,
    () => `insert ${pick(CHOICES)} into totalled values ${values()}, ${values()}, ${values()}`,
    () => `replace into totalled values ${values()}`,
    () => `insert into totalled values ${values()} on conflict do nothing`,
    () => `insert into totalled values ${values()} on conflict do update set org_id = excluded.org_id`,
    () =>
      `insert into totalled values ${values()} on conflict (id) do update set id = ${below(12)}, name = 'n${below(6)}'`,
    () => `update ${pick(CHOICES)} totalled set org_id = ${org()} where id % 3 = ${below(3)}`,
    () => `update ${pick(CHOICES)} totalled set code = ${code()} where id = ${below(12)}`,
    () => `update ${pick(CHOICES)} totalled set id = ${below(12)}, name = 'n${below(6)}' where id = ${below(12)}`,
    () => `update ${pick(CHOICES)} totalled set rowid = rowid + ${below(3)}`,
    () => `delete from totalled where id = ${below(12)}`,
    () => `delete from totalled where id % 5 = ${below(5)}`,
    () => (below(10) === 0 ? 'delete from totalled' : 'select 1'),
    () => `insert or replace into totalled select id + 1, org_id, code, name from totalled`,
  ]
  return Array.from({ length: count }, () => pick(kinds)())
}

describe('keepTotal', () => {
  it.each([
    [1, 'off'],
    [2, 'off'],
    [3, 'on'],
    [4, 'on'],
  ])('matches a count after writes of every kind (seed %i, recursive triggers %s)', async (seed, recursive) => {
    await run(`pragma recursive_triggers = ${recursive}`)
    let failed = 0
    let replaced = 0
    for (const statement of statements(seed, 250, [one.orgId, other.orgId, null])) {
      await run(statement).catch(() => (failed += 1))
      if (statement.includes('replace')) replaced += 1
      expect(await keptAmount(), statement).toBe(await countRows(test.app, 'totalled'))
    }
    await expectTotals()
    await run('pragma recursive_triggers = off')
    expect(failed).toBeGreaterThan(10)
    expect(replaced).toBeGreaterThan(20)
  })

  it('is correct after writes by another process and after a rollback', async () => {
    await query({ dataDir }, 'insert into totalled (org_id, name) values (?, ?), (?, ?)', [
      one.orgId,
      'a',
      other.orgId,
      'b',
    ])
    await expectTotals()
    const transaction = await test.app.db.client.transaction('write')
    await transaction.execute("insert into totalled (name) values ('gone')")
    await transaction.rollback()
    await expectTotals()
    await query({ dataDir }, 'delete from totalled')
    await expectTotals()
  })

  it('returns the stored total without counting', async () => {
    await run("insert into totalled (name) values ('a'), ('b')")
    await run("update fw_totals set amount = 7 where total = 'totalled:all'")
    expect(await total(all, one)).toBe(7)
  })

  it('counts after the table is recreated, and stores the total again from the next start', async () => {
    await run("insert into totalled (org_id, name) values ('x', 'a'), ('x', 'b')")
    await test.app.db.client.executeMultiple(
      `create table later as select * from totalled; drop table totalled; ${CREATE}; insert into totalled select * from later; drop table later; insert into totalled (name) values ('c')`,
    )
    expect(await total(all, one)).toBe(3)
    await keepTotals(test.app, entries)
    await expectTotals()
    expect(await keptAmount()).toBe(3)
  })

  it('includes existing rows, and is unchanged by a start without changes', async () => {
    await keepTotals(test.app, [])
    await run("insert into totalled (org_id, name) values ('x', 'a'), ('y', 'b')")
    await Promise.all([keepTotals(test.app, entries), keepTotals(test.app, entries), keepTotals(test.app, entries)])
    await expectTotals()
    await run("update fw_totals set amount = 9 where total = 'totalled:all'")
    await keepTotals(test.app, entries)
    expect(await keptAmount()).toBe(9)
  })

  it('supports a unique index that is added later', async () => {
    await run('create unique index totalled_name on totalled (name)')
    await keepTotals(test.app, entries)
    await run("insert into totalled (id, name) values (1, 'a')")
    await run("insert or replace into totalled (id, name) values (2, 'a')")
    await expectTotals()
    expect(await countRows(test.app, 'totalled')).toBe(1)
  })

  it('removes its triggers and totals when no collection uses it', async () => {
    await keepTotals(test.app, [])
    expect(await countRows(test.app, "sqlite_schema where type = 'trigger' and name like 'fw_total%'")).toBe(0)
    expect(await countRows(test.app, 'fw_totals')).toBe(0)
    await run("insert into totalled (name) values ('a')")
    expect(await total(all, one)).toBe(1)
  })

  it('throws for a unique index whose replaced rows cannot be found', async () => {
    await run('create unique index totalled_upper on totalled (upper(name))')
    await expect(keepTotals(test.app, entries)).rejects.toThrow('the unique index totalled_upper of totalled')
  })
})

it.each([
  [{ source: () => [] }, 'keepTotal: belongs to a table'],
  [{ source: { root: rows } }, 'keepTotal: belongs to a table'],
  [{ scope: () => null }, "allowed are the scopes 'everybody' and 'organization'"],
])('keepTotal throws at load when the total cannot be stored: %o', (more, fault) => {
  expect(() => defineCollection({ ...base, ...(more as object) })).toThrow(fault)
})
