// One measured round of the limit of a renewal, without HTTP: `node bench/refresh-floor.mjs <seconds>` prints rounds per second.
// A round is what cannot be left out: two statements in one write transaction on a file, and one ES256 signature.
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { generateKeyPair, SignJWT } from 'jose'

const AT_ONCE = 16
const milliseconds = Number(process.argv[2] ?? 3) * 1000
const client = createClient({ url: `file:${join(mkdtempSync(join(tmpdir(), 'fw-floor-')), 'floor.db')}` })
await client.execute('pragma journal_mode = wal')
await client.execute('pragma synchronous = full')
await client.execute('create table tokens (hash text primary key, grant_id text, replaced_by text, expires_at integer)')
const { privateKey } = await generateKeyPair('ES256')

let turn = Promise.resolve()
const inTurn = work => (turn = turn.then(work, work))

async function round(hash, next) {
  await inTurn(() =>
    client.batch(
      [
        { sql: 'update tokens set replaced_by = ? where hash = ? and replaced_by is null', args: [next, hash] },
        { sql: 'insert into tokens (hash, grant_id, expires_at) values (?, ?, ?)', args: [next, 'grant', Date.now()] },
      ],
      'write',
    ),
  )
  await new SignJWT({ sub: 'user', scope: 'mcp:read mcp:write offline_access', jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'key' })
    .sign(privateKey)
}

async function chain(until, count = 0) {
  let hash = randomUUID()
  await client.execute({ sql: 'insert into tokens (hash, grant_id) values (?, ?)', args: [hash, 'grant'] })
  while (performance.now() < until()) {
    const next = randomUUID()
    await round(hash, next)
    hash = next
    count += 1
  }
  return count
}

await Promise.all(
  Array.from({ length: 4 }, () =>
    chain(
      (
        (end = performance.now() + 300) =>
        () =>
          end
      )(),
    ),
  ),
)
const began = performance.now()
const counts = await Promise.all(Array.from({ length: AT_ONCE }, () => chain(() => began + milliseconds)))
const seconds = (performance.now() - began) / 1000
console.log(JSON.stringify({ perSecond: counts.reduce((sum, count) => sum + count, 0) / seconds }))
client.close()
