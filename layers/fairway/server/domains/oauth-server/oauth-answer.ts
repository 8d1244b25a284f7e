import type { AppError } from '#fairway/server/kernel/http/app-error'
import { errorCatalog } from '#fairway/shared/errors'
import { OAuthError, type OAuthErrorCode } from './oauth-error'

export interface OAuthAnswer {
  status: number
  headers: Record<string, string>
  body: { error: OAuthErrorCode; error_description: string }
}

/** The RFC 6749 §5.2 form of a refusal; other errors are put into its words, and a 5xx says nothing of what happened. */
export function toOAuthAnswer(error: OAuthError | AppError): OAuthAnswer {
  const { status, headers } = error
  if (error instanceof OAuthError) {
    return { status, headers, body: { error: error.error, error_description: error.description } }
  }
  const { title } = errorCatalog[error.code]
  const description = status < 500 ? (error.detail ?? title) : title
  return { status, headers, body: { error: wordFor(status), error_description: description } }
}

function wordFor(status: number): OAuthErrorCode {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
