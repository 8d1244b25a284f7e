// The built server with a person, an organization, thirty notes and an authorized host, and the cost of its requests.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ANY_WRITE, cpuMicrosOf, freePort, onCore, startBuilt } from './built-server.mjs'

const root = new URL('..', import.meta.url).pathname
const JSON_TYPE = { 'content-type': 'application/json' }
export const EMAIL = 'bench@example.test'
const PASSWORD = 'zebra quilt 7 lantern'
const NOTES = 30

/** Starts the handler that is the baseline of all costs: returns its address and resource usage. */
export async function startBare() {
  const port = await freePort()
  const command = [process.execPath, join(root, 'bench/bare.mjs')]
  const [program, ...args] = onCore(0, command)
  const child = spawn(program, args, { env: { PATH: process.env.PATH, PORT: String(port) }, stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  const base = `http://127.0.0.1:${port}`
  while (!(await fetch(base).catch(() => undefined))?.ok) await new Promise(resolve => setTimeout(resolve, 10))
  return { base, cpuMicros: () => cpuMicrosOf(child.pid), stop: () => child.kill('SIGTERM') }
}

/** Starts the built server of the folder `output`, on a new database file. */
export const startServer = (output, env = {}) =>
  startBuilt({
    output,
    core: 0,
    env: { ACCESS_TOKEN: 'bench-token-of-thirty-two-characters-or-more', FW_OWNER_EMAIL: EMAIL, ...env },
  })

async function answerOf(request) {
  const answer = await request
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`)
  return answer
}

/**
 * Signs the person up and writes thirty notes. Returns the headers of a signed-in request, and an access token of an authorized
 * host.
 */
export async function fill({ base }) {
  const signedUp = await answerOf(
    fetch(`${base}/_fw/auth/sign-up/email`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ email: EMAIL, password: PASSWORD, name: 'Bench' }),
    }),
  )
  const cookie = signedUp.headers.get('set-cookie').split(';')[0]
  const signedIn = { cookie, 'sec-fetch-site': 'same-origin' }
  for (let number = 1; number <= NOTES; number++) {
    await answerOf(
      fetch(`${base}/_fw/actions/create-note`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...signedIn },
        body: JSON.stringify({ title: `Note ${number}`, text: `What is written in the note of number ${number}.` }),
      }),
    )
  }
  const granted = await fetch(`${base}/api/bench/mcp-token`, { headers: signedIn })
  return { signedIn, cookie, token: granted.ok ? (await granted.json()).token : undefined }
}

/**
 * Runs one measured round on the second core: returns requests per second and p99 in milliseconds. Throws when a request fails.
 */
export function load(options) {
  const command = [process.execPath, join(root, 'bench/load.mjs'), JSON.stringify({ connections: 16, ...options })]
  const [program, ...args] = onCore(1, command)
  const run = spawnSync(program, args)
  const result = JSON.parse(String(run.stdout))
  if (result.failed > 0) throw new Error(`${options.url}: ${result.failed} requests failed`)
  return result
}

/** Returns the microseconds of the server's processor time for one request. */
export function costOf({ cpuMicros }, options, amount) {
  const before = cpuMicros()
  const { sent } = load({ ...options, amount })
  return (cpuMicros() - before) / sent
}

/** Returns the same while another process writes, so that nothing that was read is remembered. */
export async function costWhileWritten(server, options, amount) {
  const writer = await startWriter(server.database)
  const cost = costOf(server, options, amount)
  writer.stop()
  return cost
}

const call = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const NEW_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Returns the request of an MCP host, in the first revisions of the protocol or in the one of 2026. */
export function mcpRequest(url, token, { method, params = {}, isNew = false }) {
  const name = params.name ? { 'mcp-name': params.name } : {}
  const version = isNew ? '2026-07-28' : '2025-06-18'
  return {
    url,
    method: 'POST',
    headers: {
      ...JSON_TYPE,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(isNew ? { 'mcp-method': method, ...name } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: call(method, isNew ? { ...params, _meta: NEW_META } : params),
  }
}

/**
 * All paths with a promised cost, with the maximum multiple of the bare handler for each. First what is read each time: another
 * process writes meanwhile, so nothing that was read is remembered.
 */
export function requestsOf({ base }, { signedIn, token }) {
  const listNotes = { method: 'tools/call', params: { name: 'list-notes', arguments: {} } }
  const list = { method: 'tools/list' }
  const mcp = request => mcpRequest(`${base}/mcp`, token, request)
  const page = { url: `${base}/notes`, headers: { 'accept-encoding': 'br', accept: 'text/html' } }
  const session = { url: `${base}/_fw/session`, headers: signedIn }
  const action = { url: `${base}/_fw/actions/list-notes`, headers: signedIn }
  const collection = { url: `${base}/note-list`, headers: { ...signedIn, accept: 'application/ld+json' } }
  return {
    'session with organization and role (GET /_fw/session), read each time': [session, 5, 'written'],
    'signed-in action, 30 rows (GET list-notes), read each time': [action, 12, 'written'],
    'collection page, 30 rows, JSON-LD (GET /note-list), read each time': [collection, 12, 'written'],
    'the action from an MCP host, revision of 2025 (tools/call), read each time': [mcp(listNotes), 18, 'written'],
    'the same from an MCP host, revision of 2026 (tools/call), read each time': [
      mcp({ ...listNotes, isNew: true }),
      18,
      'written',
    ],
    'session with organization and role (GET /_fw/session), repeated': [session, 2],
    'signed-in action, 30 rows (GET list-notes), repeated': [action, 12],
    'signed-in action, 30 rows (POST list-notes), repeated': [
      { ...action, method: 'POST', headers: { ...JSON_TYPE, ...signedIn }, body: '{}' },
      12,
    ],
    'tools/list, revision of 2025': [mcp(list), 6],
    'tools/list, revision of 2026': [mcp({ ...list, isNew: true }), 6],
    'application page, br (GET /notes)': [page, 1.6],
    'application page, not modified': [page, 1.6, 'etag'],
    'sign-in page, br (GET /sign-in)': [{ ...page, url: `${base}/sign-in` }, 1.6],
  }
}

const WRITER = `
import Database from 'libsql'
const database = new Database(process.argv[1], { timeout: 5000 })
database.exec('pragma synchronous = off')
const write = database.prepare(process.argv[2])
const again = () => (write.run(), setImmediate(again))
again()
console.log('writing')
`

/** Writes to the database from another process, more often than a server answers, until `stop` is called. */
async function startWriter(database) {
  const command = [process.execPath, '--input-type=module', '-e', WRITER, database, ANY_WRITE]
  const [program, ...args] = onCore(1, command)
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { stop: () => child.kill('SIGKILL') }
}

/** Returns the conditional request of a browser that has the response in its cache. */
export async function notModified(request) {
  const answer = await fetch(request.url, { headers: request.headers })
  return { ...request, headers: { ...request.headers, 'if-none-match': answer.headers.get('etag') } }
}
