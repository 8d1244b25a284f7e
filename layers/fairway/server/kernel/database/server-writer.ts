// Writes of several callers in one request to a libSQL server. Each has a savepoint, so that one failure leaves the others.
import { type Client, type InStatement, LibsqlBatchError, LibsqlError, type ResultSet } from '@libsql/client'
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
  WebSocketError,
  type WsClient,
} from '@libsql/hrana-client'
import type { Writer, Writing, Written } from './shared-commits'
import { storageFaultOf } from './database-error'
import { toResult } from './result-set'
import { textOf } from './sql-text'

interface ServerWriterOptions {
  authToken?: string
  /** Sends one request, with the time limit of a call. */
  fetch: (request: Request) => Promise<Response>
  /** Runs one call over a socket, with that limit. A socket that is silent stays open, so `abandon` closes it. */
  timed: <T>(call: () => Promise<T>, abandon: () => void) => Promise<T>
}

/** The version of the protocol whose conditions ask whether a transaction is still open. */
const VERSION = 3

/** Returns the client of a server as a writer that shares requests, over the same protocol. */
export function createServerWriter(
  client: Client,
  url: string,
  options: ServerWriterOptions,
): Writer & { close(): void } {
  const { hranaHttpUrl = '', hranaWsUrl = '', authToken = options.authToken } = parseLibsqlUrl(url)
  const connection: { open?: WsClient | HttpClient } = {}

  const open = () =>
    client.protocol === 'ws'
      ? openWs(hranaWsUrl, authToken, VERSION)
      : openHttp(hranaHttpUrl, authToken, options.fetch, undefined, VERSION)

  function connect(): WsClient | HttpClient {
    if (!connection.open || connection.open.closed) connection.open = open()
    return connection.open
  }

  async function write(writings: readonly Writing[]): Promise<Written[] | undefined> {
    const server = connect()
    return (await server.getVersion()) < VERSION ? undefined : writeTogether(server, writings)
  }

  return {
    execute: statement => client.execute(statement),
    batch: (statements, mode) => client.batch(statements, mode),
    async writeTogether(writings) {
      try {
        return await options.timed(
          () => write(writings),
          () => connection.open?.close(),
        )
      } catch (error) {
        throw toClientError(error)
      }
    },
    close: () => connection.open?.close(),
  }
}

async function writeTogether(
  server: WsClient | HttpClient,
  writings: readonly Writing[],
): Promise<Written[] | undefined> {
  // The stream is opened, used and closed in one request.
  const stream = server.openStream()
  let written: Promise<Written[] | undefined>
  try {
    written = run(stream.batch(false), writings)
  } finally {
    stream.closeGracefully()
  }
  return written
}

async function run(batch: Batch, writings: readonly Writing[]): Promise<Written[] | undefined> {
  // `on conflict rollback` and a full disk end the transaction. Without this, the next statement would commit by itself.
  const isOpen = BatchCond.not(BatchCond.isAutocommit(batch))
  const begin = batch.step()
  const began = answered(begin.run('begin immediate'))
  const pending = writings.map(writing => addWriting(batch, writing, { begin, isOpen }))
  const commit = when(batch, BatchCond.ok(begin), isOpen)
  const committed = answered(commit.run('commit'))
  answered(when(batch, BatchCond.ok(begin), BatchCond.not(BatchCond.ok(commit)), isOpen).run('rollback'))
  await batch.execute()
  await began
  const isCommitted = await committed.catch((error: unknown) => {
    if (storageFaultOf(toClientError(error))) throw error
    // A deferred constraint may be the fault of any statement.
    return undefined
  })
  return isCommitted === undefined ? undefined : Promise.all(pending.map(outcomeOf))
}

interface Opened {
  begin: BatchStep
  isOpen: BatchCond
}

interface PendingWriting {
  isBatch: boolean
  results: Promise<RowsResult | undefined>[]
}

function addWriting(batch: Batch, { statements, isBatch }: Writing, { begin, isOpen }: Opened): PendingWriting {
  // SQLite rolls back a single statement that fails.
  const whole = isBatch ? when(batch, BatchCond.ok(begin), isOpen) : begin
  if (isBatch) answered(whole.run('savepoint writing'))
  let last = whole
  const results = statements.map(statement => {
    last = when(batch, BatchCond.ok(last), isOpen)
    return answered(last.query(toStmt(statement)))
  })
  if (!isBatch) return { isBatch, results }
  const release = when(batch, BatchCond.ok(last), isOpen)
  answered(release.run('release writing'))
  const undo = when(batch, BatchCond.ok(whole), BatchCond.not(BatchCond.ok(release)), isOpen)
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
