// Tests how one built server survives failures: `node bench/hard-to-kill.mjs [kill|storage|start|stop|backup]`, all of them by
// default. Prints a line for each, with the figures of docs/reliability.md. Exits with 1 when a check fails.
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import { createJiti } from 'jiti'
import { median } from './built-server.mjs'

const jiti = createJiti(import.meta.url, { fsCache: true })
const { startServer, freePort } = await jiti.import('../tests/support/server.ts')
const { createBrowser, signUp } = await jiti.import('../tests/support/http.ts')
const { startWriters } = await jiti.import('../tests/support/writers.ts')

const ROUNDS = 20
const SECRET = 'n3Yq8vT1kP0sZr6Lw2XbJ5mFhC9dGuEa7QoViN4t'
let failed = false

function tell(what, holds, figures) {
  failed ||= !holds
  console.log(`${holds ? '✓' : '✗'} ${what}: ${figures}`)
}

const folderFor = name => mkdtempSync(join(tmpdir(), `fw-${name}-`))
const ms = number => `${Math.round(number)} ms`

async function open(path, env = {}) {
  const server = await startServer({ database: `file:${path}`, env: { BETTER_AUTH_SECRET: SECRET, ...env } })
  return { ...server, at: path }
}

async function somebody(server) {
  const browser = createBrowser(server.origin)
  await signUp(browser, { email: 'ada@example.test', password: 'zebra quilt 7 lantern', name: 'Ada' })
  return browser
}

async function all(path, sql) {
  const client = createClient({ url: `file:${path}` })
  try {
    // Another server may be writing at the same time.
    await client.execute('pragma busy_timeout = 5000')
    return (await client.execute(sql)).rows
  } finally {
    client.close()
  }
}

const lost = async (path, ids) => {
  const stored = new Set((await all(path, 'select id from notes')).map(row => row.id))
  return ids.filter(id => !stored.has(id)).length
}

async function kill() {
  const path = join(folderFor('kill'), 'fairway.db')
  const env = { PORT: String(await freePort()) }
  let server = await open(path, env)
  const browser = await somebody(server)
  const [acknowledged, ready] = [[], []]
  let seconds = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const writers = startWriters(browser, 16, 220)
    const began = performance.now()
    await sleep(700 + 30 * round)
    seconds += (performance.now() - began) / 1000
    await server.kill()
    await writers.stop()
    acknowledged.push(...writers.acknowledged)
    const killed = performance.now()
    server = await open(path, env)
    ready.push(performance.now() - killed)
  }
  const gone = await lost(path, acknowledged)
  const [[whole]] = (await all(path, 'pragma integrity_check')).map(row => Array.from(row))
  const session = await (await browser.get('/_fw/session')).json()
  await server.stop()
  const perSecond = Math.round(acknowledged.length / seconds)
  tell(
    `kill -9, ${ROUNDS} times`,
    gone === 0 && whole === 'ok' && Math.max(...ready) < 5000 && session.session !== null,
    `${acknowledged.length} acknowledged (${perSecond} a second), ${gone} lost; ready after ${ms(median(ready))}, at most ${ms(Math.max(...ready))}`,
  )
}

/** Runs something while a server handles other requests, and returns the delay of its event loop. */
async function delayOf(path, cause, undo, look) {
  const file = join(folderFor('delay'), 'delay.json')
  const env = { LOOP_DELAY_FILE: file, NODE_OPTIONS: `--import=${new URL('loop-delay.mjs', import.meta.url).href}` }
  const server = await open(path, env)
  const browser = await somebody(server)
  const writers = startWriters(browser, 8, 200)
  await sleep(1500)
  writeFileSync(`${file}.begin`, '')
  while (existsSync(`${file}.begin`)) await sleep(20)
  const before = writers.acknowledged.length
  await cause(server)
  await sleep(3000)
  const reads = await Promise.all([1, 2, 3].map(async () => (await browser.get('/_fw/actions/list-notes')).status))
  const ready = await (await fetch(`${server.origin}/_fw/health/ready`)).json()
  const delay = JSON.parse(readFileSync(file, 'utf8'))
  const during = writers.acknowledged.length
  const undone = performance.now()
  await undo(server)
  while (writers.acknowledged.length < during + 5 && performance.now() - undone < 10_000) await sleep(10)
  const recovery = performance.now() - undone
  await writers.stop()
  const gone = await lost(path, writers.acknowledged)
  const lines = (server.log().match(/"the storage of the database fails"/g) ?? []).length
  await server.stop()
  const refused = [...writers.refused].map(([code, times]) => `${times} ${code}`).join(', ')
  tell(
    look,
    delay.p99 < 100 && recovery < 10_000 && gone === 0 && lines <= 2,
    `p99 delay of the loop ${ms(delay.p99)} (at most ${ms(delay.max)}); ${refused || 'nothing refused'}; reads ${reads.join(' ')}; readiness ${ready.checks.database}; ${lines} line; writes again after ${ms(recovery)}; ${during - before} acknowledged meanwhile, ${gone} lost`,
  )
}

