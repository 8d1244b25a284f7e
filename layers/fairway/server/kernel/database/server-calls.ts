// Calls to a libSQL server that its client has no form for. Writes of several callers share one request; each has a savepoint, so
// that one failure leaves the others. Over a web socket, calls share a few streams: the server opens a connection to its file for
// each new one, which costs more than most statements.
import { type InStatement, LibsqlBatchError, LibsqlError, type ResultSet } from '@libsql/client'
import {
  type Batch,
  BatchCond,
  type BatchStep,
  ClientError,
  ClosedError,
  type HttpClient,
  HttpServerError,
  openHttp,
  openWs,
  parseLibsqlUrl,
  ResponseError,
  type RowsResult,
  Stmt,
  type Stream,
  WebSocketError,
  type WsClient,
} from '@libsql/hrana-client'
import { storageFaultOf } from './database-error'
import { toResult } from './result-set'
import type { Writer, Writing, Written } from './shared-commits'
import { textOf, toStatement } from './sql-text'

/** The calls that every libSQL server answers. */
export type ServerCalls = Pick<Writer, 'execute' | 'batch'>

interface ServerCallOptions {
  isSocket: boolean
  authToken?: string
  /** Sends one request, with the time limit of a call. */
  fetch: (request: Request) => Promise<Response>
  /** Runs one call over a socket, with that limit. A socket that is silent stays open, so `abandon` closes it. */
  timed: <T>(call: () => Promise<T>, abandon: () => void) => Promise<T>
}

/** The version of the protocol whose conditions ask whether a transaction is still open. */
const VERSION = 3
const MOST_STREAMS = 8
/** Statements that leave nothing behind in the connection of a stream, such as a transaction or a setting. */
const LEAVES_NOTHING = /^\s*(?:select|values|with|insert|update|delete|replace)\b/i
const leavesNothing = (statement: InStatement): boolean => LEAVES_NOTHING.test(textOf(statement))

const BEGIN = { write: 'begin immediate', read: 'begin transaction readonly', deferred: 'begin deferred' }

type Server = WsClient | HttpClient

/** Returns the calls of a server. One with an older protocol gets `plain`, those of its client. */
export function createServerCalls(
  plain: ServerCalls,
  url: string,
  options: ServerCallOptions,
): Writer & { close(): void } {
  const { hranaHttpUrl = '', hranaWsUrl = '', authToken = options.authToken } = parseLibsqlUrl(url)
  const { isSocket } = options
  const now: { server?: Server; streams: KeptStream[]; isOver: boolean } = { streams: [], isOver: false }

  async function connect(): Promise<Server | undefined> {
    if (now.isOver) throw new LibsqlError('The client is closed', 'CLIENT_CLOSED')
    if (!now.server || now.server.closed) {
      now.streams = []
      now.server = isSocket
        ? openWs(hranaWsUrl, authToken, VERSION)
        : openHttp(hranaHttpUrl, authToken, options.fetch, undefined, VERSION)
    }
    const { server } = now
    return (await server.getVersion()) < VERSION ? undefined : server
  }

  /** Runs a call in a stream; `old` runs it at a server with an older protocol. */
  async function call<T>(run: (stream: Stream) => Promise<T>, old: () => Promise<T>): Promise<T> {
    const inStream = async () => {
      const server = await connect()
      if (!server) return old()
      return isSocket ? inKept(now.streams, server, run) : inNew(server, run)
    }
    try {
      return await options.timed(inStream, () => now.server?.close())
    } catch (error) {
      throw toClientError(error)
    }
  }

  return {
    execute(statement) {
      const old = () => plain.execute(statement)
      if (!isSocket || !leavesNothing(statement)) return old()
      return call(async stream => resultOf(await stream.query(toStmt(statement))), old)
    },
    batch(statements, mode = 'deferred') {
      const old = () => plain.batch(statements, mode)
      const whole = statements.map(toStatement)
      if (!isSocket || !whole.every(leavesNothing)) return old()
      return call(stream => runBatch(stream, BEGIN[mode], whole), old)
    },
    writeTogether: writings =>
      call(
        stream => writeTogether(stream, writings),
        async () => undefined,
      ),
    close() {
      now.isOver = true
      now.server?.close()
    },
  }
}

/** Runs a call in a stream that is opened, used and closed in one request. */
function inNew<T>(server: Server, run: (stream: Stream) => Promise<T>): Promise<T> {
  const stream = server.openStream()
  const running = run(stream)
  stream.closeGracefully()
  return running
}

interface KeptStream {
  stream: Stream
  running: number
}

/** Runs a call in the stream with the fewest others: a write that waits for the lock keeps only its own stream. */
async function inKept<T>(streams: KeptStream[], server: Server, run: (stream: Stream) => Promise<T>): Promise<T> {
  const [calmest] = streams.toSorted((a, b) => a.running - b.running)
  const isNew = !calmest || (calmest.running > 0 && streams.length < MOST_STREAMS)
  const chosen = isNew ? { stream: server.openStream(), running: 0 } : calmest
  if (isNew) streams.push(chosen)
  chosen.running += 1
  try {
    return await run(chosen.stream)
  } catch (error) {
    // What the server refused leaves the stream as it was.
    if (!(error instanceof ResponseError || error instanceof LibsqlError)) chosen.stream.close()
    throw error
  } finally {
    chosen.running -= 1
    const at = streams.indexOf(chosen)
    if (chosen.stream.closed && at !== -1) streams.splice(at, 1)
  }
}

/** Whether a transaction is open. `on conflict rollback` and a full disk end it; the next statement would commit by itself. */
const isOpenIn = (batch: Batch): BatchCond => BatchCond.not(BatchCond.isAutocommit(batch))

