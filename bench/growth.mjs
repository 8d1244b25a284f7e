// `node bench/growth.mjs [--output=<folder>] [--data=<folder>] [--rounds=25] [--only=<text>|process] [--write]`: measures the
// cost of a request in a grown installation as a multiple of its cost in an empty one. Also measures the start time of such an
// installation, and the memory of 10,000 event streams. bench/growth-rows.mjs writes the rows. A write before each request
// invalidates all caches. `--data` keeps the files for the next run, `--write` puts the table into docs/performance.md.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Agent, request } from 'undici'
import { ANY_WRITE, median, signUp, startBuilt } from './built-server.mjs'
import { measureMemory } from './growth-memory.mjs'
import { fillRows, MOST, NOTE, OPEN_ORG, SECOND_ORG } from './growth-rows.mjs'
import { printRows, writeTables } from './tables.mjs'

const option = (name, otherwise) => process.argv.find(each => each.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise
const ROUNDS = Number(option('rounds', 25))
const ONLY = option('only', '')
const SIZES = { empty: 0, '1 ×': 0.01, '10 ×': 0.1, '100 ×': 1 }
const EMAIL = 'measured@example.test'
/** The account that signs in repeatedly: the sessions of a person are limited, and the measured person must keep theirs. */
const SIGNS_IN = 'signs-in@example.test'
const PASSWORD = 'zebra quilt 7 lantern'
const MOST_TIMES = 1.5
const env = { FW_OPERATORS: EMAIL }
const kept = option('data')
const folder = kept ?? mkdtempSync(join(tmpdir(), 'fw-growth-'))

/** Starts a server on a file of this size; returns it with the headers of the measured person. */
async function startWith(size) {
  const dataDir = join(folder, String(size))
  const note = join(dataDir, 'person.json')
  if (!existsSync(note)) {
    mkdirSync(dataDir, { recursive: true })
    const server = await startBuilt({ dataDir, env })
    const headers = await signUp(server.base, EMAIL, PASSWORD)
    await signUp(server.base, SIGNS_IN, PASSWORD)
    const { session } = await (await fetch(`${server.base}/_fw/session`, { headers })).json()
    const webhook = { url: 'https://example.com/hook', types: ['audit.delete-organization'] }
    const made = await fetch(`${server.base}/_fw/webhooks`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(webhook),
    })
    if (!made.ok) throw new Error(await made.text())
    const { id: webhookId } = await made.json()
    await server.stop()
    fillRows(server.database, { ...session, webhookId }, size)
    const database = new Database(server.database)
    database.exec('update users set email_verified = 1; pragma wal_checkpoint(truncate)')
    database.close()
    writeFileSync(note, JSON.stringify({ headers, orgId: session.orgId, userId: session.userId, webhookId }))
  }
  const server = await startBuilt({ dataDir, env })
  return {
    ...server,
    ...JSON.parse(readFileSync(note, 'utf8')),
    writer: new Database(server.database, { timeout: 5000 }),
  }
}

const get = (path, wanted = 200) => ({ path, method: 'GET', wanted })
const send = (method, path, body, wanted = 200) => ({ path, method, body: JSON.stringify(body), wanted })
const run = (name, input) => send('POST', `/_fw/actions/${name}`, input)
const switchTo = orgId => send('PUT', '/_fw/org/active', { orgId, confirm: true })
const isoDay = ago => new Date(Date.now() - ago * 86_400_000).toISOString()

/**
 * The requests by name. Of several in sequence, only the first one is measured. With `head`, the measurement ends at the first
 * bytes.
 */
