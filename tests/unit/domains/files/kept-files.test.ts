import { afterAll, beforeAll, expect, it } from 'vitest'
import { keepFiles } from '#fairway/server/domains/files'
import { createTestApp, type TestApp } from '../../../support/app'

let test: TestApp
beforeAll(async () => {
  test = await createTestApp()
})
afterAll(() => test.close())

it('lets several processes put the same triggers in place at once', async () => {
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
