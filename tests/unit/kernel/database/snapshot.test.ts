import { join } from 'node:path'
import NativeDatabase from 'libsql'
import { beforeEach, expect, it } from 'vitest'
import { useEmptyDatabase } from '../../../support/use-app'

const db = useEmptyDatabase()

beforeEach(async () => {
  await db.client.batch([
    'create table rows (id integer primary key, text text)',
    "insert into rows values (1, 'one'), (2, null)",
  ])
})

const COUNT = 'select count(*) from rows'

it('readRows returns rows as arrays, for several statements in order', async () => {
  const [rows, counts] = await db.readRows([
    { sql: 'select text, id from rows where id >= ? order by id', args: [1] },
    { sql: COUNT, args: [] },
  ])
  expect(rows).toEqual([
    ['one', 1],
    [null, 2],
  ])
  expect(counts).toEqual([[2]])
  expect(await db.readRows([])).toEqual([])
})

it('snapshot reads one state, and the next call includes later writes', async () => {
  const { snapshot } = db
  const twice = () => snapshot!(rows => [rows(COUNT, []), rows('select max(id) from rows', [])])
  expect(await twice()).toEqual([[[2]], [[2]]])
  await db.client.execute("insert into rows values (3, 'three')")
  expect(await twice()).toEqual([[[3]], [[3]]])
})

it('snapshot does not see commits of others while it runs', async () => {
  const other = new NativeDatabase(join(db.folder, 'test.db'))
  const counts = await db.snapshot!(rows => {
    const before = rows(COUNT, [])
    other.exec("insert into rows values (3, 'three')")
    return [before, rows(COUNT, [])]
  })
  other.close()
  expect(counts).toEqual([[[2]], [[2]]])
  expect(await db.readRows([{ sql: COUNT, args: [] }])).toEqual([[[3]]])
})

it('snapshot refuses writes, and reads continue after a failure', async () => {
  await expect(db.snapshot!(rows => rows('delete from rows returning id', []))).rejects.toMatchObject({
    code: 'SQLITE_READONLY',
  })
  expect(await db.readRows([{ sql: COUNT, args: [] }])).toEqual([[[2]]])
})

it('explain returns the query plan and includes new indexes', async () => {
  const plan = () => db.explain('select id from rows where text = ? and id > ?')
  expect(await plan()).toEqual([expect.stringContaining('SEARCH rows USING INTEGER PRIMARY KEY')])
  await db.client.execute('create index rows_text on rows (text)')
  expect(await plan()).toEqual([expect.stringContaining('rows_text')])
  await db.client.execute("insert into rows values (3, 'three')")
  expect(await db.readRows([{ sql: COUNT, args: [] }])).toEqual([[[3]]])
})
