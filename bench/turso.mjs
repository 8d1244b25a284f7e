// `node bench/turso.mjs <folder> [seconds]`: compares Turso Database with libSQL, in reads and durable writes a second. Install it by
// hand, because the project does not depend on it: `npm install --prefix <folder> @tursodatabase/database@0.7.2`.
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import Libsql from 'libsql'
import { median } from './built-server.mjs'

const [folder, seconds = '1'] = isMainThread ? process.argv.slice(2) : workerData.args
const { Database: Turso } = createRequire(join(resolve(folder), 'package.json'))('@tursodatabase/database/compat')
const SCHEMA = 'create table t (id integer primary key, a text, b text, c integer); create index t_a on t (a)'
const MODES = ['libsql wal', 'turso wal', 'turso mvcc']

function open(engine, path) {
  const [library, mode] = engine.split(' ')
  const database = new (library === 'turso' ? Turso : Libsql)(path, { timeout: 5000 })
  database.prepare(`pragma journal_mode = ${mode}`).all()
  database.exec('pragma synchronous = full')
  return database
}

function perSecond(run) {
  const from = performance.now()
  let count = 0
  while (performance.now() - from < seconds * 1000) run(count++)
  return count / ((performance.now() - from) / 1000)
}

/** Inserts per second, with this many in one commit. */
function inserts(database, size, begin = 'begin immediate') {
  const insert = database.prepare('insert into t (a, b, c) values (?, ?, ?)')
  const perCommit = perSecond(index => {
    database.exec(begin)
    for (let each = 0; each < size; each++) insert.run([`k${index % 5000}`, 'x'.repeat(200), each])
    database.exec('commit')
  })
  return size * perCommit
}

function measure(engine, path) {
  const database = open(engine, path)
  database.exec(SCHEMA)
  const writes = [1, 8, 32].map(size => [`${size} inserts, one commit`, inserts(database, size)])
  const reads = [1, 30].map(size => {
    const select = database.prepare('select * from t where id >= ? order by id limit ?').raw(true)
    return [`reads of ${size}`, perSecond(index => select.all([1 + (index % 1000), size]))]
  })
  return new Map([...writes, ...reads])
}

/** Inserts per second by several threads, each with its own connection and one insert in each commit. */
async function threads(engine, count, path) {
  open(engine, path).exec(SCHEMA)
  const options = { workerData: { args: [folder, seconds], engine, path } }
  const writers = Array.from({ length: count }, () => new Worker(new URL(import.meta.url), options))
  const counts = await Promise.all(writers.map(writer => new Promise(done => writer.once('message', done))))
  return Math.round(counts.reduce((sum, each) => sum + each, 0))
}

if (isMainThread) {
  const files = mkdtempSync(join(resolve(folder), 'bench-'))
  const rounds = [1, 2, 3].map(round => MODES.slice(0, 2).map(engine => measure(engine, join(files, engine + round))))
  for (const name of rounds[0][0].keys()) {
    const [libsql, turso] = [0, 1].map(place => Math.round(median(rounds.map(round => round[place].get(name)))))
    console.log(`${name}: libsql ${libsql}, turso ${turso}, ratio ${(turso / libsql).toFixed(2)}`)
  }
  for (const engine of MODES)
    for (const count of [1, 8, 32])
      console.log(engine, `${count} threads:`, await threads(engine, count, join(files, `${engine} ${count}`)))
  rmSync(files, { recursive: true })
} else {
  const { engine, path } = workerData
  const begin = `begin ${engine.endsWith('mvcc') ? 'concurrent' : 'immediate'}`
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  parentPort.postMessage(inserts(open(engine, path), 1, begin))
}
