import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { buildOnce } from '../../scripts/build.mjs'
import { authorPlace } from '../../scripts/sample.mjs'
import {
  databaseOf,
  LOG_FILE,
  type LentServer,
  type OwnServer,
  POOL_VARIABLE,
  type ServerInput,
  startServer,
} from './server'

interface Pooled {
  id: string
  /** Servers with the same key are interchangeable for a test. */
  key: string
  server: OwnServer
  isLent: boolean
  idleSince: number
}

/** The maximum number of idle servers. */
const MOST_IDLE = 16

/** Tables that a server also caches in memory, so they are never emptied: the migration journals and the signing keys. */
const KEPT_TABLES = ['fw_migrations', 'fw_application_migrations', 'oauth_keys']

/**
 * Lends servers to the processes that run the tests. A server starts once for all tests with the same settings, and the pool
 * empties its database between two uses. Vitest and Playwright call this before the tests, and the returned function after them.
 */
export default async function startServerPool(): Promise<() => Promise<void>> {
  const pool = new Map<string, Pooled>()
  const listener = createServer(async (request, response) => {
    try {
      const [, id = '', part] = request.url?.split('/') ?? []
      if (request.method === 'DELETE') await (part === 'process' ? end(pool, id) : takeBack(pool, id))
      const answer = request.method === 'POST' ? await lend(pool, JSON.parse(await textOf(request))) : {}
      response.end(JSON.stringify(answer))
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error))
    }
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  process.env[POOL_VARIABLE] = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return async () => {
    listener.closeAllConnections()
    listener.close()
    await Promise.all([...pool.values()].map(({ server }) => server.kill()))
  }
}

interface LendInput extends ServerInput {
  /** The number of Playwright's worker, whose servers no other one borrows. */
  worker?: string
}

async function lend(
  pool: Map<string, Pooled>,
  { application, env = {}, host, worker }: LendInput,
): Promise<LentServer> {
  const key = JSON.stringify([application, host, worker, Object.entries(env).toSorted()])
  const known = [...pool.values()].find(each => each.key === key && !each.isLent)
  if (known) {
    known.isLent = true
    if (known.server.isRunning() && (await emptied(known.server))) return describe(known)
    await end(pool, known.id)
  }
  const id = randomUUID()
  const output = application === 'author' ? await authorBuild() : undefined
  const made: Pooled = { id, key, server: await startServer({ env, host, output }), isLent: true, idleSince: 0 }
  pool.set(id, made)
  return describe(made)
}

const built: { author?: Promise<string> } = {}

/** The output folder of the author's application. Concurrent callers wait for the same build. */
function authorBuild(): Promise<string> {
  return (built.author ??= buildOnce(authorPlace).then(({ ok, output }) => {
    if (!ok) throw new Error(output)
    return join(authorPlace, '.output')
  }))
}

async function takeBack(pool: Map<string, Pooled>, id: string): Promise<void> {
  const given = pool.get(id)
  if (!given) return
  given.isLent = false
  given.idleSince = performance.now()
  const idle = [...pool.values()].filter(({ isLent }) => !isLent).toSorted((a, b) => a.idleSince - b.idleSince)
  // Rate-limit counters are also kept in memory, so a server with limits is never reused.
  const ending = given.key.includes('"FW_RATE_LIMITS","on"') ? [given] : idle.slice(0, -MOST_IDLE)
  for (const each of ending) await end(pool, each.id)
}

async function end(pool: Map<string, Pooled>, id: string): Promise<void> {
  const ending = pool.get(id)
  pool.delete(id)
  await ending?.server.kill()
}

async function describe({ id, server: { origin, dataDir, secret } }: Pooled): Promise<LentServer> {
  const logFile = join(dataDir, LOG_FILE)
  return { id, origin, dataDir, secret, logFile, logFrom: (await stat(logFile)).size }
}

/** Deletes all data of the previous use from the database and the outbox; returns false on failure. */
async function emptied({ dataDir }: OwnServer): Promise<boolean> {
  const client = createClient({ url: databaseOf({ dataDir }), timeout: 5000 })
  try {
    const { rows } = await client.execute(
      `select type, name, sql from sqlite_master where type in ('table', 'trigger')`,
    )
    const tables = rows.filter(({ type, name }) => type === 'table' && !String(name).startsWith('sqlite_'))
    const triggers = rows.filter(({ type }) => type === 'trigger')
    const { rows: sealed } = await client.execute('select 1 from audit_log where seq is not null limit 1')
    const guards = sealed.length > 0 ? triggers : []
    await client.migrate([
      ...guards.map(({ name }) => `drop trigger ${name}`),
      ...tables.filter(({ name }) => !KEPT_TABLES.includes(String(name))).map(({ name }) => `delete from ${name}`),
      ...guards.map(({ sql }) => String(sql)),
    ])
    await rm(join(dataDir, 'outbox'), { recursive: true, force: true })
    return true
  } catch {
    return false
  } finally {
    client.close()
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
