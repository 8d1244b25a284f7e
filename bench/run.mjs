// `npm run bench`: ratios against a limit measured in the same run, on the built server. Writes bench/result.json.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inBrowser } from './browser.mjs'
import { measureRefresh } from './refresh.mjs'

const root = new URL('..', import.meta.url).pathname
const out = join(root, '.output-bench')
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const pinned = existsSync('/usr/bin/taskset')

// What is measured is the code of now; `--keep` measures the build of the last time again.
if (!existsSync(out) || !process.argv.includes('--keep')) {
  console.log('building with the bare routes …')
  const env = { ...process.env, FW_BENCH_BUILD: '1', NODE_ENV: 'production' }
  execFileSync(process.execPath, [join(root, 'scripts/build-apart.mjs')], { cwd: root, env, stdio: 'inherit' })
}

const port = 4900 + Math.floor(Math.random() * 90)
const origin = `http://localhost:${port}`
const env = {
  PATH: process.env.PATH,
  NODE_ENV: 'production',
  PORT: String(port),
  HOST: '127.0.0.1',
  FW_BASE_URL: origin,
  BETTER_AUTH_SECRET: 'Yw4nTq8ZrB2kM6xVs9HdJ3gLc7PfE5uA',
  FW_RATE_LIMITS: 'off',
  ACCESS_TOKEN: 'bench-token-of-thirty-two-characters-or-more',
  // A static token opens an account whose address counts without confirmation only where that is declared.
  AUTH_REQUIRE_EMAIL_VERIFICATION: '0',
  FW_OWNER_EMAIL: 'bench@example.test',
  FW_LOG_LEVEL: 'warn',
  FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-bench-')),
}

async function start() {
  const began = performance.now()
  const command = [process.execPath, join(out, 'server/index.mjs')]
  const child = pinned
    ? spawn('taskset', ['-c', '0', ...command], { env })
    : spawn(command[0], command.slice(1), { env })
  child.stderr.pipe(process.stderr)
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/_fw/health/ready`).catch(() => undefined)
    if (answer?.ok) return { child, milliseconds: performance.now() - began }
    if (child.exitCode !== null) throw new Error('the server ended')
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

const stop = child => new Promise(resolve => (child.once('exit', resolve), child.kill('SIGTERM')))
const residentMegabytes = pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

function load(options) {
  const args = [join(root, 'bench/load.mjs'), JSON.stringify({ connections: 16, duration: SECONDS, ...options })]
  const run = pinned ? spawnSync('taskset', ['-c', '1', process.execPath, ...args]) : spawnSync(process.execPath, args)
  const result = JSON.parse(String(run.stdout))
  if (result.failed > 0) throw new Error(`${options.url}: ${result.failed} requests failed`)
  return result
}

const starts = []
for (let round = 0; round < ROUNDS; round++) {
  const { child, milliseconds } = await start()
  starts.push(milliseconds)
  await stop(child)
}

const { child } = await start()
await new Promise(resolve => setTimeout(resolve, 3000))
const idle = residentMegabytes(child.pid)

const json = { 'content-type': 'application/json' }
const base = `http://127.0.0.1:${port}`
const answer = await fetch(`${base}/_fw/auth/sign-up/email`, {
  method: 'POST',
  headers: json,
  body: JSON.stringify({ email: 'bench@example.test', password: 'zebra quilt 7 lantern', name: 'Bench' }),
})
const cookie = answer.headers.get('set-cookie').split(';')[0]
const signedIn = { cookie, 'sec-fetch-site': 'same-origin' }
const created = await fetch(`${base}/_fw/actions/create-note`, {
  method: 'POST',
  headers: { ...json, ...signedIn },
  body: JSON.stringify({ title: 'A note', text: 'with a text' }),
})
if (!created.ok) throw new Error(await created.text())

const granted = await fetch(`${base}/api/bench/mcp-token`, { headers: signedIn })
if (!granted.ok) throw new Error(await granted.text())
const { token } = await granted.json()

const calling = (path, headers) => ({
  url: base + path,
  method: 'POST',
  headers: {
    ...json,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'read-time',
    ...headers,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'read-time',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})

const cases = {
  'limit: bare route, static page': { url: `${base}/api/bench/static` },
  'application page': { url: `${base}/notes` },
  'limit: bare route, one prepared SELECT (GET)': { url: `${base}/api/bench/select` },
  'session (GET /_fw/session)': { url: `${base}/_fw/session`, headers: signedIn },
  'signed-in action (GET list-notes)': { url: `${base}/_fw/actions/list-notes`, headers: signedIn },
  'limit: bare route, JSON body and one prepared SELECT (POST)': {
    url: `${base}/api/bench/select-post`,
    method: 'POST',
    headers: json,
    body: '{}',
  },
  'signed-in action (POST list-notes)': {
    url: `${base}/_fw/actions/list-notes`,
    method: 'POST',
    headers: { ...json, ...signedIn },
    body: '{}',
  },
  'limit: server of the MCP library, no token (tools/call)': calling('/api/bench/mcp-sdk'),
  'MCP endpoint, granted token (tools/call)': calling('/api/bench/mcp', { authorization: `Bearer ${token}` }),
  'MCP endpoint, static token (tools/call)': calling('/api/bench/mcp', { authorization: `Bearer ${env.ACCESS_TOKEN}` }),
}
const rates = Object.fromEntries(Object.keys(cases).map(name => [name, []]))
for (const options of Object.values(cases)) load({ ...options, duration: 1 })
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, options] of Object.entries(cases)) rates[name].push(load(options).perSecond)
}
const refresh = await measureRefresh({
  base,
  database: join(env.FW_DATA_DIR, 'fairway.db'),
  email: 'bench@example.test',
  rounds: ROUNDS,
  seconds: SECONDS,
  pinned,
})
rates['limit: two statements and one ES256 signature, no HTTP'] = refresh.floor
rates['renewal of a connected app (POST /mcp/oauth/token)'] = refresh.refresh
const seen = await inBrowser(origin, cookie)
await stop(child)

