// h3 wraps thrown errors and prefers their `cause`; the mark on `AppError` lets it pass unchanged.
import { errorCatalog, type ErrorCode } from '#fairway/shared/errors'
import { isRecord } from '#fairway/shared/record'
import type { FieldError, Problem } from '#fairway/shared/schemas/problem'

interface AppErrorOptions {
  /** One sentence that the caller may see; never shown for 5xx. */
  detail?: string
  /** The internal cause; logged, never sent. */
  cause?: unknown
  /** Extra response headers, for example `Allow` or `Retry-After`. */
  headers?: Record<string, string>
  /** The fields that were not accepted, for `invalid-input`. */
  errors?: FieldError[]
  /** The status of an error that the application's code made with `createError`; otherwise the code's own. */
  status?: number
  /** Further members of the response (RFC 9457 §3.2), for example the subject of a confirmation; never shown for 5xx. */
  extra?: Record<string, unknown>
}

/** The one error that domains throw: its code fixes the status and the title (shared/errors.ts). */
export class AppError extends Error {
  // h3 replaces other errors by their cause; a marked one passes unchanged.
  static readonly __h3_error__ = true
  readonly code: ErrorCode
  readonly status: number
  readonly detail?: string
  readonly headers: Record<string, string>
  readonly errors?: FieldError[]
  readonly extra?: Record<string, unknown>

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail ?? errorCatalog[code].title, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = options.status ?? errorCatalog[code].status
    this.detail = options.detail
    this.headers = options.headers ?? {}
    this.errors = options.errors
    this.extra = options.extra
  }
}

/** A line for each invalid value of an error, for people who read it as text. */
export const faultLines = (errors: readonly { path: string; message: string }[] = []): string[] =>
  errors.map(({ path, message }) => `  ${path}: ${message}`)

export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** Converts any thrown value into the catalog's error: unknown values become `internal`, HTTP errors keep their meaning. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const status = statusOf(thrown)
  if (isMadeByAuthor(thrown) && status >= 400 && status < 500) return fromCreateError(thrown, status)
  if (status === 404) return new AppError('not-found', { cause: thrown })
  if (status === 405) return new AppError('method-not-allowed', { cause: thrown })
  if (status === 413) return new AppError('payload-too-large', { cause: thrown })
  if (status >= 400 && status < 500) return new AppError('invalid-request', { cause: thrown })
  return new AppError('internal', { cause: thrown })
}

/** An error of h3's `createError`, and what `readValidatedBody` throws. h3 marks every other error as unhandled. */
interface MadeError extends Error {
  statusMessage?: string
  data?: unknown
}

const isMadeByAuthor = (thrown: unknown): thrown is MadeError =>
  thrown instanceof Error &&
  '__h3_error__' in thrown.constructor &&
  'unhandled' in thrown &&
  !thrown.unhandled &&
  // Thrown by the router itself, with the path.
  !thrown.message.startsWith('Cannot find any ')

const CODES: Readonly<Partial<Record<number, ErrorCode>>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  409: 'conflict',
  413: 'payload-too-large',
  429: 'rate-limited',
}

/** Keeps what the clients of an existing route read: the status, the message as `detail`, the data, and the faults of fields. */
function fromCreateError(thrown: MadeError, status: number): AppError {
  const issues = issuesOf(thrown.data)
  // The message of a failed schema lists the issues again, as JSON.
  if (issues) return new AppError('invalid-input', { cause: thrown, status, errors: issues })
  return new AppError(CODES[status] ?? 'invalid-request', {
    cause: thrown,
    status,
    detail: thrown.message || undefined,
    extra: thrown.data === undefined ? undefined : { data: thrown.data },
  })
}

/** The issues of zod, and of every library with the standard schema, as field errors. */
function issuesOf(data: unknown): FieldError[] | undefined {
  const issues = isRecord(data) || data instanceof Error ? Reflect.get(data, 'issues') : undefined
  if (!Array.isArray(issues) || issues.length === 0 || !issues.every(isRecord)) return undefined
  const nameOf = (part: unknown) => String(isRecord(part) ? part.key : part)
  return issues.map(({ path, message }) => ({
    path: Array.isArray(path) ? path.map(nameOf).join('.') : '',
    message: String(message),
  }))
}

/** Returns the RFC 9457 body of an error; a 5xx never contains a detail. */
export function toProblem(error: AppError, requestId: string): Problem {
  const isPublic = error.status < 500
  return {
    ...(isPublic ? error.extra : {}),
    type: `urn:fairway:error:${error.code}`,
    title: errorCatalog[error.code].title,
    status: error.status,
    ...(isPublic && error.detail ? { detail: error.detail } : {}),
    code: error.code,
    requestId,
    ...(isPublic && error.errors ? { errors: error.errors } : {}),
  }
}

function statusOf(thrown: unknown): number {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return 500
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : 500
}
