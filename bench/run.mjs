// `npm run bench`: measures every promised figure on the built server against its baseline, in one run. Writes the tables of
// docs/performance.md and bench/result.json. `--keep` reuses the previous build, `--only <text>` runs the parts with that name.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inBrowser } from './browser.mjs'
import { measureCosts } from './cost.mjs'
import { median } from './built-server.mjs'
import { measureHandOver } from './hand-over.mjs'
import { measureBesideJobs, measureInstances, measureJobs } from './jobs.mjs'
import { measurePasswords } from './passwords.mjs'
import { measureRefresh } from './refresh.mjs'
import { measureStart } from './start.mjs'
import { printRows, writeTables } from './tables.mjs'
import { costOf, EMAIL, fill, load, mcpRequest, startBare, startServer } from './world.mjs'
import { measureWrites } from './writes.mjs'

const root = new URL('..', import.meta.url).pathname
const out = join(root, '.output-bench')
const { values: options } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    amount: { type: 'string', default: '10000' },
  },
})
const rounds = Number(options.rounds)
const amount = Number(options.amount)

// By default, this measures the current code.
if (!existsSync(out) || !options.keep) {
  console.log('building …')
  const env = { ...process.env, FW_BENCH_BUILD: '1', NODE_ENV: 'production' }
  execFileSync(process.execPath, [join(root, 'scripts/build-apart.mjs')], { cwd: root, env, stdio: 'ignore' })
}

const times = value => `${value.toFixed(1)} ×`

/** The processor time of each path, as a multiple of a bare handler's. */
async function requests() {
  const [bare, server] = await Promise.all([startBare(), startServer(out)])
  const person = await fill(server)
  const { bare: limit, rows } = await measureCosts({ server, bare, person, rounds, amount })
  const library = mcpRequest(`${server.base}/api/bench/mcp-sdk`, undefined, {
    method: 'tools/call',
    params: { name: 'read-time', arguments: {} },
    isNew: true,
  })
  load({ ...library, amount: amount / 2 })
  const ofLibrary = Array.from({ length: rounds }, () => costOf(server, library, amount / 2))
  bare.stop()
  await server.stop()
  return [
    { what: 'a bare handler of h3', reached: `${limit.toFixed(0)} µs` },
    ...rows.map(({ name, wanted, times: reached }) => ({
      what: name,
      reached: times(reached),
      wanted: `≤ ${wanted}`,
      isMet: reached <= wanted,
    })),
    {
      what: 'for comparison: the MCP library with one tool, no token and no database (tools/call)',
      reached: times(median(ofLibrary) / limit),
    },
  ]
}

const atMost = (what, value, most, show) => ({
  what,
  reached: show(value),
  wanted: `≤ ${show(most)}`,
  isMet: value <= most,
})

const atLeast = (what, value, least, show) => ({
  what,
  reached: show(value),
  wanted: `≥ ${show(least)}`,
  isMet: value >= least,
})

async function browser() {
  const server = await startServer(out)
  const { cookie } = await fill(server)
  const seen = await inBrowser(server.origin, cookie)
  await server.stop()
  const kilobytes = value => `${value.toFixed(1)} kB`
  return [
    atMost('JavaScript of the sign-in page, gzip', seen.signIn, 15, kilobytes),
    atMost('JavaScript of the first application page, gzip', seen.app, 120, kilobytes),
    atMost(
      'first application page interactive, processor slowed four times',
      seen.interactive,
      1000,
      value => `${value.toFixed(0)} ms`,
    ),
    ...Object.entries(seen.phone).map(([path, score]) => ({
      what: `Lighthouse performance of \`${path}\`, phone`,
      reached: score.toFixed(0),
      wanted: '≥ 98',
      isMet: score >= 98,
    })),
  ]
}

const milliseconds = value => `${value.toFixed(0)} ms`

