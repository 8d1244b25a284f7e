import { leadOn, linkProviderAccount, mintSession } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit, refundRateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { AUTH_PREFIX } from '#fairway/shared/paths'
import { authorizationEndpoint, exchangeCode } from './provider-client'
import { ProviderFailure } from './provider-failure'
import { findSignInProvider } from './provider-registry'
import {
  type Callback,
  checkBinding,
  defineFlow,
  finishRoundTrip,
  startRoundTrip,
  type StartedRoundTrip,
} from './round-trip'

const signInFlow = defineFlow({
  name: 'provider-sign-in',
  cookie: 'provider_state',
  codes: {
    default: 'sign-in-failed',
    cancelled: 'sign-in-cancelled',
    'client-refused': 'sign-in-client-refused',
    'code-refused': 'sign-in-code-refused',
    'verifier-refused': 'sign-in-code-refused',
  },
})

const redirectUriOf = (app: App, id: string): string => `${app.config.baseUrl}${AUTH_PREFIX}/callback/${id}`

interface StartInput {
  provider: string
  /** Where to go after signing in; what is not a path of ours becomes `/`. */
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
}

/** Begins signing in with a provider. Throws `unknown-provider`, `rate-limited`, and `unavailable` when the provider does not answer in five seconds. */
export async function startProviderSignIn(app: App, input: StartInput): Promise<StartedRoundTrip> {
  const provider = findSignInProvider(app, input.provider)
  if (!provider) throw new AppError('unknown-provider')
  await rateLimit(app, limits.providerStartPerAddress, addressKey(input.clientAddress))
  const endpoint = await authorizationEndpoint(app, provider).catch((cause: unknown) => {
    throw new AppError('unavailable', { cause })
  })
  const { id, clientId, signIn } = provider
  const redirectUri = redirectUriOf(app, id)
  return startRoundTrip(app, signInFlow, {
    endpoint,
    provider: id,
    clientId,
    redirectUri,
    parameters: { ...signIn.authorizationParameters, scope: signIn.scopes.join(' ') },
    usesNonce: provider.openId,
    boundTo: [id, clientId, redirectUri],
    returnPath: input.returnPath,
    cookieHeader: input.cookieHeader,
  })
}

interface EndInput extends Callback {
  /** The provider of the callback's path. */
  provider: string
  userAgent: string
}

/** Ends signing in with a provider: a session, or the sign-in page with what went wrong. Throws `rate-limited` alone. */
export function endProviderSignIn(app: App, input: EndInput) {
  const { clientAddress, userAgent, query, language } = input
  const provider = findSignInProvider(app, input.provider)
  return finishRoundTrip(app, signInFlow, input, {
    subject: provider?.id ?? 'unknown',
    async answer(trip) {
      const redirectUri = redirectUriOf(app, input.provider)
      checkBinding(trip, [input.provider, provider?.clientId ?? '', redirectUri])
      if (!provider) throw new ProviderFailure('refused', 'the provider is not configured')
      const { account } = await exchangeCode(
        app,
        provider,
        { ...trip, query, redirectUri },
        provider.signIn.readProfile,
      )
      const profile = { ...account, provider: provider.id }
      const linked = await linkProviderAccount(app, profile)
      const session = await mintSession(app, {
        ...linked,
        provider: provider.id,
        // An address that the account has taken since is not the one that the provider vouches for.
        provesAddress: linked.email === profile.email,
        ipAddress: clientAddress,
        userAgent,
        language,
      })
      return { location: leadOn(session, trip.returnPath), setCookies: [session.cookie] }
    },
    // A client that the provider does not accept is the operator's fault: the user may try again.
    async onFailure({ fault }) {
      if (fault !== 'client-refused') return
      const counted = [limits.providerStartPerAddress, limits.callbackPerAddress]
      await Promise.all(counted.map(limit => refundRateLimit(app, limit, addressKey(clientAddress))))
    },
  })
}
