import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type Client,
  type InStatement,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
  type Transaction,
  type TransactionMode,
} from '@libsql/client'
import { isBusy } from './database-error'
import { retryBusy } from './mutex'
import { type Connection, createNativeConnection, type NativeConnection, toLibsqlError } from './native-connection'

export const IN_MEMORY = ':memory:'
const OPEN_LIMIT_IN_MS = 30_000
const SETUP = 'pragma synchronous = full; pragma foreign_keys = on'
const BEGIN: Record<TransactionMode, string> = {
  write: 'begin immediate',
  read: 'begin transaction readonly',
  deferred: 'begin deferred',
}

/**
 * The one connection that writes to a database file or to `:memory:`, in WAL mode and with full sync; makes the folder and
 * the file where there are none. Its calls are synchronous and do not wait for each other: callers put them in order.
 */
export async function openNativeClient(path: string): Promise<Client> {
  if (path !== IN_MEMORY) await createPrivateFile(path)
  // A statement that failed with SQLITE_BUSY stays unfinished until it is garbage: the connection goes on reading an old
  // snapshot, and what it writes next is answered but not committed. Only a new connection is safe.
  const connection = createNativeConnection({ path, setup: SETUP, isSpoiledBy: isBusy })
  const client = toClient(connection)
  await retryBusy(() => client.execute('pragma journal_mode = wal'), performance.now() + OPEN_LIMIT_IN_MS)
  return client
}

// Session tokens are in there: no other account of the machine reads it. SQLite gives its other files the same mode.
async function createPrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    // Never open an existing file here: closing it would drop the locks that SQLite holds on it in this process.
    const file = await open(path, 'wx', 0o600)
    await file.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function toClient(connection: NativeConnection): Client {
  const { use } = connection
  return {
    execute: async (statement: InStatement | string, args?: Parameters<Client['execute']>[1]) =>
      use(open =>
        rollingBack(open, () => open.execute(typeof statement === 'string' ? { sql: statement, args } : statement)),
      ),
    batch: async (statements, mode = 'deferred') =>
      use(open => inTransaction(open, BEGIN[mode], statements.map(toStatement))),
    async migrate(statements) {
      return use(open => {
        open.database.exec('pragma foreign_keys = off')
        try {
          return inTransaction(open, BEGIN.write, statements)
        } finally {
          open.database.exec('pragma foreign_keys = on')
        }
      })
    },
    async executeMultiple(sql) {
      use(open => rollingBack(open, () => open.database.exec(sql)))
    },
    async transaction(mode: TransactionMode = 'write') {
      return use(open => {
        open.database.exec(BEGIN[mode])
        return toTransaction(connection, open)
      })
    },
    sync: async () => undefined,
    reconnect: connection.drop,
    close: connection.close,
    get closed() {
      return connection.closed
    },
    protocol: 'file',
  }
}

/** A statement of a batch with its arguments, however it was written. */
export const toStatement = (statement: Parameters<Client['batch']>[0][number]): InStatement =>
  Array.isArray(statement) ? { sql: statement[0], args: statement[1] } : statement

function inTransaction(open: Connection, begin: string, statements: readonly InStatement[]): ResultSet[] {
  return rollingBack(open, () => {
    open.database.exec(begin)
    const results = executeEach(open, statements)
    open.database.exec('commit')
    return results
  })
}

/** Runs native calls and rolls back the transaction that they leave open. */
function rollingBack<T>({ database }: Connection, run: () => T): T {
  try {
    return run()
  } finally {
    if (database.inTransaction) database.exec('rollback')
  }
}

/** The results of each statement; what one throws names its place. */
const executeEach = ({ database, execute }: Connection, statements: readonly InStatement[]): ResultSet[] =>
  statements.map((statement, index) => {
    if (!database.inTransaction)
      throw new LibsqlBatchError('The transaction has been rolled back', index, 'TRANSACTION_CLOSED')
    try {
      return execute(statement)
    } catch (error) {
      throw toLibsqlError(error, index)
    }
  })

/** The transaction that was begun on an open connection; when that is closed, so is the transaction. */
function toTransaction(connection: NativeConnection, open: Connection): Transaction {
  let isOver = false
  const isOpen = () => !isOver && connection.isOpen(open) && open.database.inTransaction

  async function use<T>(run: () => T): Promise<T> {
    if (!isOpen()) throw new LibsqlError('The transaction is closed', 'TRANSACTION_CLOSED')
    return connection.use(run)
  }

  function close(): void {
    if (isOpen()) open.database.exec('rollback')
    isOver = true
  }

  return {
    execute: statement => use(() => open.execute(statement)),
    batch: statements => use(() => executeEach(open, statements)),
    executeMultiple: sql => use(() => void open.database.exec(sql)),
    commit: () => use(() => void open.database.exec('commit')).finally(close),
    rollback: async () => close(),
    close,
    get closed() {
      return !isOpen()
    },
  }
}
