import type { App } from '#fairway/server/kernel/app-context'
import { toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { safeReturnPath } from '#fairway/shared/return-path'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { findProvider } from './find-provider'
import { issueState } from './provider-state'
import { signInStateCookie } from './sign-in-state-cookie'

const LIMIT_IN_MS = 5000

interface StartInput {
  provider: string
  /** Where to go after signing in; what is not a path of ours becomes `/`. */
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
}

/**
 * Begins signing in with a provider: `url` is where the browser goes next, `setCookie` binds the way back to this browser for
 * ten minutes. Throws `unknown-provider`, `rate-limited`, and `unavailable` when the provider does not answer in five seconds.
 */
export async function startProviderSignIn(app: App, input: StartInput): Promise<{ url: string; setCookie: string }> {
  const provider = findProvider(app, input.provider)
  if (!provider) throw new AppError('unknown-provider')
  await rateLimit(app, limits.providerStartPerAddress, addressKey(input.clientAddress))
  const request = await provider.authorizationRequest(AbortSignal.timeout(LIMIT_IN_MS)).catch((cause: unknown) => {
    throw new AppError('unavailable', { cause })
  })
  const returnPath = safeReturnPath(input.returnPath, app.config.baseUrl)
  const issued = await issueState(app, { provider: provider.id, returnPath })
  const url = new URL(request.url)
  const parameters = {
    ...request.parameters,
    client_id: provider.clientId,
    redirect_uri: provider.redirectUri,
    response_type: 'code',
    state: issued.state,
    code_challenge: toCodeChallenge(issued.codeVerifier),
    code_challenge_method: 'S256',
    ...(provider.usesNonce ? { nonce: issued.nonce } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, setCookie: signInStateCookie.with(issued.state, input.cookieHeader, app.config) }
}
