// `node bench/writes.mjs [--rounds 5] [--writes 4000]`: measures durable inserts per second (full sync) by 32 concurrent writers
// that share commits. Compares them with one commit for each insert: by the native library, and sequentially through the database
// module.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createJiti } from 'jiti'
import NativeDatabase from 'libsql'
import { median } from './built-server.mjs'

const WRITERS = 32
const INSERT = 'insert into rows (owner, text, at) values (?, ?, ?)'
const row = number => [`owner-${number % 50}`, 'a text of some length that people might have written', number]

/** Returns the writes per second of each method, and the multiples of the first; medians of interleaved rounds. */
export async function measureWrites({ rounds, writes }) {
  const layer = fileURLToPath(new URL('../layers/fairway', import.meta.url))
  const jiti = createJiti(import.meta.url, { alias: { '#fairway': layer } })
  const { openDatabase } = await jiti.import(join(layer, 'server/kernel/database/client.ts'))
  const folder = mkdtempSync(join(tmpdir(), 'fw-writes-'))
  const silent = () => {}
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const path = join(folder, 'ours.db')
  const db = await openDatabase({ url: `file:${path}`, log })
  const table =
    'create table rows (id integer primary key, owner text not null, text text not null, at integer not null)'
  await db.client.execute(table)
  const native = new NativeDatabase(join(folder, 'native.db'))
  native.exec(`pragma journal_mode = wal; pragma synchronous = full; ${table}`)
  const statement = native.prepare(INSERT)
  const write = number => db.client.execute({ sql: INSERT, args: row(number) })

  const ways = {
    'native library, a commit each': async () => {
      for (let number = 0; number < writes; number++) statement.run(row(number))
    },
    'database module, one writer': async () => {
      for (let number = 0; number < writes; number++) await write(number)
    },
    [`database module, ${WRITERS} writers at once`]: async () => {
      let next = 0
      const writer = async () => {
        while (next < writes) await write(next++)
      }
      await Promise.all(Array.from({ length: WRITERS }, writer))
    },
  }
  const rates = Object.fromEntries(Object.keys(ways).map(name => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const began = performance.now()
      await way()
      // The first round warms up.
      if (round >= 0) rates[name].push(writes / ((performance.now() - began) / 1000))
    }
  }
  const { rows } = await db.client.execute('select count(*) as n from rows')
  if (rows[0].n !== 2 * writes * (rounds + 1)) throw new Error(`${rows[0].n} rows were found`)
  native.close()
  await db.close()
  rmSync(folder, { recursive: true })
  const [base] = Object.values(rates)
  return Object.entries(rates).map(([name, found]) => ({
    name,
    perSecond: median(found),
    times: median(found.map((rate, round) => rate / base[round])),
  }))
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, writes: { type: 'string', default: '4000' } },
  })
  const found = await measureWrites({ rounds: Number(values.rounds), writes: Number(values.writes) })
  for (const { name, perSecond, times } of found)
    console.log(`${perSecond.toFixed(0).padStart(8)} inserts/s ${times.toFixed(2).padStart(6)} ×  ${name}`)
}
