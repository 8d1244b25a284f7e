import type { FieldError, Problem } from '#fairway/shared/schemas/problem'
import { fieldText } from './field-text'

export type FailureKind = 'problem' | 'offline' | 'timed-out'

export interface ActionFailureInput extends Partial<Omit<Problem, 'type'>> {
  kind: FailureKind
  extra?: unknown
}

/** Why a request did not give a result: a problem the server explained, no connection, or no answer in time. */
export class ActionFailure extends Error {
  readonly kind: FailureKind
  /** The server's error code, or the kind when the server was not reached. */
  readonly code: string
  /** The HTTP status, or 0 when there was no answer. */
  readonly status: number
  readonly title: string
  readonly detail?: string
  /** The fields that were not accepted: `path` is the name of the input field, `message` is in the language of the page. */
  readonly errors: FieldError[]
  /** Finds this request in the server's log. */
  readonly requestId?: string
  /** The whole problem body, for members that only one code carries. */
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
      // Read when it is shown: the language may change meanwhile.
      get message() {
        return fieldText(error)
      },
    }))
    this.requestId = input.requestId
    this.extra = input.extra
  }

  /** Whether neither the server nor the browser knows what went wrong: only then does the code help, in a report. */
  get isUnexpected(): boolean {
    return this.kind === 'problem' && (this.status >= 500 || this.title === '')
  }

  /** What is wrong with one field, or undefined. */
  fieldError(path: string): string | undefined {
    return this.errors.find(error => error.path === path)?.message
  }
}