/** Renewals over HTTP, as a multiple of their minimum work in process. */
async function renewals() {
  const server = await startServer(out)
  await fill(server)
  const { micros } = await measureRefresh({ ...server, email: EMAIL, rounds, seconds: 3, pinned: true })
  await server.stop()
  const ratio = limit => median(micros.refresh.map((used, round) => used / micros[limit][round]))
  return [
    {
      what: 'two statements and one ES256 signature, by `@libsql/client` and `jose`',
      reached: `${median(micros.floor).toFixed(0)} µs`,
    },
    atMost('renewal of a connected app ÷ that', ratio('floor'), 1.6, times),
    { what: 'the same ÷ both by the native driver and `node:crypto`', reached: times(ratio('plain')) },
  ]
}

/** Durable writes by 32 writers that share commits. */
async function writes() {
  const [alone, one, together] = await measureWrites({ rounds, writes: 4000 })
  const perSecond = ({ perSecond }) => `${perSecond.toFixed(0)}/s`
  return [
    { what: 'native library, one commit for each insert', reached: perSecond(alone) },
    { what: 'database module, one writer', reached: perSecond(one) },
    { what: 'database module, 32 writers', reached: perSecond(together) },
    {
      what: '32 writers ÷ one commit each',
      reached: times(together.times),
      wanted: '≥ 4 ×',
      isMet: together.times >= 4,
    },
  ]
}

async function ofProcess() {
  const { empty, ready, cpu, idle } = await measureStart({ rounds, output: out })
  const { without, beside, perSecond } = await measurePasswords({ rounds, seconds: 4, output: out })
  return [
    atMost('start to first answer', ready, 450, milliseconds),
    { what: 'the same on an empty database', reached: milliseconds(empty) },
    { what: 'processor time until then', reached: milliseconds(cpu) },
    atMost('idle memory', idle, 100, value => `${value.toFixed(0)} MB`),
    { what: 'p99 of `GET /_fw/session`', reached: `${without.p99.toFixed(1)} ms` },
    atMost(
      'more at p99 beside 16 people who sign in by password',
      beside.p99 - without.p99,
      20,
      value => `${value.toFixed(1)} ms`,
    ),
    { what: 'sign-ins meanwhile', reached: `${perSecond.toFixed(0)}/s` },
  ]
}

/** The removal of a member who is responsible for 10,000 rows in five tables. */
async function handOver() {
  const { ms, times: reached } = await measureHandOver({ rounds, rows: 10_000 })
  return [
    atMost('10,000 rows in five tables handed over when a member is removed', ms, 1000, milliseconds),
    { what: 'the same ÷ five bare updates in one transaction', reached: times(reached) },
  ]
}

/** The throughput of the job queue, on a file and on a libSQL server, and the effect of a full queue on requests. */
async function jobs() {
  const file = await measureJobs({ rounds, jobs: amount })
  const instances = await measureInstances({ rounds, jobs: 2000, output: out })
  const { without, beside, perSecond } = await measureBesideJobs({ turns: rounds * 5, output: out })
  const each = value => `${value.toFixed(0)}/s`
  return [
    atLeast('jobs that write one row each, one process on a file', file.writing, 1500, each),
    { what: 'jobs that do nothing', reached: each(file.perSecond) },
    { what: 'the same queued in one transaction', reached: each(file.queuedPerSecond) },
    atMost('p99 until a job of an idle queue begins, in the process that queued it', file.p99, 100, milliseconds),
    { what: 'jobs that do nothing, two instances on one libSQL server together', reached: each(instances.plain) },
    atLeast('the same with jobs that write one row each', instances.writing, 300, each),
    atMost('p99 until one instance runs what the other one has queued', instances.p99, 1000, milliseconds),
    { what: 'p99 of `GET /_fw/session`', reached: `${without.p99.toFixed(1)} ms` },
    atMost(
      'p99 beside a full queue of jobs that write one row each ÷ that',
      beside.p99 / without.p99,
      1.2,
      value => `${value.toFixed(2)} ×`,
    ),
    { what: 'jobs meanwhile', reached: each(perSecond) },
  ]
}

const parts = { requests, renewals, writes, 'hand-over': handOver, jobs, process: ofProcess, browser }

const results = {}
for (const [name, part] of Object.entries(parts)) {
  if (!name.includes(options.only)) continue
  console.log(`\n${name} …`)
  results[name] = await part()
  printRows(results[name])
}
writeTables(results)
writeFileSync(join(root, 'bench/result.json'), `${JSON.stringify(results, null, 2)}\n`)
