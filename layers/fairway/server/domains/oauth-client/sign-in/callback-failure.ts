import { ZodError } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { ErrorCode } from '#fairway/shared/errors'
import { recordSecurityEvent, type SecurityEventKind } from '../../../kernel/security-events/record-security-event'

interface FailureOptions {
  kind: SecurityEventKind
  /** Why, in our words or the provider's; logged, never shown, never with a state, a code or a token in it. */
  reason: string
  /** What the sign-in page says. */
  code?: ErrorCode
  cause?: unknown
}

/** A callback that ends on the sign-in page. */
export class CallbackFailure extends Error {
  readonly kind: SecurityEventKind
  readonly code: ErrorCode

  constructor({ kind, reason, code = 'sign-in-failed', cause }: FailureOptions) {
    super(reason, { cause })
    this.name = 'CallbackFailure'
    this.kind = kind
    this.code = code
  }
}

interface FailedCallback {
  kind: SecurityEventKind
  provider: string
  clientAddress: string
  reason: string
}

/** Records a callback that failed as a security event. */
export function recordFailedCallback(
  app: App,
  { kind, provider, clientAddress, reason }: FailedCallback,
): Promise<void> {
  const known = app.config.signInProviders.some(({ id }) => id === provider)
  const subject = known ? provider : 'unknown'
  return recordSecurityEvent(app, { kind, subject, clientAddress, reason })
}

/** Why an answer of a provider was refused, in words that hold nothing of the answer itself. */
export function toReason(error: unknown): string {
  if (error instanceof ZodError) return `unexpected: ${error.issues.map(issue => issue.path.join('.')).join(', ')}`
  return error instanceof Error ? error.message : 'unknown'
}
