// h3 wraps thrown errors and prefers their `cause`; the mark on `AppError` lets it pass unchanged.
import { errorCatalog, type ErrorCode } from '#fairway/shared/errors'
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
    this.status = errorCatalog[code].status
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
  if (status === 404) return new AppError('not-found', { cause: thrown })
  if (status === 405) return new AppError('method-not-allowed', { cause: thrown })
  if (status === 413) return new AppError('payload-too-large', { cause: thrown })
  if (status >= 400 && status < 500) return new AppError('invalid-request', { cause: thrown })
  return new AppError('internal', { cause: thrown })
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
