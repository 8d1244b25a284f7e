import { AppError } from '../http/app-error'

const RETRY_AFTER_IN_SECONDS = 5
const LOCKED = /database is locked/i
const UNREACHABLE = new Set([
  'CLIENT_CLOSED',
  'HRANA_CLOSED_ERROR',
  'HRANA_WEBSOCKET_ERROR',
  'SERVER_ERROR',
  'STREAM_EXPIRED',
  'TRANSACTION_TIMEOUT',
])

/** True when another connection holds the lock: nothing of the statement or batch has happened, so it may be tried again. */
export const isBusy = (error: unknown): boolean =>
  codeOf(error).startsWith('SQLITE_BUSY') || (error instanceof Error && LOCKED.test(error.message))

/** What callers of the database see: `unavailable` where it is locked or out of reach, any other error as it is. */
export function toDatabaseError(error: unknown): unknown {
  return isBusy(error) || isUnreachable(error) ? unavailable(error) : error
}

/** The answer of work on the database; what it throws leaves as `toDatabaseError` says. */
export async function withDatabaseErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toDatabaseError(error)
  }
}

/** The error of a database that does not answer at the moment. */
export const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', { cause, headers: { 'Retry-After': String(RETRY_AFTER_IN_SECONDS) } })

// `fetch` rejects with a bare TypeError when there is no connection, and with a DOMException when its signal ends it.
function isUnreachable(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError' || error.name === 'AbortError'
  if (error instanceof TypeError) return error.message === 'fetch failed'
  return UNREACHABLE.has(codeOf(error))
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** The result of the work, or a TimeoutError after `limitInMs`; the work itself is not stopped. */
export async function withDeadline<T>(work: Promise<T>, limitInMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DOMException('the database took too long', 'TimeoutError')), limitInMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
