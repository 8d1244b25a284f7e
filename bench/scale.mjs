// `node bench/scale.mjs [--seconds 3] [--connections 32] [--only server|streams|file|instances]`, about three minutes: measures the
// throughput of one instance on a file, and of one to three on one libSQL server, with and without replicas; also that of
// the libSQL server without Fairway.
import { Agent, createServer, request } from 'node:http'
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openHttp, openWs } from '@libsql/hrana-client'
import { createJiti } from 'jiti'
import { signUp, watchedServer } from './watched-server.mjs'
import { median } from './built-server.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string' },
  },
})
const SECONDS = Number(values.seconds)
const CONNECTIONS = Number(values.connections)
const { startSqld } = await createJiti(import.meta.url).import('../tests/support/database-sqld.ts')
const rows = []
const note = (what, { count: _count, ...fields }) => {
  rows.push({ what, ...fields })
  const shown = Object.entries(fields).map(([name, value]) => `${name} ${value}`)
  console.log(`${what.padEnd(64)} ${shown.join('  ')}`)
}
const p99 = values => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]

/**
 * Sends requests over this many connections for the given time. `make` returns the request of a number; `together` is the number
 * of operations in each request.
 */
async function load(connections, make, together = 1) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const until = performance.now() + SECONDS * 1000
  const times = []
  let count = 0
  const worker = async () => {
    while (performance.now() < until) {
      const { url, method = 'POST', headers, body } = make(count++)
      const began = performance.now()
      await new Promise((resolve, reject) => {
        const sent = request(url, { agent, method, headers }, answer => {
          let text = ''
          answer.on('data', piece => (text += piece))
          answer.on('end', () =>
            answer.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${answer.statusCode} ${text}`)),
          )
        })
        sent.once('error', reject)
        sent.end(body)
      })
      times.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
  return {
    count: times.length * together,
    'a second': Math.round((times.length * together) / ((performance.now() - began) / 1000)),
    'p50 ms': median(times).toFixed(1),
    'p99 ms': p99(times).toFixed(1),
  }
}

function measureDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'fw-sync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const page = Buffer.alloc(4096, 1)
  const times = []
  for (const until = performance.now() + 1000; performance.now() < until;) {
    const began = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    times.push(performance.now() - began)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
  note('this disk: 4 KB and fdatasync', { 'a second': times.length, 'p50 ms': median(times).toFixed(2) })
}

const execute = sql => ({ type: 'execute', stmt: { sql, want_rows: false } })
const pipeline = (url, statements) => ({
  url: `${url}/v2/pipeline`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ requests: [...statements.map(execute), { type: 'close' }] }),
})

/** The libSQL server alone, in its own protocol: without our client, one request for each durable write. */
async function measureServer() {
  const sqld = await startSqld()
  await load(1, () => pipeline(sqld.url, ['create table if not exists x (id integer primary key, text text)']))
  const insert = `insert into x (text) values ('${'a'.repeat(200)}')`
  for (const connections of [1, 8, 32])
    note(
      `libSQL server alone: one insert, ${connections} at once`,
      await load(connections, () => pipeline(sqld.url, [insert])),
    )
  for (const [connections, together] of [
    [1, 8],
    [1, 32],
    [2, 16],
  ])
    note(
      `libSQL server alone: ${together} inserts in one request, ${connections} at once`,
      await load(connections, () => pipeline(sqld.url, Array(together).fill(insert)), together),
    )
  for (const connections of [1, 32])
    note(
      `libSQL server alone: begin, two inserts, commit in one request, ${connections} at once`,
      await load(connections, () => pipeline(sqld.url, ['begin immediate', insert, insert, 'commit'])),
    )
  for (const connections of [1, 32])
    note(
      `libSQL server alone: one read, ${connections} at once`,
      await load(connections, () => pipeline(sqld.url, ['select * from x limit 30'])),
    )
  await sqld.stop()
}

/** A list of 30 rows, 16 at once, as our client sends it: with a new stream for each call, and with shared ones. */
async function measureStreams() {
  const sqld = await startSqld()
  const ws = openWs(sqld.url.replace('http:', 'ws:'), undefined, 3)
  const plain = request => (request.headers.set('accept-encoding', 'identity'), fetch(request))
  const http = openHttp(sqld.url, undefined, plain, undefined, 3)
  await Promise.all([ws.getVersion(), http.getVersion()])
  const streams = Array.from({ length: 8 }, () => ws.openStream())
  await streams[0].sequence(`create table x (id integer primary key, text text);
    with n(i) as (select 1 union all select i + 1 from n where i < 1000) insert into x select i, hex(randomblob(50)) from n`)
  const inNew = client => async () => {
    const stream = client.openStream()
    const rows = stream.query('select * from x limit 30')
    stream.closeGracefully()
    await rows
  }
  for (const [what, read] of [
    ['`http`', inNew(http)],
    ['`ws`, a stream for each call', inNew(ws)],
    ['`ws`, shared streams', worker => streams[worker % 8].query('select * from x limit 30')],
  ]) {
    const before = process.cpuUsage()
    const until = performance.now() + SECONDS * 1000
    let count = 0
    const work = async (_, worker) => {
      for (; performance.now() < until; count++) await read(worker)
    }
    await Promise.all(Array.from({ length: 16 }, work))
    const { user, system } = process.cpuUsage(before)
    note(`30 rows from a libSQL server, 16 at once: ${what}`, {
      'a second': Math.round(count / SECONDS),
      'CPU ms each': ((user + system) / 1000 / count).toFixed(2),
    })
  }
  ws.close()
  await sqld.stop()
}

const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

async function measureInstances(label, servers, cookies) {
  const at = index => servers[index % servers.length].origin
  const as = index => ({ ...json, cookie: cookies[index % cookies.length] })
  const cpu = () => servers.reduce((sum, server) => sum + server.cpu(), 0)
  const measured = async (what, make) => {
    const before = cpu()
    const { count, ...result } = await load(CONNECTIONS, make)
    const each = ((cpu() - before) * 1000) / count
    note(`${label}: ${what}`, { ...result, 'CPU ms each': each.toFixed(2) })
  }
  const write = index => ({
    url: `${at(index)}/_fw/actions/create-note`,
    headers: { ...as(index), origin: at(index) },
    body: JSON.stringify({ title: `Note ${index}`, text: 'with a text' }),
  })
  await measured('create-note, durable', write)
  await measured('list-notes', index => ({
    url: `${at(index)}/_fw/actions/list-notes`,
    method: 'GET',
    headers: as(index),
  }))
  await measured('GET /_fw/session', index => ({ url: `${at(index)}/_fw/session`, method: 'GET', headers: as(index) }))
}

/** Forwards requests and counts them: each is a round trip between an instance and its database. */
async function startCounter(target) {
  const { hostname, port } = new URL(target)
  const agent = new Agent({ keepAlive: true })
  const counter = { trips: 0 }
  const listener = createServer((near, answer) => {
    counter.trips += 1
    const far = request({ agent, hostname, port, method: near.method, path: near.url, headers: near.headers }, from => {
      answer.writeHead(from.statusCode, from.headers)
      from.pipe(answer)
    })
    near.pipe(far)
  })
  await new Promise(resolve => listener.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${listener.address().port}`,
    counter,
    stop: () => (listener.closeAllConnections(), listener.close()),
  }
}

async function countTrips() {
  const sqld = await startSqld()
  const between = await startCounter(sqld.url)
  const server = await watchedServer({ database: between.url })
  const cookie = await signUp(server.origin)
  const trips = async (what, send) => {
    await (await send()).arrayBuffer()
    const before = between.counter.trips
    for (let times = 0; times < 10; times++) await (await send()).arrayBuffer()
    // Also counts the requests that follow a response.
    await new Promise(resolve => setTimeout(resolve, 300))
    note(`round trips to a libSQL server: ${what}`, { each: (between.counter.trips - before) / 10 })
  }
  const body = JSON.stringify({ title: 'A note' })
  await trips('GET /_fw/session', () => fetch(`${server.origin}/_fw/session`, { headers: { cookie } }))
  await trips('list-notes', () => fetch(`${server.origin}/_fw/actions/list-notes`, { headers: { cookie, ...json } }))
  await trips('create-note', () =>
    fetch(`${server.origin}/_fw/actions/create-note`, {
      method: 'POST',
      headers: { cookie, ...json, origin: server.origin },
      body,
    }),
  )
  await server.stop()
  between.stop()
  await sqld.stop()
}

/** Several people, so that limits per person do not limit the measurement. */
const people = origin =>
  Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      signUp(origin, { email: `p${at}@example.test`, password: 'quiet harbour lantern 42', name: 'P' }),
    ),
  )
const isWanted = part => !values.only || values.only === part

if (isWanted('server')) {
  measureDisk()
  await measureServer()
}
if (isWanted('streams')) await measureStreams()
if (isWanted('trips')) await countTrips()
if (isWanted('file')) {
  const server = await watchedServer()
  await measureInstances('one instance on a file', [server], await people(server.origin))
  await server.stop()
}
if (isWanted('instances')) {
  for (const [count, way, hasReplica = false] of [
    [1, 'http:'],
    [1, 'ws:'],
    [2, 'ws:'],
    [3, 'ws:'],
    [1, 'http:', true],
    [2, 'http:', true],
  ]) {
    const sqld = await startSqld()
    const database = sqld.url.replace('http:', way)
    const folder = mkdtempSync(join(tmpdir(), 'fw-replicas-'))
    const start = (_, at) => {
      const env = hasReplica ? { FW_DATABASE_REPLICA: join(folder, `${at}.db`) } : {}
      return watchedServer({ database, env })
    }
    const servers = await Promise.all(Array.from({ length: count }, start))
    const label = `${count} on a libSQL server, ${hasReplica ? 'each with a replica' : way}`
    await measureInstances(label, servers, await people(servers[0].origin))
    for (const server of servers) await server.stop()
    await sqld.stop()
    rmSync(folder, { recursive: true })
  }
}
console.log(JSON.stringify(rows))
process.exit()
