import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { exchangeCode } from './code-grant'
import { OAuthError } from './oauth-error'
import { refresh } from './refresh-grant'
import type { TokenAnswer } from './token-answer'
import { type ClientRequest, readFields, requireField } from './token-request'

/** Counts a request of the token endpoint for its network; to be called before its body is read. Throws `rate-limited`. */
export const countTokenRequest = (app: App, clientAddress: string): Promise<void> =>
  rateLimit(app, limits.oauthTokensPerAddress, addressKey(clientAddress))

/** Answers a request of the token endpoint; throws OAuthError in the words of RFC 6749 §5.2. */
export async function answerTokenRequest(app: App, request: ClientRequest): Promise<TokenAnswer> {
  const fields = readFields(request)
  const grantType = requireField(fields, 'grant_type')
  if (grantType === 'authorization_code') return exchangeCode(app, fields)
  if (grantType === 'refresh_token') return refresh(app, fields)
  throw new OAuthError('unsupported_grant_type', 'Use authorization_code or refresh_token.')
}
