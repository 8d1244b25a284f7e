import type { AppError } from '#fairway/server/kernel/http/app-error'
import { errorCatalog } from '#fairway/shared/errors'

/** The error codes of RFC 6749, 6750, 7591, 8628 and 8707, and OpenID Connect Core. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'temporarily_unavailable'
  | 'server_error'

/** An error of an OAuth endpoint with an error code of the RFCs. The description may be shown and never contains a secret. */
export class OAuthError extends Error {
  // As in AppError: h3 passes marked errors through unchanged.
  static readonly __h3_error__ = true

  readonly headers: Record<string, string>

  constructor(
    readonly error: OAuthErrorCode,
    readonly description: string,
    readonly status: number = 400,
    { headers = {}, ...options }: ErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    super(`${error}: ${description}`, options)
    this.name = 'OAuthError'
    this.headers = headers
  }
}

/** Returns the error response of RFC 6749 §5.2. Other errors get one of its codes, and a 5xx hides its details. */
export function toOAuthAnswer(error: OAuthError | AppError) {
  const { status, headers } = error
  if (error instanceof OAuthError) {
    return { status, headers, body: { error: error.error, error_description: error.description } }
  }
  const { title } = errorCatalog[error.code]
  const faults = error.errors?.map(({ path, message }) => `${path}: ${message}`).join(' ')
  const description = status < 500 ? (error.detail ?? faults ?? title) : title
  return { status, headers, body: { error: wordFor(status), error_description: description } }
}

function wordFor(status: number): OAuthErrorCode {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