async function storage() {
  const full = folderFor('full')
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=700', 'tmpfs', full]).status === 0) {
    const fill = join(full, 'fill')
    await delayOf(
      join(full, 'fairway.db'),
      () => fillDisk(fill),
      () => rmSync(fill),
      'disk full',
    )
    spawnSync('umount', ['-l', full])
  } else console.log('– disk full: needs root, for a small disk; the unit test limits the file instead')
  const gone = join(folderFor('gone'), 'data')
  mkdirSync(gone)
  const away = () => renameSync(gone, `${gone}.away`)
  await delayOf(join(gone, 'fairway.db'), away, () => renameSync(`${gone}.away`, gone), 'folder gone')
  const locked = join(folderFor('locked'), 'fairway.db')
  let lock
  const take = async () => {
    const client = createClient({ url: `file:${locked}`, timeout: 5000 })
    lock = await client.transaction('write')
    await sleep(4000)
  }
  await delayOf(locked, take, () => lock.rollback(), 'locked by another process for seven seconds')
}

function fillDisk(path) {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(4096))
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error
  }
}

async function start() {
  const path = join(folderFor('eight'), 'fairway.db')
  const began = performance.now()
  const servers = await Promise.all(Array.from({ length: 8 }, () => open(path)))
  const took = performance.now() - began
  const runs = servers.map(server => (server.log().match(/"migrations applied"/g) ?? []).length)
  await Promise.all(servers.map(server => server.stop()))
  const applied = runs.reduce((sum, one) => sum + one, 0)
  tell('eight processes on one empty database', applied === 2, `all ready after ${ms(took)}, each journal applied once`)
}

async function stop() {
  const path = join(folderFor('stop'), 'fairway.db')
  const server = await open(path)
  const browser = await somebody(server)
  const stream = browser.get('/_fw/changes').then(answer => answer.text())
  const writers = startWriters(browser, 16)
  await sleep(1500)
  const { code, milliseconds } = await server.stop()
  await writers.stop()
  const refused = [...writers.refused].map(([what, times]) => `${times} ${what}`).join(', ')
  const ended = (await stream).includes('"reason":"stopping"')
  tell(
    'SIGTERM under load',
    code === 0 && ended && (await lost(path, writers.acknowledged)) === 0,
    `exit ${code} after ${ms(milliseconds)}; ${writers.acknowledged.length} acknowledged, none lost; then ${refused}; streams ended first`,
  )
}

async function backup() {
  const folder = folderFor('backup')
  const path = join(folder, 'fairway.db')
  const server = await open(path)
  const browser = await somebody(server)
  const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
    insert into notes (id, owner_email, org_id, visibility, title, text, created_at, updated_at)
    select 'n' || i, 'ada@example.test', null, 'private', 'Note ' || i, hex(randomblob(400)), i, i from n`
  await all(path, rows)
  const quiet = startWriters(browser, 4, 100)
  await sleep(3000)
  await quiet.stop()
  const busy = startWriters(browser, 4, 100)
  const began = performance.now()
  const copy = join(folder, 'copy.db')
  const made = await fw(['backup', copy], folder)
  const took = performance.now() - began
  await busy.stop()
  tell(
    'fw backup under load',
    made.code === 0 && busy.slowestInMs() - quiet.slowestInMs() <= 250 && busy.refused.size === 0,
    `${made.text.trim().split(': ').at(-1)}, in ${ms(took)}; slowest write ${ms(busy.slowestInMs())}, without a backup ${ms(quiet.slowestInMs())}`,
  )
  const under = startWriters(browser, 4, 100)
  await sleep(500)
  const restored = await fw(['restore', copy, '--replace', join(folder, 'fairway.db')], folder)
  await sleep(1500)
  await under.stop()
  const refused = [...under.refused].map(([what, times]) => `${times} ${what}`).join(', ') || 'none refused'
  const [[whole]] = (await all(path, 'pragma integrity_check')).map(row => Array.from(row))
  tell(
    'fw restore under load',
    restored.code === 0 && whole === 'ok',
    `${under.acknowledged.length} writes, ${refused}; slowest ${ms(under.slowestInMs())}; integrity ${whole}`,
  )
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

function fw(args, folder) {
  const child = spawn(process.execPath, ['layers/fairway/cli/fw.mjs', ...args], {
    env: { PATH: process.env.PATH, FW_DATA_DIR: folder, BETTER_AUTH_SECRET: SECRET },
  })
  let text = ''
  child.stdout.on('data', chunk => (text += String(chunk)))
  child.stderr.on('data', chunk => (text += String(chunk)))
  return new Promise(resolve => child.once('close', code => resolve({ code, text })))
}

if (!existsSync('.output/server/index.mjs')) throw new Error('There is no build yet: npm run build')
const parts = { kill, storage, start, stop, backup }
const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !(name in parts))
if (unknown.length > 0)
  throw new Error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
for (const [name, run] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await run()
process.exit(failed ? 1 : 0)
