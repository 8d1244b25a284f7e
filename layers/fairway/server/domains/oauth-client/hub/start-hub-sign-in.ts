import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { IDENTITY_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { beginFlow } from './flow-cookies'
import { issueIdentityState } from './identity-state'

interface StartInput {
  /** Where to go after signing in; what is not a path of ours becomes `/`. */
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
}

/**
 * Begins signing in through the hub: `url` is where the browser goes next, `setCookies` bind the way back to this browser for
 * ten minutes. Throws `not-found` where there is no hub, and `rate-limited`.
 */
export async function startHubSignIn(app: App, input: StartInput): Promise<{ url: string; setCookies: string[] }> {
  const { client } = app.config.identity
  if (!client) throw new AppError('not-found')
  await rateLimit(app, limits.providerStartPerAddress, addressKey(input.clientAddress))
  const returnPath = safeReturnPath(input.returnPath, app.config.baseUrl)
  const { state, verifier, codeChallenge } = await issueIdentityState(app, client, returnPath)
  const parameters = new URLSearchParams({
    response_type: 'code',
    app: client.appId,
    client_id: client.clientId,
    redirect_uri: client.callbackUrl,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
  const { cookieHeader } = input
  return {
    url: `${client.url}${IDENTITY_AUTHORIZE_PATH}?${parameters}`,
    setCookies: beginFlow(app, { state, verifier, cookieHeader }),
  }
}