/** Adds the end of a transaction: a commit after `last`, else a rollback. A stream whose transaction cannot end is closed. */
function addEnd(stream: Stream, batch: Batch, { begin, last }: { begin: BatchStep; last: BatchStep }) {
  const isOpen = isOpenIn(batch)
  const commit = when(batch, BatchCond.ok(last), isOpen)
  const committed = answered(commit.run('commit'))
  const undo = when(batch, BatchCond.ok(begin), BatchCond.not(BatchCond.ok(commit)), isOpen)
  undo.run('rollback').catch(() => stream.close())
  return committed
}

/** Runs statements in one transaction. */
async function runBatch(stream: Stream, beginning: string, statements: readonly InStatement[]): Promise<ResultSet[]> {
  const batch = stream.batch(false)
  const begin = batch.step()
  const began = answered(begin.run(beginning))
  const { last, results } = addStatements(batch, begin, statements)
  const committed = addEnd(stream, batch, { begin, last })
  await batch.execute()
  await began
  const outcome = await outcomeOf({ isBatch: true, results })
  if ('error' in outcome) throw outcome.error
  if (!(await committed)) throw new LibsqlError('The transaction has been rolled back', 'TRANSACTION_CLOSED')
  return outcome.results
}

async function writeTogether(stream: Stream, writings: readonly Writing[]): Promise<Written[] | undefined> {
  const batch = stream.batch(false)
  const begin = batch.step()
  const began = answered(begin.run(BEGIN.write))
  const pending = writings.map(writing => addWriting(batch, begin, writing))
  const committed = addEnd(stream, batch, { begin, last: begin })
  await batch.execute()
  await began
  const isCommitted = await committed.catch((error: unknown) => {
    if (storageFaultOf(toClientError(error))) throw error
    // A deferred constraint may be the fault of any statement.
    return undefined
  })
  return isCommitted === undefined ? undefined : Promise.all(pending.map(outcomeOf))
}

interface PendingWriting {
  isBatch: boolean
  results: Promise<RowsResult | undefined>[]
}

/** Adds statements of which each runs only after the one before, and returns the final step. */
function addStatements(batch: Batch, first: BatchStep, statements: readonly InStatement[]) {
  let last = first
  const results = statements.map(statement => {
    last = when(batch, BatchCond.ok(last), isOpenIn(batch))
    return answered(last.query(toStmt(statement)))
  })
  return { last, results }
}

function addWriting(batch: Batch, begin: BatchStep, { statements, isBatch }: Writing): PendingWriting {
  // SQLite rolls back a single statement that fails.
  if (!isBatch) return { isBatch, results: addStatements(batch, begin, statements).results }
  const isOpen = isOpenIn(batch)
  const save = when(batch, BatchCond.ok(begin), isOpen)
  answered(save.run('savepoint writing'))
  const { last, results } = addStatements(batch, save, statements)
  const release = when(batch, BatchCond.ok(last), isOpen)
  answered(release.run('release writing'))
  const undo = when(batch, BatchCond.ok(save), BatchCond.not(BatchCond.ok(release)), isOpen)
  answered(undo.run('rollback to writing'))
  answered(when(batch, BatchCond.ok(undo)).run('release writing'))
  return { isBatch, results }
}

function when(batch: Batch, ...conditions: BatchCond[]): BatchStep {
  const step = batch.step()
  for (const condition of conditions) step.condition(condition)
  return step
}

/** A step may fail before anyone waits for it. */
function answered<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {})
  return answer
}

async function outcomeOf({ isBatch, results }: PendingWriting): Promise<Written> {
  const sets: ResultSet[] = []
  for (const [index, result] of results.entries()) {
    try {
      const rows = await result
      if (!rows) throw new LibsqlError('The statement was not executed', 'TRANSACTION_CLOSED')
      sets.push(resultOf(rows))
    } catch (thrown) {
      const error = toClientError(thrown)
      const isOfBatch = isBatch && error instanceof LibsqlError
      return {
        error: isOfBatch ? new LibsqlBatchError(error.message, index, error.code, undefined, undefined, error) : error,
      }
    }
  }
  return { results: sets }
}

function toStmt(statement: InStatement): Stmt {
  const stmt = new Stmt(textOf(statement))
  const { args = [] } = typeof statement === 'string' ? {} : statement
  if (Array.isArray(args)) return stmt.bindIndexes(args)
  for (const [name, value] of Object.entries(args)) stmt.bindName(name, value)
  return stmt
}

const resultOf = ({ columnNames, columnDecltypes, rows, affectedRowCount, lastInsertRowid }: RowsResult): ResultSet =>
  Object.assign(
    toResult(
      { names: columnNames.map(name => name ?? ''), types: columnDecltypes.map(type => type ?? '') },
      rows as unknown as ResultSet['rows'],
    ),
    { rowsAffected: affectedRowCount, lastInsertRowid },
  )

/** Returns an error with the code that the client of the server gives it. */
function toClientError(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error
  if (error instanceof ClosedError && error.cause instanceof Error) return toClientError(error.cause)
  return new LibsqlError(error.message, codeOf(error), undefined, undefined, error)
}

function codeOf(error: ClientError): string {
  if (error instanceof ResponseError) return error.code ?? 'UNKNOWN'
  if (error instanceof HttpServerError) return 'SERVER_ERROR'
  if (error instanceof WebSocketError) return 'HRANA_WEBSOCKET_ERROR'
  return error instanceof ClosedError ? 'HRANA_CLOSED_ERROR' : 'UNKNOWN'
}