const ratio = (name, limit) => median(rates[name].map((rate, index) => rate / rates[limit][index]))
const rows = [
  [
    'signed-in action call (GET) ÷ bare route with one SELECT',
    ratio('signed-in action (GET list-notes)', 'limit: bare route, one prepared SELECT (GET)'),
    '≥ 0.5',
  ],
  [
    'signed-in action call (POST) ÷ bare route with body and one SELECT',
    ratio('signed-in action (POST list-notes)', 'limit: bare route, JSON body and one prepared SELECT (POST)'),
    '≥ 0.5',
  ],
  [
    'session ÷ bare route with one SELECT',
    ratio('session (GET /_fw/session)', 'limit: bare route, one prepared SELECT (GET)'),
    '',
  ],
  [
    'MCP tools/call, token and grant checked ÷ server of the MCP library, no token',
    ratio('MCP endpoint, granted token (tools/call)', 'limit: server of the MCP library, no token (tools/call)'),
    '≥ 0.5',
  ],
  [
    'MCP tools/call, static token ÷ server of the MCP library, no token',
    ratio('MCP endpoint, static token (tools/call)', 'limit: server of the MCP library, no token (tools/call)'),
    '',
  ],
  [
    'renewal of a connected app ÷ two statements and one signature in process',
    ratio(
      'renewal of a connected app (POST /mcp/oauth/token)',
      'limit: two statements and one ES256 signature, no HTTP',
    ),
    '≥ 0.35',
  ],
  ['application page ÷ bare static route', ratio('application page', 'limit: bare route, static page'), '≥ 0.6'],
  ['cold start, ms', median(starts), '< 1000'],
  ['idle memory, MB', idle, '< 150'],
  ['sign-in page JavaScript, kB gzip', seen.signIn, '≤ 15'],
  ['first application page JavaScript, kB gzip', seen.app, '< 190'],
  ['first application page interactive, processor slowed four times, ms', seen.interactive, '< 1000'],
  ...Object.entries(seen.phone).map(([path, score]) => [`Lighthouse performance of ${path}, phone`, score, '']),
]
for (const [name, values] of Object.entries(rates))
  console.log(`${String(Math.round(median(values))).padStart(7)} req/s  ${name}`)
for (const [name, value, wanted] of rows)
  console.log(`${value.toFixed(2).padStart(9)}  ${name}${wanted ? `  (wanted ${wanted})` : ''}`)
writeFileSync(join(root, 'bench/result.json'), `${JSON.stringify({ rates, rows }, null, 2)}\n`)
