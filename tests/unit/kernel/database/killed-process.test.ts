import { beforeEach, expect, it } from 'vitest'
import { useEmptyDatabase } from '../../../support/use-app'
import { startProcess, WITH_PROCESSES } from './processes/start-process'

const db = useEmptyDatabase()

beforeEach(async () => {
  await db.client.execute('create table rows (id integer primary key, text text not null)')
})

it.each([
  ['alone', '1'],
  ['in 32 places at once', '32'],
])(
  'keeps every acknowledged row when the process is killed while it writes %s, three times',
  WITH_PROCESSES,
  async (_where, writers) => {
    const acknowledged: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const first = round * 1_000_000
      const writer = startProcess('insert-forever', db.url, String(first), writers)
      await writer.hears(String(first + 50 + round))
      await writer.kill()
      acknowledged.push(...writer.told.map(Number))
    }
    const { rows } = await db.client.execute('select id from rows')
    const stored = new Set(rows.map(row => Number(row.id)))
    expect(acknowledged.length).toBeGreaterThan(150)
    expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
    expect((await db.client.execute('pragma integrity_check')).rows.map(row => row[0])).toEqual(['ok'])
    await db.client.execute("insert into rows (text) values ('still works')")
  },
)
