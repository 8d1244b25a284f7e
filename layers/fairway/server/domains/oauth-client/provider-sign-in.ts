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
})

const redirectUriOf = (app: App, id: string): string => app.config.baseUrl + signInCallbackPath(id)

interface StartInput {
  provider: string
  /** Where to go after signing in; `/` when it is not a path of this app. */
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
  /** Links the provider's account to this person. Without it, the account signs in. */
  linkTo?: LinkTarget
}

/** A signed-in person who links an account, and their session; null when it is not a Fairway session. */
interface LinkTarget {
  userId: string
  sessionId: string | null
}

// Must be equal at the start and the end. A person who links an account must return in the session that started.
const bindingOf = (app: App, provider: string, clientId: string, linkTo?: LinkTarget): string[] => [
  provider,
  clientId,
  redirectUriOf(app, provider),
  ...(linkTo ? [linkTo.userId, linkTo.sessionId ?? ''] : []),
]

/**
 * Starts signing in with a provider, or linking an account there. Throws `unknown-provider`, `rate-limited`, and `unavailable`
 * when the provider does not respond in five seconds.
 */
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
  /** Returns the person who is signed in in this browser now. Called only when an account is linked. */
  findLinkTarget?: () => Promise<LinkTarget | null>
}

/**
 * Finishes signing in with a provider: creates a session, or redirects to the sign-in page with the error. Linking an account
 * redirects to where it started, with `linked` or `link-failed` in the address. Throws only `rate-limited`.
 */
export function endProviderSignIn(app: App, input: EndInput) {
  const { clientAddress, userAgent, query, language, cookieHeader } = input
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
        // The provider does not vouch for an address that the account has changed to since.
        provesAddress: profile.emailVerified && linked.email === profile.email,
        providerDomain: profile.domain,
        ipAddress: clientAddress,
        userAgent,
        language,
        cookieHeader,
      })
      return { location: leadOn(session, trip.returnPath), setCookies: [session.cookie] }
    },
    failedLocation: ({ userId, returnPath }, code) =>
      userId === null ? undefined : withParameter(returnPath, 'link-failed', code),
    // A client that the provider refuses is the operator's fault, so the attempt does not count for the user.
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
