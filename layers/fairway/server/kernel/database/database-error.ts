import type { ErrorCode } from '#fairway/shared/errors'
import type { Log } from '../events/log'
import { AppError } from '../http/app-error'
import { refusalOf } from './refusals'

const RETRY_AFTER_IN_SECONDS = 5
const LOCKED = /database is locked/i
/** The error for those who wait at a web socket when it is closed; the library has no code for it. */
const GIVEN_UP = 'Client was manually closed'
const UNREACHABLE = new Set([
  'CLIENT_CLOSED',
  'HRANA_CLOSED_ERROR',
  'HRANA_WEBSOCKET_ERROR',
  'SERVER_ERROR',
  'STREAM_EXPIRED',
  'TRANSACTION_TIMEOUT',
])

/** Returns true when another connection holds the lock: the statement or batch had no effect, so it may be tried again. */
export const isBusy = (error: unknown): boolean =>
  codeOf(error).startsWith('SQLITE_BUSY') || (error instanceof Error && LOCKED.test(error.message))

/** A fault in the storage of a database; `locked` is a lock that did not clear. */
export type StorageFault = 'full' | 'read-only' | 'damaged' | 'missing' | 'failing' | 'locked'

const FAULTS: readonly [code: string, fault: StorageFault][] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read-only'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_CANTOPEN', 'missing'],
  ['SQLITE_IOERR', 'failing'],
]

/** Returns the storage fault that SQLite reports behind a failure; undefined where the storage did not fail. */
export function storageFaultOf(error: unknown): StorageFault | undefined {
  if (error instanceof AppError) return storageFaultOf(error.cause)
  if (isBusy(error)) return 'locked'
  const code = codeOf(error)
  return FAULTS.find(([begin]) => code.startsWith(begin))?.[1]
}

const CODES: Record<StorageFault, ErrorCode> = {
  full: 'storage-full',
  'read-only': 'storage-read-only',
  damaged: 'storage-damaged',
  missing: 'unavailable',
  failing: 'unavailable',
  locked: 'unavailable',
}

/** The operator's remedy for each fault. */
export const CURES: Record<StorageFault, string> = {
  full: 'the disk is full or the file may not grow: free some space or raise the limit',
  'read-only':
    'the database file cannot be written: give it, its folder and its file system back to the user of the server',
  damaged: 'the file is damaged, or not a database: put the newest backup in its place with `fw restore`',
  missing: 'the database file cannot be opened: put it, or a backup of it, back to its place',
  failing: 'the disk reports errors: look at it, at its limits and at the log of the system',
  locked: 'another process holds the write lock of the database: find and end it',
}

/**
 * Converts an error for callers of the database. A locked or unreachable database becomes `unavailable`; a full, read-only or
 * damaged disk has a separate code. A trigger's refusal becomes that refusal, and any other error stays as it is.
 */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof AppError) return error
  const fault = storageFaultOf(error)
  if (fault) return storageError(fault, error)
  return isUnreachable(error) ? unavailable(error) : (refusalOf(error) ?? error)
}

/** Returns the result of work on the database. Converts its errors with `toDatabaseError` and reports them to the watch. */
export async function withDatabaseErrors<T>(work: Promise<T>, watch?: StorageWatch): Promise<T> {
  try {
    return await work
  } catch (error) {
    watch?.failed(error)
    throw toDatabaseError(error)
  }
}

/** The error that callers receive for a storage fault. */
export const storageError = (fault: StorageFault, cause: unknown): AppError => failure(CODES[fault], cause)

/** The error of a database that is unreachable at the moment. */
export const unavailable = (cause: unknown): AppError => failure('unavailable', cause)

const failure = (code: ErrorCode, cause: unknown): AppError =>
  new AppError(code, { cause, headers: { 'Retry-After': String(RETRY_AFTER_IN_SECONDS) } })

/** The known state of one database's storage. */
export interface StorageWatch {
  /** Records a failure of the database; a fault of its storage is logged once a minute. */
  failed(error: unknown): void
  /** Records that the storage works. */
  recovered(): void
  /** The present fault, as far as a statement has met one. */
  current(): StorageFault | undefined
}

const SAY_AGAIN_IN_MS = 60_000

/** Remembers the storage fault, and logs when it begins, while it continues and when it ends. */
export function createStorageWatch(log: Log): StorageWatch {
  const state: { fault?: StorageFault; toldAt: number; metAt: number } = { toldAt: 0, metAt: 0 }

  function recovered(): void {
    if (!state.fault) return
    log.warn('the storage of the database works again', { after: state.fault })
    state.fault = undefined
  }

  return {
    failed(error) {
      const fault = storageFaultOf(error)
      if (!fault) return
      const now = performance.now()
      const isKnown = state.fault === fault && now - state.toldAt < SAY_AGAIN_IN_MS
      Object.assign(state, { fault, metAt: now })
      if (isKnown) return
      state.toldAt = now
      log.error('the storage of the database fails', { fault, cure: CURES[fault], reason: reasonOf(error) })
    },
    recovered,
    current() {
      // A damaged page affects only its readers, so success of another statement does not prove that the storage is whole.
      if (state.fault === 'damaged' && performance.now() - state.metAt > SAY_AGAIN_IN_MS) recovered()
      return state.fault
    },
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// `fetch` rejects with a bare TypeError without a connection, and with a DOMException when its signal aborts it.
function isUnreachable(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError' || error.name === 'AbortError'
  if (error instanceof TypeError) return error.message === 'fetch failed'
  return UNREACHABLE.has(codeOf(error)) || (error instanceof Error && error.message.includes(GIVEN_UP))
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** Returns the result of the work, or throws a TimeoutError after `limitInMs`; the work itself is not stopped. */
export async function withDeadline<T>(work: Promise<T>, limitInMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DOMException('the database took too long', 'TimeoutError')), limitInMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
