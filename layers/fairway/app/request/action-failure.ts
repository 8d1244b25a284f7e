import type { FieldError, Problem } from '#fairway/shared/schemas/problem'
import { fieldText } from './field-text'

export type FailureKind = 'problem' | 'offline' | 'timed-out'

export interface ActionFailureInput extends Partial<Omit<Problem, 'type'>> {
  kind: FailureKind
  extra?: unknown
}

/** Why a request failed: a problem from the server, no connection, or a timeout. */
export class ActionFailure extends Error {
  readonly kind: FailureKind
  /** The server's error code, or the kind when the server was not reached. */
  readonly code: string
  /** The HTTP status, or 0 without a response. */
  readonly status: number
  readonly title: string
  readonly detail?: string
  /** The rejected fields: `path` is the name of the input field, `message` is in the language of the page. */
  readonly errors: FieldError[]
  /** Identifies this request in the server's log. */
  readonly requestId?: string
  /** The whole problem body, for members that only one code has. */
  readonly extra: unknown

  constructor(input: ActionFailureInput, options?: ErrorOptions) {
    super(input.detail ?? input.title ?? input.kind, options)
    this.name = 'ActionFailure'
    this.kind = input.kind
    this.code = input.code ?? input.kind
    this.status = input.status ?? 0
    this.title = input.title ?? ''
    this.detail = input.detail
    this.errors = (input.errors ?? []).map(error => ({
      ...error,
      // Evaluated when it is shown, because the language may change in the meantime.
      get message() {
        return fieldText(error)
      },
    }))
    this.requestId = input.requestId
    this.extra = input.extra
  }

  /** Where a larger plan is, for a refusal by the plan. */
  get upgradeUrl(): string | undefined {
    const { upgradeUrl } = (this.extra ?? {}) as { upgradeUrl?: string }
    return upgradeUrl
  }

  /** Whether the cause is unknown. Only then is the code useful in a report. */
  get isUnexpected(): boolean {
    return this.kind === 'problem' && (this.status >= 500 || this.title === '')
  }

  /** The error of one field, or undefined. */
  fieldError(path: string): string | undefined {
    return this.errors.find(error => error.path === path)?.message
  }
}
