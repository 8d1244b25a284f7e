import type { Client, InArgs, InStatement, ResultSet, Transaction, TransactionMode } from '@libsql/client'
import type { Log } from '../events/log'
import { type StorageWatch, toDatabaseError, withDatabaseErrors } from './database-error'
import { followed, followedReads, noteUnfollowed, unfollowed } from './followed-reads'
import { createMutex, retryBusy } from './mutex'
import { type RowClient, rowsOf } from './orm'
import { createSharedCommits, type Writer, type Writing } from './shared-commits'
import type { NativeReader } from './native-reader'
import { mayWrite, textOf, toStatement, withArgs } from './sql-text'

export interface SerialClientOptions {
  client: Client
  /** Writes that are requested together share a commit by it. */
  writer?: Writer
  /** Reads a database file, so that a SELECT does not wait. */
  reader?: NativeReader
  /** One connection serves everything, so a read waits while a transaction is open. */
  isSingle: boolean
  /** Called when a write or a transaction ends, whether it succeeded or failed; with its statements where they are known. */
  onWrite(statements?: readonly InStatement[]): void
  log: Log
  /** Receives every failure. */
  watch: StorageWatch
  /** How long one call waits for a lock that another process holds. */
  busyInMs: number
  /** How long an open transaction may be idle before it is rolled back. */
  idleInMs: number
}

export interface SerialClient extends RowClient {
  /** Resolves when all earlier requests are done. */
  drain(): Promise<void>
}

const READ = /^\s*select\b/i
/** Statements that may share a transaction with other callers' writes. */
const CAN_SHARE_COMMIT = /^\s*(?:insert|update|delete|replace|select)\b/i

/**
 * Creates the client with one write or transaction at a time, which is tried again while another process holds the lock. Converts
 * all failures for callers of the database: `unavailable` for a persistent lock.
 */
export function createSerialClient(options: SerialClientOptions): SerialClient {
  const { client, reader } = options
  const { read, write, writeOnce, writeTogether, openTransaction, drain } = createSchedule(options)

  async function execute(whole: InStatement): Promise<ResultSet> {
    if (!isRead(whole)) {
      if (!writeTogether || !sharesCommit(whole)) return write(() => client.execute(whole))
      const [written] = await writeTogether({ statements: [whole], isBatch: false })
      return written!
    }
    if (!reader) return read(() => client.execute(whole))
    const [result] = await reader.select([whole])
    return result!
  }

  async function batch(whole: InStatement[], mode?: TransactionMode): Promise<ResultSet[]> {
    if ((mode ?? 'read') === 'read' && whole.every(isRead))
      return reader ? reader.select(whole) : read(() => client.batch(whole, 'read'))
    if (writeTogether && mode !== 'read' && whole.length > 0 && whole.every(sharesCommit))
      return writeTogether({ statements: whole, isBatch: true })
    // The transaction takes the write lock at its beginning: taking it half-way fails when another process has written
    // meanwhile.
    return write(() => client.batch(whole, mode ?? 'write'))
  }

  return {
    execute: (statement: InStatement, args?: InArgs) => {
      const whole = withArgs(statement, args)
      return writes(whole) ? execute(whole) : followed(() => execute(whole), rowsOf)
    },
    async rows(statement) {
      if (writes(statement)) return rowsOf(await execute(statement))
      return followed(async () =>
        reader && isRead(statement) ? reader.rows(statement) : rowsOf(await execute(statement)),
      )
    },
    async batch(statements, mode) {
      const whole = statements.map(toStatement)
      if (!whole.some(writes))
        return followed(
          () => batch(whole, mode),
          results => results.map(rowsOf),
        )
      if (!whole.every(writes)) noteUnfollowed('a batch of reads and writes')
      return batch(whole, mode)
    },
    migrate: statements => write(() => client.migrate(statements)),
    executeMultiple: sql => writeOnce(() => client.executeMultiple(sql)),
    transaction: (mode: TransactionMode = 'write') => {
      noteUnfollowed('a transaction')
      return openTransaction(mode)
    },
    sync: () => read(() => client.sync()),
    reconnect: () => client.reconnect(),
    close: () => client.close(),
    get closed() {
      return client.closed
    },
    get protocol() {
      return client.protocol
    },
    drain,
  }
}

