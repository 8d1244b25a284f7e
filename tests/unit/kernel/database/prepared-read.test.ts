import { beforeEach, expect, it } from 'vitest'
import { useEmptyDatabase } from '../../../support/use-app'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

const db = useEmptyDatabase()

beforeEach(async () => {
  await db.client.batch([
    'create table rows (id integer primary key, text text, size real)',
    "insert into rows values (1, 'one', 1.5), (2, null, 0)",
  ])
})

it('prepareRead returns plain objects for texts, numbers and null', async () => {
  const find = db.prepareRead<{ id: number; text: string | null; size: number }>(
    'select * from rows where id = ? or text is ?',
  )
  const found = await find([1, null])
  expect(found).toEqual([
    { id: 1, text: 'one', size: 1.5 },
    { id: 2, text: null, size: 0 },
  ])
  expect(Object.getPrototypeOf(found[0])).toBe(Object.prototype)
  expect(await find([99, 'nothing'])).toEqual([])
})

it('prepareRead returns every row of a long result', async () => {
  const list = db.prepareRead<{ n: number }>(
    'with recursive up(n) as (select 1 union all select n + 1 from up where n < ?) select n from up',
  )
  for (const length of [99, 100, 101, 1000]) expect(await list([length])).toHaveLength(length)
})

it('prepareRead sees the latest commits of this process and of another one', WITH_PROCESSES, async () => {
  const other = startProcess('insert-row', db.url)
  await other.hears('ready')
  const find = db.prepareRead<{ text: string }>('select text from rows where text = ?')
  for (const text of ['red', 'green', 'blue']) {
    expect(await find([text])).toEqual([])
    other.say(text)
    await other.hears(`inserted ${text}`)
    expect(await find([text])).toEqual([{ text }])
  }
  await db.client.execute("insert into rows (text) values ('own')")
  expect(await find(['own'])).toEqual([{ text: 'own' }])
  await other.kill()
})

it('prepareRead does not see an open transaction of this process', async () => {
  const count = db.prepareRead<{ n: number }>('select count(*) as n from rows')
  await db.orm.transaction(async transaction => {
    await transaction.run("insert into rows (text) values ('open')")
    expect(await count([])).toEqual([{ n: 2 }])
  })
  expect(await count([])).toEqual([{ n: 3 }])
})

it('prepareRead continues after the table was changed', async () => {
  const find = db.prepareRead('select * from rows where id = ?')
  expect(await find([1])).toEqual([{ id: 1, text: 'one', size: 1.5 }])
  await db.client.execute("alter table rows add column colour text default 'red'")
  expect(await find([1])).toEqual([{ id: 1, text: 'one', size: 1.5, colour: 'red' }])
})

it('prepareRead continues after a failure', async () => {
  const parse = db.prepareRead('select json(text) as value from rows where id = ?')
  await expect(parse([1])).rejects.toThrow('malformed JSON')
  await db.client.execute("update rows set text = '[]' where id = 1")
  expect(await parse([1])).toEqual([{ value: '[]' }])
})

it('prepareRead refuses to write', async () => {
  await expect(db.prepareRead('delete from rows')([])).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
  expect((await db.client.execute('select * from rows')).rows).toHaveLength(2)
})

it('prepareRead throws unavailable after the database was closed', async () => {
  const find = db.prepareRead('select * from rows')
  await find([])
  await db.close()
  await expect(find([])).rejects.toMatchObject({ code: 'unavailable' })
})
