import type { App } from '#fairway/server/kernel/app-context'
import { toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { CALLBACK_PATH, CONNECTIONS_PAGE } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { connectionStateCookie, issueConnectionState } from './connection-state'
import { providerClient } from './provider-client'
import { requireProvider } from './provider-registry'

/** The one address that providers send browsers back to; the same in the authorization request and in the exchange. */
export const redirectUri = (app: App): string => `${app.config.baseUrl}${CALLBACK_PATH}`

interface StartInput {
  userId: string
  provider: string
  /** Where to go afterwards; the connections page when it is not a path of ours. */
  returnPath?: unknown
  cookieHeader?: string
}

/**
 * Begins connecting an account (SPEC: External provider integration): `url` is where the browser goes next, `setCookie` binds
 * the way back to this browser for ten minutes. Throws `unknown-provider`, `rate-limited`, `provider-unavailable`.
 */
export async function startConnection(app: App, input: StartInput): Promise<{ url: string; setCookie: string }> {
  const provider = requireProvider(app, input.provider)
  if (provider.grant !== 'authorization_code') throw new AppError('unknown-provider')
  await rateLimit(app, limits.connectionsPerAccount, input.userId)
  const { client, configuration } = await providerClient(app, provider).catch((cause: unknown) => {
    throw new AppError('provider-unavailable', { cause })
  })
  const given = typeof input.returnPath === 'string' ? input.returnPath : CONNECTIONS_PAGE
  const returnPath = safeReturnPath(given, app.config.baseUrl)
  const issued = await issueConnectionState(app, { provider: provider.id, userId: input.userId, returnPath })
  const url = client.buildAuthorizationUrl(configuration, {
    ...provider.authorizationParameters,
    redirect_uri: redirectUri(app),
    response_type: 'code',
    scope: provider.scopes.join(' '),
    state: issued.state,
    code_challenge: toCodeChallenge(issued.codeVerifier),
    code_challenge_method: 'S256',
    ...(provider.openId ? { nonce: issued.nonce } : {}),
  })
  return { url: url.href, setCookie: connectionStateCookie.with(issued.state, input.cookieHeader, app.config) }
}