/** Decides when a call may use the client. */
function createSchedule(options: SerialClientOptions) {
  const { client, writer, isSingle, busyInMs, onWrite, watch } = options
  const writers = createMutex()
  const connection = createMutex()
  const deadline = () => performance.now() + busyInMs

  // Between two attempts the connection is free, so reads continue while a write waits for another process.
  const use = <T>(run: () => Promise<T>): Promise<T> => (isSingle ? connection.run(run) : unfollowed(run))
  const commits = createSharedCommits({ turn: writers.run, use, deadline, onWrite })

  /** Runs one at a time, in the order of the calls. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    commits.close()
    return writers.run(run)
  }

  async function begin(mode: TransactionMode): Promise<{ transaction: Transaction; release(): void }> {
    const release = isSingle ? await connection.acquire() : () => {}
    try {
      return { transaction: await client.transaction(mode), release }
    } catch (error) {
      release()
      throw error
    }
  }

  async function openTransaction(mode: TransactionMode): Promise<Transaction> {
    const until = deadline()
    commits.close()
    const endTurn = await writers.acquire()
    try {
      const { transaction, release } = await retryBusy(() => begin(mode), until)
      return endingTransaction(transaction, options, () => {
        onWrite()
        release()
        endTurn()
      })
    } catch (error) {
      endTurn()
      throw error
    }
  }

  return {
    read: <T>(run: () => Promise<T>): Promise<T> =>
      withDatabaseErrors(
        retryBusy(() => use(run), deadline()),
        watch,
      ),
    write<T>(run: () => Promise<T>): Promise<T> {
      const until = deadline()
      return withDatabaseErrors(
        inTurn(() => retryBusy(() => use(run), until)).finally(() => onWrite()),
        watch,
      )
    },
    /** A write that is not tried again, because a part of it may have happened. */
    writeOnce: <T>(run: () => Promise<T>): Promise<T> =>
      withDatabaseErrors(
        inTurn(() => use(run)).finally(() => onWrite()),
        watch,
      ),
    /** A write that shares its commit with others of the same turn of the loop; undefined without a writer. */
    writeTogether: writer && ((writing: Writing) => withDatabaseErrors(commits.enqueue(writer, writing), watch)),
    /** A transaction, which keeps other writes waiting until it ends. */
    openTransaction: (mode: TransactionMode) => withDatabaseErrors(openTransaction(mode), watch),
    /** Resolves when all earlier requests are done. */
    drain: () => inTurn(() => connection.run(async () => {})),
  }
}

const isRead = (statement: InStatement): boolean => READ.test(textOf(statement))
// Only a followed page asks more closely: the text of every write would be read otherwise.
const writes = (statement: InStatement): boolean =>
  !isRead(statement) && (!followedReads() || mayWrite(textOf(statement)))
const sharesCommit = (statement: InStatement): boolean => CAN_SHARE_COMMIT.test(textOf(statement))

type EndingOptions = Pick<SerialClientOptions, 'log' | 'watch' | 'idleInMs'>

/**
 * Wraps an open transaction so that it always ends: by its owner, or with a rollback after it was idle for too long. Then `onEnd`
 * is called once.
 */
function endingTransaction(
  transaction: Transaction,
  { log, watch, idleInMs }: EndingOptions,
  onEnd: () => void,
): Transaction {
  let running = 0
  let hasEnded = false

  const idle = setTimeout(() => {
    if (running > 0) return
    log.error('a transaction was rolled back because it lay idle; inside it use only its own handle', {
      idleLimitInMs: idleInMs,
    })
    close()
  }, idleInMs).unref()

  function end(): void {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(idle)
    onEnd()
  }

  function close(): void {
    try {
      transaction.close()
    } finally {
      end()
    }
  }

  async function call<T>(run: () => Promise<T>): Promise<T> {
    running += 1
    try {
      return await run()
    } catch (error) {
      watch.failed(error)
      throw toDatabaseError(error)
    } finally {
      running -= 1
      if (!hasEnded) idle.refresh()
    }
  }

  return {
    execute: statement => call(() => transaction.execute(statement)),
    batch: statements => call(() => transaction.batch(statements)),
    executeMultiple: sql => call(() => transaction.executeMultiple(sql)),
    commit: () => call(() => transaction.commit()).finally(end),
    rollback: () => call(() => transaction.rollback()).finally(end),
    close,
    get closed() {
      return hasEnded || transaction.closed
    },
  }
}
