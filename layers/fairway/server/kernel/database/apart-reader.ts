// Reads a database file outside the event loop, for reads whose cost the caller chooses. The library runs only the first step
// of a statement in another thread, so each statement collects its rows in that step.
import { availableParallelism } from 'node:os'
import PromisedDatabase from 'libsql/promise'
import { AppError } from '../http/app-error'
import { createCache } from '../cache'
import { createMutex, type Mutex, retryBusy } from './mutex'
import { fileAt, LOCK_WAIT_IN_MS, type NativeArgs, type ReadArgs, toLibsqlError } from './native-connection'
import type { NativeValue } from './result-set'

/** Runs one SELECT; its rows are arrays in the order of its columns. */
export type ReadApart = (sql: string, args: ReadArgs) => Promise<unknown[][]>

/**
 * Reads that leave the event loop free. Both throw `timed-out` when a read takes longer than the limit or its signal is aborted;
 * the running statement is then interrupted.
 */
export interface ApartReader {
  /** Runs `read` over one state of the database. */
  run<T>(read: (rows: ReadApart) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The rows of a SELECT with all digits of their integers, and its columns. */
  select(sql: string, args: NativeArgs): Promise<{ rows: NativeValue[][]; columns: Column[] }>
  close(): void
}

interface ApartReaderOptions {
  path: string
  busyLimitInMs: number
  /** How long one read may take, including the wait for its turn. */
  limitInMs: number
}

/** The library has one thread per processor, and a statement that waits for a thread cannot be interrupted. */
const LANES = Math.min(availableParallelism(), 2)
/** An interrupt between two statements has no effect, so it is repeated. */
const INTERRUPT_EVERY_IN_MS = 20

interface Column {
  name: string
  type: string | null
}

interface Statement {
  raw(): Statement
  safeIntegers(on: boolean): Statement
  columns(): Column[]
  all(args: unknown): Promise<NativeValue[][]>
}

interface Open {
  database: PromisedDatabase
  file: string
  prepare(sql: string, isSafe: boolean): Promise<Statement>
}

/** One connection and those who wait for it. */
interface Lane {
  turn: Mutex
  waiting: number
  open?: Open
}

/** Creates connections that only read; each opens on first use, and again after a failure or when the file was replaced. */
export function createApartReader({ path, busyLimitInMs, limitInMs }: ApartReaderOptions): ApartReader {
  const lanes: Lane[] = Array.from({ length: LANES }, () => ({ turn: createMutex(), waiting: 0 }))
  let isClosed = false

  async function connect(lane: Lane): Promise<Open> {
    const file = fileAt(path)
    if (lane.open?.file === file) return lane.open
    drop(lane)
    const database = new PromisedDatabase(path, { timeout: LOCK_WAIT_IN_MS })
    lane.open = { database, file, prepare: preparing(database) }
    await database.exec('pragma query_only = on')
    return lane.open
  }

  async function attempt<T>(lane: Lane, read: (open: Open) => Promise<T>, isOver: () => boolean): Promise<T> {
    if (isOver()) throw new AppError('timed-out')
    let interrupting: NodeJS.Timeout | undefined
    try {
      const open = await connect(lane)
      interrupting = setInterval(() => isOver() && open.database.interrupt(), INTERRUPT_EVERY_IN_MS)
      await open.database.exec('begin')
      const answer = await read(open)
      await open.database.exec('commit')
      return answer
    } catch (error) {
      // A failed statement may keep an old snapshot.
      drop(lane)
      throw isOver() ? new AppError('timed-out', { cause: error }) : toLibsqlError(error)
    } finally {
      clearInterval(interrupting)
      if (isClosed) drop(lane)
    }
  }

  async function inTurn<T>(read: (open: Open) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const end = performance.now() + limitInMs
    const isOver = () => isClosed || signal?.aborted === true || performance.now() > end
    const lane = lanes.reduce((best, other) => (other.waiting < best.waiting ? other : best))
    lane.waiting += 1
    try {
      return await lane.turn.run(() => retryBusy(() => attempt(lane, read, isOver), performance.now() + busyLimitInMs))
    } finally {
      lane.waiting -= 1
    }
  }

  return {
    run: (read, signal) =>
      inTurn(({ prepare }) => read(async (sql, args) => (await prepare(sql, false)).all(args)), signal),
    select: (sql, args) =>
      inTurn(async ({ prepare }) => {
        const statement = await prepare(sql, true)
        return { rows: await statement.all(args), columns: statement.columns() }
      }),
    close() {
      isClosed = true
      for (const lane of lanes) if (lane.waiting === 0) drop(lane)
    },
  }
}

function drop(lane: Lane): void {
  lane.open?.database.close()
  lane.open = undefined
}

function preparing(database: PromisedDatabase): Open['prepare'] {
  const prepared = createCache<Promise<Statement>>('prepared-statements')
  return (sql, isSafe) =>
    prepared.getOrSet(`${isSafe} ${sql}`, async () => {
      const whole = `with fw_rows as materialized (${sql.replace(/;\s*$/, '')}\n) select * from fw_rows`
      const statement: Statement = await database.prepare(whole)
      return statement.raw().safeIntegers(isSafe)
    })
}
