import { plainLine } from '#fairway/server/kernel/events/log'
import type { ErrorCode } from '#fairway/shared/errors'
import type { SecurityEventKind } from '../../kernel/security-events/record-security-event'

interface FailureOptions {
  kind: SecurityEventKind
  /** What the person is told. */
  code: ErrorCode
  /** The provider's own word (RFC 6749 §4.1.2.1, §5.2). */
  oauthError?: string
  cause?: unknown
}

/** A way to a provider that ended without tokens; the message is for the log and holds no state, no code and no token. */
export class ConnectionFailure extends Error {
  readonly kind: SecurityEventKind
  readonly code: ErrorCode
  readonly oauthError?: string

  constructor(reason: string, { kind, code, oauthError, cause }: FailureOptions) {
    super(reason, { cause })
    this.name = 'ConnectionFailure'
    this.kind = kind
    this.code = code
    this.oauthError = oauthError
  }
}

/** What people are told for each refusal of a token endpoint (SPEC: provider-side conditions). */
const refusals: Record<string, ErrorCode> = {
  invalid_client: 'connection-client-refused',
  unauthorized_client: 'connection-client-refused',
  invalid_grant: 'connection-code-invalid',
  redirect_uri_mismatch: 'connection-redirect-refused',
  access_denied: 'connection-cancelled',
  temporarily_unavailable: 'connection-unavailable',
}

/** What the OAuth library or the network threw, as a failure with its kind and what to say. */
export function toConnectionFailure(error: unknown): ConnectionFailure {
  if (error instanceof ConnectionFailure) return error
  const { oauthError, description, isTransport, text } = facts(error)
  if (oauthError) {
    const code = describedFault(oauthError, description) ?? refusals[oauthError] ?? 'connection-failed'
    const kind = kindOf(code)
    const reason = plainLine([oauthError, description].filter(Boolean).join(': '))
    return new ConnectionFailure(reason, { kind, code, oauthError, cause: error })
  }
  if (isTransport) {
    return new ConnectionFailure(text, { kind: 'callback-failed', code: 'connection-unavailable', cause: error })
  }
  return new ConnectionFailure(text, {
    kind: 'invalid-provider-response',
    code: 'connection-answer-invalid',
    cause: error,
  })
}

function kindOf(code: ErrorCode): SecurityEventKind {
  if (code === 'connection-client-refused') return 'provider-client-refused'
  return code === 'connection-cancelled' ? code : 'callback-failed'
}

function facts(error: unknown) {
  const { error: oauthError, error_description: description } = Object(error) as Record<string, unknown>
  const { code, message, name } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { code: '', message: '', name: '' }
  return {
    // RFC 6749 §5.2: a client that is refused by a challenge is refused as a client.
    oauthError: typeof oauthError === 'string' ? oauthError : isChallenge(error) ? 'invalid_client' : undefined,
    description: typeof description === 'string' ? description : undefined,
    isTransport: isTransport(error),
    // The library's messages name what was wrong, never a value.
    text: plainLine([code, name === 'TypeError' ? 'the provider did not answer' : message].filter(Boolean).join(': ')),
  }
}

const isChallenge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'

function isTransport(error: unknown): boolean {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (fault.name === 'TimeoutError' || fault.name === 'AbortError' || fault.message === 'fetch failed') return true
    if ('code' in fault && (fault.code === 'OAUTH_TIMEOUT' || fault.code === 'OAUTH_ABORT')) return true
    if ('syscall' in fault) return true
  }
  return false
}

// RFC 6749 has no word of its own for these; providers describe them.
function describedFault(error: string, description = ''): ErrorCode | undefined {
  if (/redirect.?uri/i.test(`${error} ${description}`)) return 'connection-redirect-refused'
  return error === 'invalid_grant' && /verifier|pkce|challenge/i.test(description)
    ? 'connection-verifier-refused'
    : undefined
}