const requests = ({ orgId, userId, webhookId }) => ({
  'session (GET /_fw/session)': [get('/_fw/session')],
  'a page of the application (GET /)': [get('/')],
  'Home: the latest notes (list-notes)': [run('list-notes', { itemsPerPage: 5, pinnedFirst: false })],
  'Home: activity (GET /_fw/activity)': [get('/_fw/activity')],
  'notes, list (list-notes)': [run('list-notes', {})],
  'notes, search (search-notes)': [run('search-notes', { query: 'own 7' })],
  'one note (get-note)': [run('get-note', { id: NOTE })],
  'a note is changed (update-note)': [run('update-note', { id: NOTE, title: 'Own 0' })],
  'notes, collection (GET /note-list)': [get('/note-list')],
  'notes, collection by title (GET /note-list?order[title]=asc)': [get('/note-list?order[title]=asc')],
  'notes, collection searched (GET /note-list?content=…)': [get('/note-list?content=own')],
  'notes, collection as a file, first bytes': [{ ...get('/note-list/export/csv'), head: true }],
  'audit page (GET /_fw/org/audit)': [get('/_fw/org/audit')],
  'audit page, one action': [get('/_fw/org/audit?action=update-note')],
  'audit page, one person': [get(`/_fw/org/audit?email=${EMAIL}`)],
  'audit log as CSV, first bytes': [{ ...get('/_fw/org/audit/export'), head: true }],
  'audit log as CSV, one person': [get(`/_fw/org/audit/export?email=${EMAIL}`)],
  'organizations of a person (GET /_fw/org)': [get('/_fw/org')],
  'organization switch (PUT /_fw/org/active)': [switchTo(SECOND_ORG), switchTo(orgId)],
  'members (GET /_fw/org/members)': [get('/_fw/org/members')],
  'members, last page': [get('/_fw/org/members?page=300')],
  'members by name': [get('/_fw/org/members?sort=name')],
  'member search (GET /_fw/org/members?search=…)': [get('/_fw/org/members?search=measured')],
  'members, collection searched (GET /team-members?name=…)': [get('/team-members?name=measured')],
  'members as a file, first bytes': [{ ...get('/_fw/org/members/export'), head: true }],
  'connected apps of an organization (GET /_fw/org/grants)': [get('/_fw/org/grants')],
  'devices (GET /_fw/sessions)': [get('/_fw/sessions')],
  'own account events (GET /_fw/security-events/mine)': [get('/_fw/security-events/mine')],
  'deliveries of a webhook': [get(`/_fw/webhooks/${webhookId}/deliveries`)],
  'sign-in by password': [
    { ...send('POST', '/_fw/auth/sign-in/email', { email: SIGNS_IN, password: PASSWORD }), isStranger: true },
  ],
  'operator: people': [get('/_fw/operator/people')],
  'operator: people searched': [get('/_fw/operator/people?search=measured')],
  'operator: suspended people': [get('/_fw/operator/people?suspended=true')],
  'operator: one account': [get(`/_fw/operator/people/${userId}`)],
  'operator: organizations': [get('/_fw/operator/organizations')],
  'operator: organizations searched': [get('/_fw/operator/organizations?search=second')],
  'operator: one organization': [get(`/_fw/operator/organizations/${orgId}`)],
  'operator: jobs': [get('/_fw/operator/jobs')],
  'operator: failed jobs': [get('/_fw/operator/jobs?state=failed')],
  'operator: mails': [get('/_fw/operator/mails')],
  'operator: failed deliveries': [get('/_fw/operator/deliveries?state=failed')],
  'operator: health': [get('/_fw/operator/health')],
  'operator: security events': [get('/_fw/security-events')],
  'operator: security events from one day': [get(`/_fw/security-events?from=${isoDay(1)}&itemsPerPage=30`)],
  'notes where everyone may read 10,000 of them (list-notes)': [
    run('list-notes', {}),
    { before: switchTo(OPEN_ORG), after: orgId },
  ],
})

const dispatcher = new Agent({ connections: 1, pipelining: 1 })

/** Returns the milliseconds until the final byte of the response; with `head`, until the first bytes. */
async function ask({ base, headers }, { path, method, body, wanted, head, isStranger }) {
  const json = body ? { 'content-type': 'application/json' } : {}
  const began = performance.now()
  const sent = {
    method,
    body,
    dispatcher,
    headers: { ...(isStranger ? {} : headers), ...json, origin: base.replace('127.0.0.1', 'localhost') },
  }
  const answer = await request(base + path, sent)
  if (answer.statusCode !== wanted)
    throw new Error(`${path}: ${answer.statusCode} ${(await answer.body.text()).slice(0, 300)}`)
  if (!head) return (await answer.body.arrayBuffer(), performance.now() - began)
  for await (const _piece of answer.body) break
  return performance.now() - began
}

