import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type Client,
  type InStatement,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
  type Transaction,
  type TransactionMode,
} from '@libsql/client/sqlite3'
import { CURES, storageFaultOf } from './database-error'
import { retryBusy } from './mutex'
import type { Writer, Writing, Written } from './shared-commits'
import {
  type Connection,
  createNativeConnection,
  IN_MEMORY,
  type NativeConnection,
  toLibsqlError,
} from './native-connection'
import { toStatement, withArgs } from './sql-text'

const OPEN_LIMIT_IN_MS = 30_000
// The path may now have another file, and a backup has no journal.
const SETUP = 'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on'
const BEGIN: Record<TransactionMode, string> = {
  write: 'begin immediate',
  read: 'begin transaction readonly',
  deferred: 'begin deferred',
}

/** The client of a file. */
export type NativeClient = Client & Writer

/**
 * Opens the one connection that writes to a database file or to `:memory:`, in WAL mode and with full sync. Creates the folder
 * and the file where they are missing. Its calls are synchronous and do not wait for each other, so callers must order them.
 */
export async function openNativeClient(path: string): Promise<NativeClient> {
  if (path !== IN_MEMORY) await createPrivateFile(path)
  // A statement that failed with SQLITE_BUSY stays unfinished until it is garbage collected. The connection then reads an old
  // snapshot, and reports its next writes as done without committing them, so only a new connection is safe. The same applies
  // after a failure of the storage: a file that was opened while it was read-only stays so.
  const connection = createNativeConnection({ path, setup: SETUP, isSpoiledBy: isOfStorage, lookEveryInMs: 0 })
  const client = toClient(connection)
  try {
    await retryBusy(() => client.execute('pragma journal_mode = wal'), performance.now() + OPEN_LIMIT_IN_MS)
  } catch (error) {
    const fault = storageFaultOf(error)
    if (!fault) throw error
    throw new Error(`The database ${path} cannot be opened; ${CURES[fault]}.`, { cause: error })
  }
  return client
}

// The file contains session tokens, so no other account of the machine may read it. SQLite uses the same mode for its other
// files.
async function createPrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // An empty file would make SQLite delete the journal, and with it the last writes.
  const [file, journal] = await Promise.all([path, `${path}-wal`].map(name => stat(name).catch(() => undefined)))
  if (!file && journal && journal.size > 0) {
    throw new Error(
      `The database ${path} is gone, but its journal ${path}-wal is there. Put the file back; if it is lost, move the journal away and put a backup in its place.`,
    )
  }
  try {
    // Never open an existing file here: closing it would drop the locks that SQLite holds on it in this process.
    const file = await open(path, 'wx', 0o600)
    await file.close()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function toClient(connection: NativeConnection): NativeClient {
  const { use } = connection
  return {
    execute: async (statement: InStatement | string, args?: Parameters<Client['execute']>[1]) =>
      use(open => rollingBack(open, () => open.execute(withArgs(statement, args)))),
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
    writeTogether: async writings => use(open => writeTogether(open, writings)),
    sync: async () => undefined,
    reconnect: connection.drop,
    close: connection.close,
    get closed() {
      return connection.closed
    },
    protocol: 'file',
  }
}

function inTransaction(open: Connection, begin: string, statements: readonly InStatement[]): ResultSet[] {
  return rollingBack(open, () => {
    open.database.exec(begin)
    const results = executeEach(open, statements)
    open.database.exec('commit')
    return results
  })
}

const isOfStorage = (error: unknown): boolean => storageFaultOf(error) !== undefined

function writeTogether(open: Connection, writings: readonly Writing[]): Written[] | undefined {
  const { database } = open
  database.exec(BEGIN.write)
  return rollingBack(open, () => {
    const written: Written[] = []
    for (const writing of writings) {
      written.push(writeOne(open, writing))
      // `on conflict rollback` and a full disk end the transaction, and with it the other callers' writes.
      if (!database.inTransaction) return undefined
    }
    try {
      database.exec('commit')
      return written
    } catch (error) {
      if (isOfStorage(error)) throw error
      // A deferred constraint may be the fault of any statement.
      return undefined
    }
  })
}

/** Runs one writing inside a shared transaction; throws errors that concern all of them: a lock, a full disk. */
function writeOne(open: Connection, { statements, isBatch }: Writing): Written {
  const { database, execute } = open
  try {
    // SQLite rolls back a single statement that fails.
    if (!isBatch) return { results: statements.map(execute) }
    database.exec('savepoint writing')
    const results = executeEach(open, statements)
    database.exec('release writing')
    return { results }
  } catch (error) {
    if (isOfStorage(error)) throw error
    if (isBatch && database.inTransaction) database.exec('rollback to writing; release writing')
    return { error: toLibsqlError(error) }
  }
}

/** Runs native calls and rolls back the transaction that they leave open. */
function rollingBack<T>({ database }: Connection, run: () => T): T {
  try {
    return run()
  } finally {
    if (database.inTransaction) database.exec('rollback')
  }
}

/** Returns the results of each statement; an error names the index of its statement. */
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

/** Wraps a transaction that has begun on an open connection; closing the connection also closes the transaction. */
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
