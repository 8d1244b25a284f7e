import type { ErrorCode } from '#fairway/shared/errors'
import type { SecurityEventKind } from '../../../kernel/security-events/record-security-event'

interface FailureOptions {
  kind: SecurityEventKind
  /** Why, for the log; never shown, never with a state, a code, a token or an address in it. */
  reason: string
  /** What the sign-in page says. */
  code?: ErrorCode
  cause?: unknown
}

/** A way to the hub that ends on the sign-in page. */
export class HubSignInFailure extends Error {
  override name = 'HubSignInFailure'
  readonly kind: SecurityEventKind
  readonly code: ErrorCode

  constructor({ kind, reason, code = 'hub-sign-in-failed', cause }: FailureOptions) {
    super(reason, { cause })
    this.kind = kind
    this.code = code
  }
}
