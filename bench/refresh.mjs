// `node bench/refresh.mjs [--output=<folder>] [rounds] [seconds]`: measures the processor time of a renewal on a built server
// against the baseline.
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { canPin, median, signUp, startBuilt } from './built-server.mjs'

const root = new URL('..', import.meta.url).pathname
const HOSTS = 16

function run(core, pinned, script, argument) {
  const args = [join(root, 'bench', script), argument]
  const ran = pinned ? spawnSync('taskset', ['-c', core, process.execPath, ...args]) : spawnSync(process.execPath, args)
  if (ran.status !== 0) throw new Error(String(ran.stderr))
  return JSON.parse(String(ran.stdout))
}

/**
 * Measures the renewals of 16 connected hosts against the baseline in process. Returns the rates of both for each round, and with
 * the server's `cpuMicros` the processor time of each renewal (`micros`). The server runs on core 0, the hosts on core 1, and the
 * baseline on core 0 while the server is idle; `plain` is the baseline without libraries.
 */
export async function measureRefresh({ base, database, email, rounds, seconds, pinned, cpuMicros = () => 0 }) {
  let tokens = await connectHosts(database, email)
  const rates = { refresh: [], floor: [], plain: [], micros: { refresh: [], floor: [], plain: [] } }
  for (let round = -1; round < rounds; round++) {
    const url = `${base}/mcp/oauth/token`
    const before = cpuMicros()
    const load = run('1', pinned, 'refresh-load.mjs', JSON.stringify({ url, tokens, seconds: round < 0 ? 1 : seconds }))
    const used = cpuMicros() - before
    tokens = load.tokens
    if (round < 0) continue
    rates.refresh.push(load.perSecond)
    rates.micros.refresh.push(used / load.count)
    for (const name of ['floor', 'plain']) {
      const limit = run('0', pinned, 'refresh-floor.mjs', JSON.stringify({ seconds, plain: name === 'plain' }))
      rates[name].push(limit.perSecond)
      rates.micros[name].push(limit.micros)
    }
  }
  return rates
}

/** Writes the rows of a person's consent for each host. */
async function connectHosts(database, email) {
  const client = createClient({ url: `file:${database}`, timeout: 5000 })
  const { rows } = await client.execute({
    sql: 'select u.id as userId, m.org_id as orgId from users u join org_members m on m.user_id = u.id where u.email = ?',
    args: [email],
  })
  const { userId, orgId } = rows[0]
  const now = Date.now()
  const later = now + 30 * 24 * 60 * 60 * 1000
  const tokens = Array.from({ length: HOSTS }, () => randomBytes(32).toString('base64url'))
  for (const token of tokens) {
    const grantId = randomUUID()
    await client.batch(
      [
        {
          sql: `insert into oauth_grants (id, client_id, client_name, user_id, email, org_id, scope, resource, created_at, expires_at)
            values (?, 'bench', 'Bench', ?, ?, ?, 'mcp:read mcp:write offline_access', '', ?, ?)`,
          args: [grantId, userId, email, orgId, now, later],
        },
        {
          sql: `insert into oauth_refresh_tokens (hash, grant_id, client_id, issued_at, expires_at) values (?, ?, 'bench', ?, ?)`,
          args: [createHash('sha256').update(token).digest('base64url'), grantId, now, later],
        },
      ],
      'write',
    )
  }
  client.close()
  return tokens
}

if (process.argv[1] === import.meta.filename) {
  const [rounds = 5, seconds = 2] = process.argv
    .slice(2)
    .filter(argument => !argument.startsWith('--'))
    .map(Number)
  const server = await startBuilt({ core: 0, nodeArgs: process.env.BENCH_NODE_ARGS?.split(' ') ?? [] })
  const email = 'bench@example.test'
  await signUp(server.base, email)
  const { micros } = await measureRefresh({ ...server, email, rounds, seconds, pinned: canPin })
  await server.stop()
  for (const [name, values] of Object.entries(micros))
    console.log(`${median(values).toFixed(0).padStart(6)} µs  ${name}`)
  for (const limit of ['floor', 'plain']) {
    const ratio = median(micros.refresh.map((value, index) => value / micros[limit][index]))
    console.log(`${ratio.toFixed(2).padStart(6)}     a renewal ÷ ${limit}`)
  }
}
