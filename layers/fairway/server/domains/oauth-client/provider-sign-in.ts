import {
  leadOn,
  linkProviderAccount,
  linkToPerson,
  mintSession,
  type ProviderProfile,
  tellOwner,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit, refundRateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { signInCallbackPath } from '#fairway/shared/paths'
import { authorizationEndpoint, exchangeCode } from './provider-client'
import { ProviderFailure } from './provider-failure'
import { findSignInProvider } from './provider-registry'
import { type Callback, checkBinding, defineFlow, finishRoundTrip, startRoundTrip, withParameter } from './round-trip'

const signInFlow = defineFlow({
  name: 'provider-sign-in',
  cookie: 'provider_state',
  codes: {
    default: 'sign-in-failed',
    cancelled: 'sign-in-cancelled',
    'client-refused': 'sign-in-client-refused',
    'code-refused': 'sign-in-code-refused',
    'verifier-refused': 'sign-in-code-refused',
    'redirect-refused': 'invalid-redirect-uri',
    'state-invalid': 'invalid-state',
  },
})

const redirectUriOf = (app: App, id: string): string => app.config.baseUrl + signInCallbackPath(id)

interface StartInput {
  provider: string
  /** Where to go after signing in; what is not a path of ours becomes `/`. */
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
  /** Whose account the provider's is to be linked to; without it, it signs in. */
  linkTo?: LinkTarget
}

/** A signed-in person who links an account, and their session; null where that is not one of ours. */
interface LinkTarget {
  userId: string
  sessionId: string | null
}

// What is the same at both ends: who links an account comes back in the very session that asked.
const bindingOf = (app: App, provider: string, clientId: string, linkTo?: LinkTarget): string[] => [
  provider,
  clientId,
  redirectUriOf(app, provider),
  ...(linkTo ? [linkTo.userId, linkTo.sessionId ?? ''] : []),
]

/** Begins signing in with a provider, or linking an account there. Throws `unknown-provider`, `rate-limited`, and `unavailable` when the provider does not answer in five seconds. */
export async function startProviderSignIn(app: App, input: StartInput) {
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
    boundTo: bindingOf(app, id, clientId, input.linkTo),
    userId: input.linkTo?.userId,
    returnPath: input.returnPath,
    cookieHeader: input.cookieHeader,
  })
}

interface EndInput extends Callback {
  /** The provider of the callback's path. */
  provider: string
  userAgent: string
  /** Who is signed in in this browser now; asked for where an account is linked. */
  findLinkTarget?: () => Promise<LinkTarget | null>
}

/**
 * Ends signing in with a provider: a session, or the sign-in page with what went wrong. Where an account was to be linked it leads
 * back to where that began, with `linked` or `link-failed` in the address. Throws `rate-limited` alone.
 */
export function endProviderSignIn(app: App, input: EndInput) {
  const { clientAddress, userAgent, query, language } = input
  const provider = findSignInProvider(app, input.provider)
  return finishRoundTrip(app, signInFlow, input, {
    subject: provider?.id ?? 'unknown',
    async answer(trip) {
      const redirectUri = redirectUriOf(app, input.provider)
      const linkTo = trip.userId === null ? null : await input.findLinkTarget?.()
      if (trip.userId !== null && !linkTo) throw new ProviderFailure('state-invalid', 'the session has ended')
      checkBinding(trip, bindingOf(app, input.provider, provider?.clientId ?? '', linkTo ?? undefined))
      if (!provider) throw new ProviderFailure('refused', 'the provider is not configured')
      const answer = { ...trip, query, redirectUri }
      const { account } = await exchangeCode(app, provider, answer, provider.signIn.readProfile)
      const profile = { ...account, provider: provider.id }
      if (linkTo) return { location: await link(app, linkTo, profile, trip.returnPath) }
      const linked = await linkProviderAccount(app, profile)
      const session = await mintSession(app, {
        ...linked,
        provider: provider.id,
        // An address that the account has taken since is not the one that the provider vouches for.
        provesAddress: profile.emailVerified && linked.email === profile.email,
        providerDomain: profile.domain,
        ipAddress: clientAddress,
        userAgent,
        language,
      })
      return { location: leadOn(session, trip.returnPath), setCookies: [session.cookie] }
    },
    failedLocation: ({ userId, returnPath }, code) =>
      userId === null ? undefined : withParameter(returnPath, 'link-failed', code),
    // A client that the provider does not accept is the operator's fault: the user may try again.
    async onFailure({ fault }) {
      if (fault !== 'client-refused') return
      const counted = [limits.providerStartPerAddress, limits.callbackPerAddress]
      await Promise.all(counted.map(limit => refundRateLimit(app, limit, addressKey(clientAddress))))
    },
  })
}

async function link(app: App, target: LinkTarget, profile: ProviderProfile, returnPath: string): Promise<string> {
  const { provider } = profile
  const isNew = await linkToPerson(app, target, profile)
  if (isNew) tellOwner(app, target.userId, 'account-linked', provider)
  return withParameter(returnPath, 'linked', provider)
}