/** Invalidates all caches with a write by another connection. */
const forget = ({ writer }) => writer.exec(ANY_WRITE)

async function measureRequests(servers) {
  const names = Object.keys(requests(servers[0])).filter(name => name.includes(ONLY))
  const rows = []
  for (const name of names) {
    const took = servers.map(() => [])
    for (let round = -3; round < ROUNDS; round++)
      for (const [index, server] of servers.entries()) {
        const [first, second] = requests(server)[name]
        if (second?.before) await ask(server, second.before)
        forget(server)
        const milliseconds = await ask(server, first)
        if (second) await ask(server, second.before ? switchTo(second.after) : second)
        if (round >= 0) took[index].push(milliseconds)
      }
    const [empty, ...grown] = took.map(median)
    const times = grown.map(each => each / empty)
    rows.push({
      what: name,
      reached: `${empty.toFixed(1)} ms: ${times.map(each => each.toFixed(1)).join(' · ')} ×`,
      wanted: `≤ ${MOST_TIMES} ×`,
      isMet: times.at(-1) <= MOST_TIMES,
    })
    printRows(rows.slice(-1))
  }
  return rows
}

/**
 * Returns the milliseconds from the start of a process to its first response, with all jobs due: on an empty database and on the
 * largest, in turns.
 */
async function measureStart() {
  const folders = [SIZES.empty, SIZES['100 ×']].map(size => join(folder, String(size)))
  const took = folders.map(() => [])
  for (let round = 0; round < 9; round++)
    for (const [index, dataDir] of folders.entries()) {
      const file = new Database(join(dataDir, 'fairway.db'))
      file.exec(
        `update fw_jobs set state = 'scheduled', run_at = 1, attempts = 0, finished_at = null where name = 'fw-send-mail'`,
      )
      file.close()
      const server = await startBuilt({ dataDir, env })
      took[index].push(server.milliseconds)
      await server.stop()
    }
  return took.map(median)
}

async function measureProcess() {
  const [empty, start] = await measureStart()
  const dataDir = join(folder, String(SIZES['100 ×']))
  const memory = await measureMemory({ dataDir, sessions: MOST.people, streams: 5000, processes: 2 })
  const megabytes = value => `${value.toFixed(0)} MB`
  return [
    {
      what: 'start to first answer with 100,000 accounts, 10,000 jobs that are due and 1,000,000 rows of the audit log',
      reached: `${start.toFixed(0)} ms`,
      wanted: '≤ 600 ms',
      isMet: start <= 600,
    },
    { what: 'the same on an empty database', reached: `${empty.toFixed(0)} ms` },
    { what: 'memory of an idle process', reached: megabytes(memory.idle) },
    { what: 'the same after `GET /_fw/session` of 100,000 sessions', reached: megabytes(memory.asked) },
    { what: 'the same with 5,000 event streams, each of another session', reached: megabytes(memory.streaming) },
    { what: 'one stream', reached: `${memory.kilobytes.toFixed(1)} kB` },
  ]
}

async function measureGrown() {
  const servers = []
  for (const size of Object.values(SIZES)) servers.push(await startWith(size))
  const rows = await measureRequests(servers)
  for (const { writer, stop } of servers) {
    writer.close()
    await stop()
  }
  return rows
}

const tables = { growth: await measureGrown() }
if ('process'.includes(ONLY)) {
  tables['growth of a process'] = await measureProcess()
  printRows(tables['growth of a process'])
}
if (process.argv.includes('--write'))
  writeTables(Object.fromEntries(Object.entries(tables).filter(([, rows]) => rows.length > 0)))
await dispatcher.close()
if (!kept) rmSync(folder, { recursive: true })
