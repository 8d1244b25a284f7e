import { expect, it } from 'vitest'
import { deleteFiles, keepFiles } from '#fairway/server/domains/files'
import { shareTestApp } from '../../../support/use-app'

const test = shareTestApp()

it('keepFiles lets several processes create the same triggers concurrently', async () => {
  const { app } = test
  await app.db.client.execute('create table drawings (id text primary key, scan text_file)')
  await Promise.all([keepFiles(app), keepFiles(app), keepFiles(app)])
  const { rows } = await app.db.client.execute(
    "select name from sqlite_schema where type = 'trigger' and tbl_name = 'drawings' order by name",
  )
  expect(rows.map(({ name }) => name)).toEqual([
    'fw_file_drawings:scan:delete',
    'fw_file_drawings:scan:insert',
    'fw_file_drawings:scan:update',
  ])
})

it('deleteFiles keeps the files of rows, for any type of primary key', async () => {
  const { app } = test
  await app.db.client.executeMultiple(`
    create table texts (id text primary key, scan text_file, scans text_files);
    create table counted (id integer primary key, scan text_file);
    create table loose (id primary key, scan text_file);`)
  await keepFiles(app)
  const add = async (id: string) =>
    app.db.client.execute({
      sql: `insert into fw_files (id, org_id, upload, name, type, size, sha256, state, created_at)
        values (?, 'org', 'scans', 'a', 'text/plain', 1, 'x', 'pending', ?)`,
      args: [id, app.now().getTime()],
    })
  for (const id of ['one', 'first', 'second', 'two', 'three', 'lost']) await add(id)
  await app.db.client.executeMultiple(`
    insert into texts (id, scan, scans) values ('a', 'one', '["first","second"]'), ('b', 'lost', null);
    insert into counted (id, scan) values (5, 'two');
    insert into loose (id, scan) values (5, 'three');
    replace into texts (id, scan, scans) values ('b', null, null);`)
  await deleteFiles(app, { all: true, signal: new AbortController().signal })
  const { rows } = await app.db.client.execute('select id, state from fw_files order by id')
  const kept = ['first', 'one', 'second', 'three', 'two']
  expect(rows.map(({ id, state }) => [id, state])).toEqual(kept.map(id => [id, 'kept']))
})
