import { ZodError } from 'zod'
import type { App } from '#server/foundation/app-context'
import type { ErrorCode } from '#shared/errors'

/** What kind of failure a callback had; alerts count by it. */
export type FailureKind =
  | 'state-validation-failed'
  | 'cancelled'
  | 'provider-refused'
  | 'invalid-provider-response'
  | 'account-refused'
  | 'too-many-callbacks'

interface FailureOptions {
  kind: FailureKind
  /** Why, in our words or the provider's; logged, never shown, never with a state, a code or a token in it. */
  reason: string
  /** What the sign-in page says. */
  code?: ErrorCode
  cause?: unknown
}

/** A callback that ends on the sign-in page. */
export class CallbackFailure extends Error {
  readonly kind: FailureKind
  readonly code: ErrorCode

  constructor({ kind, reason, code = 'sign-in-failed', cause }: FailureOptions) {
    super(reason, { cause })
    this.name = 'CallbackFailure'
    this.kind = kind
    this.code = code
  }
}

interface FailedCallback {
  kind: FailureKind
  provider: string
  clientAddress: string
  reason: string
}

/** Writes the one log line of a callback that failed. */
export function recordFailedCallback(app: App, { kind, provider, clientAddress, reason }: FailedCallback): void {
  const known = app.config.signInProviders.some(({ id }) => id === provider)
  app.log.warn('signing in with a provider failed', {
    kind,
    provider: known ? provider : 'unknown',
    clientAddress,
    reason,
  })
}

/** Why an answer of a provider was refused, in words that hold nothing of the answer itself. */
export function toReason(error: unknown): string {
  if (error instanceof ZodError) return `unexpected: ${error.issues.map(issue => issue.path.join('.')).join(', ')}`
  return error instanceof Error ? error.message : 'unknown'
}
