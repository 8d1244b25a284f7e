import { z, ZodError } from 'zod'
import { plainLine } from '#fairway/server/kernel/events/log'
import type { SecurityEventKind } from '#fairway/server/kernel/security-events/event-kinds'
import type { ErrorCode } from '#fairway/shared/errors'

interface Fault {
  event: SecurityEventKind
  /** The error that people see, whether they sign in, connect an account or come from the identity hub. */
  code: ErrorCode
}

/** The faults between this application and a provider. */
const faults = {
  /** The state is missing, used or expired, or it is for another browser, user or client. */
  'state-invalid': { event: 'state-validation-failed', code: 'invalid-state' },
  /** The user cancelled (`access_denied`). */
  cancelled: { event: 'connection-cancelled', code: 'access-denied' },
  'client-refused': { event: 'provider-client-refused', code: 'invalid-client' },
  'code-refused': { event: 'callback-failed', code: 'invalid-authorization-code' },
  'verifier-refused': { event: 'callback-failed', code: 'invalid-grant' },
  'redirect-refused': { event: 'callback-failed', code: 'invalid-redirect-uri' },
  /** The provider did not answer in time. */
  unavailable: { event: 'callback-failed', code: 'provider-unavailable' },
  /** Any other error of the provider. */
  refused: { event: 'callback-failed', code: 'provider-failed' },
  /** An invalid ID token or an invalid response. */
  'answer-invalid': { event: 'invalid-provider-response', code: 'invalid-provider-answer' },
  /** The provider's user may not sign in here. */
  'account-refused': { event: 'account-refused', code: 'provider-email-not-verified' },
} as const satisfies Record<string, Fault>

export type ProviderFault = keyof typeof faults

interface FailureOptions {
  /** The error shown to the user, if it differs from that of the fault. */
  code?: ErrorCode
  /** The provider's error code (RFC 6749 §4.1.2.1, §5.2). */
  oauthError?: string
  cause?: unknown
}

/** A failed conversation with a provider. The message is for the log and contains no state, code or token. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  readonly kind: SecurityEventKind
  readonly code: ErrorCode
  readonly oauthError?: string

  constructor(
    readonly fault: ProviderFault,
    reason: string,
    { code = faults[fault].code, oauthError, cause }: FailureOptions = {},
  ) {
    super(reason, { cause })
    this.kind = faults[fault].event
    this.code = code
    this.oauthError = oauthError
  }
}

/** The error response of an OAuth endpoint (RFC 6749 §4.1.2.1, §5.2). */
export const refusalSchema = z.object({ error: z.string().min(1).max(200), error_description: z.string().optional() })

/** Maps the errors of RFC 6749 §4.1.2.1 and §5.2, and those of GitHub, to the fault that the user sees. */
const oauthFaults = new Map<string, ProviderFault>([
  ['invalid_client', 'client-refused'],
  ['unauthorized_client', 'client-refused'],
  ['incorrect_client_credentials', 'client-refused'],
  ['invalid_grant', 'code-refused'],
  ['bad_verification_code', 'code-refused'],
  ['redirect_uri_mismatch', 'redirect-refused'],
  ['access_denied', 'cancelled'],
  ['temporarily_unavailable', 'unavailable'],
])

/** Converts an error of the OAuth library, the network or a check to a ProviderFailure. */
export function toProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  const refusal = refusalOf(error)
  if (refusal) {
    const { error: oauthError, error_description: description } = refusal
    const fault = describedFault(oauthError, description) ?? oauthFaults.get(oauthError) ?? 'refused'
    const reason = plainLine([oauthError, description].filter(Boolean).join(': '))
    return new ProviderFailure(fault, reason, { oauthError, cause: error })
  }
  return new ProviderFailure(isTransport(error) ? 'unavailable' : 'answer-invalid', reasonOf(error), { cause: error })
}

/** Returns the provider's error. A status of 401 always means `invalid_client` (RFC 6749 §5.2). */
function refusalOf(error: unknown) {
  const isUnauthorized =
    error instanceof Error &&
    (('code' in error && error.code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') ||
      (error.cause instanceof Response && error.cause.status === 401))
  return isUnauthorized
    ? { error: 'invalid_client', error_description: undefined }
    : refusalSchema.safeParse(error).data
}

// RFC 6749 defines no error code for these, so providers use the description.
function describedFault(error: string, description = ''): ProviderFault | undefined {
  if (/redirect.?uri/i.test(`${error} ${description}`)) return 'redirect-refused'
  return error === 'invalid_grant' && /verifier|pkce|challenge/i.test(description) ? 'verifier-refused' : undefined
}

/** Returns why a response was refused, without any of its values. The library's messages name what was wrong, never a value. */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) return `unexpected: ${error.issues.map(issue => issue.path.join('.')).join(', ')}`
  if (!(error instanceof Error)) return 'unknown'
  const message = error.name === 'TypeError' ? 'the provider did not answer' : error.message
  return plainLine(['code' in error && error.code, message].filter(Boolean).join(': '))
}

function isTransport(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (fault.name === 'TimeoutError' || fault.name === 'AbortError' || fault.message === 'fetch failed') return true
    if ('code' in fault && (fault.code === 'OAUTH_TIMEOUT' || fault.code === 'OAUTH_ABORT')) return true
    if ('syscall' in fault) return true
  }
  return false
}
