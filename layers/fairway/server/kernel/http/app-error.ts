import { errorCatalog, type ErrorCode } from '#fairway/shared/errors'

export interface FieldError {
  path: string
  message: string
}

export interface AppErrorOptions {
  /** One sentence that may be shown to the caller; never shown for 5xx. */
  detail?: string
  /** What happened inside; logged, never sent. */
  cause?: unknown
  /** Extra response headers, for example `Allow` or `Retry-After`. */
  headers?: Record<string, string>
  /** The fields that were not accepted, for `invalid-input`. */
  errors?: FieldError[]
  /** Further members of the answer (RFC 9457 §3.2), for example what a confirmation is about; never shown for 5xx. */
  extra?: Record<string, unknown>
}

/** The one error that domains throw: its code fixes the status and the title (shared/errors.ts). */
export class AppError extends Error {
  // h3 wraps other errors and drops them in favour of their cause; one that is marked passes as it is.
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
