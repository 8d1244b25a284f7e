import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type Client,
  createClient,
  type InArgs,
  type InStatement,
  type Transaction,
  type TransactionMode,
} from '@libsql/client'
import { isBusy, withDeadline } from './database-error'
import { retryBusy } from './mutex'
import { createServerCalls, type ServerCalls } from './server-calls'
import type { Writer } from './shared-commits'
import { withArgs } from './sql-text'

export interface ServerClientOptions {
  authToken?: string
  /** How integers are read; the default is `number`. */
  intMode?: 'bigint'
  /** How long one call may take. */
  callInMs: number
  /** How long the first statement of a transaction waits for a lock. */
  busyInMs: number
}

type Call = <T>(run: () => Promise<T>) => Promise<T>

const MIGRATION_LIMIT_IN_MS = 300_000
/** How far a replica may be behind the writes of other processes by default; it sees its own writes at once. */
const SYNC_INTERVAL_IN_SECONDS = 0.2

interface ReplicaOptions {
  authToken?: string
  replicaSyncInSeconds?: number
}

/** Creates a client of a libSQL server with a time limit for each call, and its writer; they connect with the first call. */
export function createServerClient(
  url: string,
  { authToken, intMode, callInMs, busyInMs }: ServerClientOptions,
): { client: Client; writer: Writer } {
  let limitInMs = callInMs
  function send(request: Request): Promise<Response> {
    // Compressing each small response would take as much time as the rest of the call.
    request.headers.set('accept-encoding', 'identity')
    return fetch(request, { signal: AbortSignal.timeout(limitInMs) })
  }
  const client = createClient({ url, authToken, intMode, fetch: send })

  // A WebSocket does not notice a silent peer, so a call that takes too long is abandoned together with the socket.
  async function timed<T>(run: () => Promise<T>, abandon: () => unknown): Promise<T> {
    if (client.protocol !== 'ws') return run()
    try {
      return await withDeadline(run(), limitInMs)
    } catch (error) {
      if (error instanceof DOMException) abandon()
      throw error
    }
  }
  const reconnect = () => void Promise.resolve(client.reconnect()).catch(() => {})

  const call: Call = run => timed(run, reconnect)
  const plain: ServerCalls = {
    execute: statement => call(() => client.execute(statement)),
    batch: (statements, mode) => call(() => client.batch(statements, mode)),
  }
  const calls = createServerCalls(plain, url, { isSocket: client.protocol === 'ws', authToken, fetch: send, timed })
  const whole: Client = {
    execute: (statement: InStatement | string, args?: InArgs) => calls.execute(withArgs(statement, args)),
    batch: calls.batch,
    executeMultiple: sql => call(() => client.executeMultiple(sql)),
    transaction: (mode: TransactionMode = 'write') =>
      openLateTransaction(() => call(() => client.transaction(mode)), call, performance.now() + busyInMs),
    async migrate(statements) {
      limitInMs = MIGRATION_LIMIT_IN_MS
      try {
        return await client.migrate(statements)
      } finally {
        limitInMs = callInMs
      }
    },
    sync: () => call(() => client.sync()),
    reconnect: () => client.reconnect(),
    close() {
      calls.close()
      client.close()
    },
    get closed() {
      return client.closed
    },
    get protocol() {
      return client.protocol
    },
  }
  return { client: whole, writer: calls }
}

/**
 * Opens a transaction of a libSQL server that begins with its first statement. That statement waits for the lock until `deadline`
 * (clock of `performance.now()`), in a new transaction each time, and the others follow it.
 */
async function openLateTransaction(
  begin: () => Promise<Transaction>,
  timed: Call,
  deadline: number,
): Promise<Transaction> {
  let transaction = await begin()
  let first: Promise<unknown> | undefined

  async function call<T>(run: (open: Transaction) => Promise<T>): Promise<T> {
    if (first) {
      await first.catch(() => {})
      return timed(() => run(transaction))
    }
    const opening = retryBusy(() => attempt(run), deadline)
    first = opening
    return opening
  }

  async function attempt<T>(run: (open: Transaction) => Promise<T>): Promise<T> {
    try {
      return await timed(() => run(transaction))
    } catch (error) {
      if (isBusy(error)) {
        transaction.close()
        transaction = await begin()
      }
      throw error
    }
  }

  return {
    execute: statement => call(open => open.execute(statement)),
    batch: statements => call(open => open.batch(statements)),
    executeMultiple: sql => call(open => open.executeMultiple(sql)),
    commit: () => call(open => open.commit()),
    rollback: () => call(open => open.rollback()),
    close: () => transaction.close(),
    get closed() {
      return transaction.closed
    },
  }
}

/**
 * Opens an embedded replica of a libSQL server: reads are local, writes go to the server. Throws while the server is unreachable.
 */
export async function openReplicaClient(url: string, path: string, options: ReplicaOptions): Promise<Client> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const { authToken, replicaSyncInSeconds: syncInterval = SYNC_INTERVAL_IN_SECONDS } = options
  const client = createClient({ url: `file:${path}`, syncUrl: url, authToken, syncInterval })
  // Without a first sync the file is empty.
  await client.sync()
  return client
}
