// Runs one measured round of the baseline of a renewal, without HTTP: `node bench/refresh-floor.mjs '{seconds, plain}'` prints
// rounds per second and the processor time of each. A round contains the minimum work: two statements in one write transaction on
// a file, and one ES256 signature. It uses the usual libraries (@libsql/client, jose), or with `plain` only the native driver and
// node:crypto.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { generateKeyPair, SignJWT } from 'jose'
import NativeDatabase from 'libsql'

const AT_ONCE = 16
const { seconds, plain } = JSON.parse(process.argv[2] ?? '{"seconds":3}')
const path = join(mkdtempSync(join(tmpdir(), 'fw-floor-')), 'floor.db')
const TABLE = 'create table tokens (hash text primary key, grant_id text, replaced_by text, expires_at integer)'
const REPLACE = 'update tokens set replaced_by = ? where hash = ? and replaced_by is null'
const ADD = 'insert into tokens (hash, grant_id, expires_at) values (?, ?, ?)'
const claims = () => ({ sub: 'user', scope: 'mcp:read mcp:write offline_access', jti: randomUUID() })
const header = { alg: 'ES256', typ: 'at+jwt', kid: 'key' }

async function withLibraries() {
  const client = createClient({ url: `file:${path}` })
  await client.execute('pragma journal_mode = wal')
  await client.execute('pragma synchronous = full')
  await client.execute(TABLE)
  const { privateKey } = await generateKeyPair('ES256')
  let turn = Promise.resolve()
  const inTurn = work => (turn = turn.then(work, work))
  return {
    begin: hash => client.execute({ sql: ADD, args: [hash, 'grant', 0] }),
    async round(hash, next) {
      const statements = [
        { sql: REPLACE, args: [next, hash] },
        { sql: ADD, args: [next, 'grant', Date.now()] },
      ]
      await inTurn(() => client.batch(statements, 'write'))
      await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey)
    },
  }
}

async function byItself() {
  const database = new NativeDatabase(path)
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  database.exec(TABLE)
  const [replace, add, start, commit] = [REPLACE, ADD, 'begin immediate', 'commit'].map(sql => database.prepare(sql))
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' }
  const part = value => Buffer.from(JSON.stringify(value)).toString('base64url')
  return {
    begin: async hash => add.run([hash, 'grant', 0]),
    async round(hash, next) {
      start.run([])
      replace.run([next, hash])
      add.run([next, 'grant', Date.now()])
      commit.run([])
      const text = `${part(header)}.${part(claims())}`
      const signature = sign('sha256', Buffer.from(text), key)
      // Yields to other work, as a server would.
      await new Promise(resolve => setImmediate(resolve, `${text}.${signature.toString('base64url')}`))
    },
  }
}

const { begin, round } = await (plain ? byItself() : withLibraries())

async function chain(until, count = 0) {
  let hash = randomUUID()
  await begin(hash)
  while (performance.now() < until) {
    const next = randomUUID()
    await round(hash, next)
    hash = next
    count += 1
  }
  return count
}

const chains = (atOnce, milliseconds) => {
  const until = performance.now() + milliseconds
  return Promise.all(Array.from({ length: atOnce }, () => chain(until)))
}

await chains(4, 500)
const began = performance.now()
const used = process.cpuUsage()
const counts = await chains(AT_ONCE, seconds * 1000)
const { user, system } = process.cpuUsage(used)
const count = counts.reduce((sum, each) => sum + each, 0)
console.log(
  JSON.stringify({ perSecond: (count * 1000) / (performance.now() - began), micros: (user + system) / count }),
)
process.exit(0)
