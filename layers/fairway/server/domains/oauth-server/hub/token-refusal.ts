import { toAppError } from '#fairway/server/kernel/http/app-error'
import { errorCatalog } from '#fairway/shared/errors'

type TokenRefusalCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

/** A refusal of the hub's token endpoint in the words of RFC 6749 §5.2; the description may be shown and holds no secret. */
export class TokenRefusal extends Error {
  override name = 'TokenRefusal'

  constructor(
    readonly error: TokenRefusalCode,
    readonly description: string,
  ) {
    super(`${error}: ${description}`)
  }
}

export interface TokenRefusalAnswer {
  status: number
  headers: Record<string, string>
  body: { error: TokenRefusalCode; error_description: string }
}

/** The answer to whatever was thrown, in the same words; what is not the caller's fault is thrown again. */
export function toTokenRefusal(thrown: unknown): TokenRefusalAnswer {
  if (thrown instanceof TokenRefusal) {
    const { error, description } = thrown
    return { status: 400, headers: {}, body: { error, error_description: description } }
  }
  const { status, headers, code, detail } = toAppError(thrown)
  if (status >= 500) throw thrown
  const error = status === 429 ? 'temporarily_unavailable' : 'invalid_request'
  return { status, headers, body: { error, error_description: detail ?? errorCatalog[code].title } }
}
