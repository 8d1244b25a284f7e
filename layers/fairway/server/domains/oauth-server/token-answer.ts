import type { App } from '#fairway/server/kernel/app-context'
import { signAccessToken, type TokenSubject } from './access-token'

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  scope: string
  refresh_token?: string
}

/** Signs the access token and puts the answer together. */
export async function tokenAnswer(
  app: App,
  subject: TokenSubject,
  scope: string,
  refreshToken: string | undefined,
): Promise<TokenAnswer> {
  const { token, expiresIn } = await signAccessToken(app, subject, scope)
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}
