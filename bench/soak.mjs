// Runs mixed load for a long time: `node bench/soak.mjs [--minutes 30] [--connections 8]`. It samples the memory after garbage
// collection and the open file descriptors twenty times. Exits with 1 when they grew after the first sixth of the time, or when a
// request failed.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '@libsql/client'
import { OWNER, signUp, TOKEN, watchedServer } from './watched-server.mjs'
import { median } from './built-server.mjs'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, connections: { type: 'string', default: '8' } },
})
const MINUTES = Number(values.minutes)
/** The maximum ratio of the final quarter of the time to the first samples after the warm-up. */
const LIMITS = { heap: 1.1, resident: 1.15, descriptors: 1.2 }

const server = await watchedServer()
const { origin } = server
const cookie = await signUp(origin, OWNER)
await server.confirmOwner()
const json = { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' }
const openapi = await (await fetch(`${origin}/_fw/openapi.json`, { headers: { cookie } })).json()
const collection = Object.keys(openapi.paths).find(path => !path.startsWith('/_fw') && !path.includes('{'))
if (!collection) throw new Error('the application describes no collection')

const failures = new Map()
const counts = new Map()

/** Sends a request of this kind and returns its response as text; records unexpected statuses. */
async function send(kind, path, init = {}, wanted = 200) {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const answer = await fetch(origin + path, {
    redirect: 'manual',
    ...init,
    headers: { cookie, ...json, ...init.headers },
  })
  const text = await answer.text()
  if (answer.status !== wanted) failures.set(`${kind}: ${answer.status} ${text.slice(0, 200)}`, true)
  return text
}

const rpc = (method, params) => ({
  method: 'POST',
  headers: { cookie: '', authorization: `Bearer ${TOKEN}`, accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})

/** An authorized host; each renewal returns its next token. */
async function connectHost() {
  const client = createClient({ url: `file:${join(server.dataDir, 'fairway.db')}`, timeout: 5000 })
  const { rows } = await client.execute(
    'select u.id as userId, m.org_id as orgId from users u join org_members m on m.user_id = u.id',
  )
  const [{ userId, orgId }] = rows
  const [token, grantId, now] = [randomBytes(32).toString('base64url'), randomUUID(), Date.now()]
  const later = now + 30 * 24 * 60 * 60 * 1000
  await client.batch(
    [
      {
        sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, expires_at)
          values (?, 'bench', 'Bench', ?, ?, ?, 'mcp:read mcp:write offline_access', '', ?, ?)`,
        args: [grantId, userId, OWNER.email, orgId, now, later],
      },
      {
        sql: `insert into oauth_refresh_tokens (hash, grant_id, client_id, issued_at, expires_at) values (?, ?, 'bench', ?, ?)`,
        args: [createHash('sha256').update(token).digest('base64url'), grantId, now, later],
      },
    ],
    'write',
  )
  client.close()
  return { token }
}

async function renew(host) {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: 'bench',
    refresh_token: host.token,
  }).toString()
  const headers = { cookie: '', 'content-type': 'application/x-www-form-urlencoded' }
  host.token = JSON.parse(await send('renewal', '/mcp/oauth/token', { method: 'POST', headers, body })).refresh_token
}

async function listen() {
  counts.set('changes', (counts.get('changes') ?? 0) + 1)
  const gone = new AbortController()
  const answer = await fetch(`${origin}/_fw/changes`, { headers: { cookie }, signal: gone.signal })
  // A session may open six streams; further requests return 429.
  if (answer.status === 200) await answer.body.getReader().read()
  else if (answer.status !== 429) failures.set(`changes: ${answer.status}`, true)
  gone.abort()
}

async function write() {
  const made = await send('write', '/_fw/actions/create-note', {
    method: 'POST',
    body: JSON.stringify({ title: 'A note', text: 'text' }),
  })
  const { id } = JSON.parse(made).result.note
  await send('delete', '/_fw/actions/delete-note', { method: 'POST', body: JSON.stringify({ id, confirm: true }) })
}

const signIn = async () => {
  const { email, password } = OWNER
  const answer = await fetch(`${origin}/_fw/auth/sign-in/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password }),
  })
  counts.set('sign-in', (counts.get('sign-in') ?? 0) + 1)
  const own = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  if (!answer.ok) failures.set(`sign-in: ${answer.status} ${await answer.text()}`, true)
  await send('sign-out', '/_fw/session', { method: 'DELETE', headers: { cookie: own } }, 204)
}

const many = (times, work) => Array(times).fill(work)
/** The requests of one worker in one turn, with their frequencies. */
const turn = host => [
  ...many(20, () => send('session', '/_fw/session')),
  ...many(10, () => send('read', '/_fw/actions/list-notes')),
  ...many(10, () => send('collection', `${collection}?itemsPerPage=10`)),
  ...many(5, () => send('page', '/notes')),
  ...many(3, () => send('sign-in page', '/sign-in', { headers: { cookie: '' } })),
  ...many(5, () => send('tools/call', '/mcp', rpc('tools/call', { name: 'list-notes', arguments: {} }))),
  ...many(2, () => send('tools/list', '/mcp', rpc('tools/list', {}))),
  ...many(5, write),
  ...many(3, () => renew(host)),
  ...many(2, listen),
  signIn,
]

// The first request for the session creates the organization of this run.
await send('session', '/_fw/session')
const over = new AbortController()
async function work() {
  const host = await connectHost()
  while (!over.signal.aborted) for (const step of turn(host)) await step()
}

const samples = []
const workers = Array.from({ length: Number(values.connections) }, work)
const every = (MINUTES * 60_000) / 20
const began = performance.now()
for (let at = 0; at < 20; at++) {
  await sleep(Math.max(0, began + (at + 1) * every - performance.now()))
  const sample = await server.sample()
  samples.push(sample)
  const { heap, resident, descriptors } = sample
  console.log(
    `${((performance.now() - began) / 60_000).toFixed(1)} min: heap ${heap.toFixed(1)} MB, resident ${resident.toFixed(0)} MB, ${descriptors} descriptors, ${[...counts.values()].reduce((sum, count) => sum + count, 0)} requests`,
  )
}
over.abort()
await Promise.all(workers)
await server.stop()

const growth = Object.entries(LIMITS).map(([name, most]) => {
  const part = (from, to) => median(samples.slice(from, to).map(sample => sample[name]))
  const ratio = part(-5) / part(3, 8)
  console.log(`${name}: × ${ratio.toFixed(3)} (at most ${most})`)
  return ratio > most
})
console.log(Object.fromEntries(counts))
for (const failure of failures.keys()) console.log(failure)
process.exit(growth.includes(true) || failures.size > 0 ? 1 : 0)
