import { spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@libsql/client'

const root = new URL('..', import.meta.url).pathname
const HOSTS = 16

function run(core, pinned, script, argument) {
  const args = [join(root, 'bench', script), argument]
  const ran = pinned ? spawnSync('taskset', ['-c', core, process.execPath, ...args]) : spawnSync(process.execPath, args)
  if (ran.status !== 0) throw new Error(String(ran.stderr))
  return JSON.parse(String(ran.stdout))
}

/**
 * Renewals of 16 connected hosts against the limit of a renewal in process: rates of both for each round. The server runs on core 0,
 * the hosts on core 1, the limit on core 0 while the server is idle.
 */
export async function measureRefresh({ base, database, email, rounds, seconds, pinned }) {
  let tokens = await connectHosts(database, email)
  const rates = { refresh: [], floor: [] }
  for (let round = -1; round < rounds; round++) {
    const url = `${base}/mcp/oauth/token`
    const load = run('1', pinned, 'refresh-load.mjs', JSON.stringify({ url, tokens, seconds: round < 0 ? 1 : seconds }))
    tokens = load.tokens
    if (round < 0) continue
    rates.refresh.push(load.perSecond)
    rates.floor.push(run('0', pinned, 'refresh-floor.mjs', String(seconds)).perSecond)
  }
  return rates
}

/** Writes what a person's consent would have written, for each host. */
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
