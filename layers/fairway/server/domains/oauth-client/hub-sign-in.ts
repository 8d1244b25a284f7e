import { z } from 'zod'
import { leadOn, linkVerifiedAddress, mintSession } from '#fairway/server/domains/people'
import { type PeerClaims, PeerTokenError, verifyPeerToken } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import { type HubClientConfig, IDENTITY_CALLBACK_PATH } from '#fairway/server/kernel/config/identity-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { FailedAnswerError, fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { IDENTITY_AUTHORIZE_PATH, IDENTITY_TOKEN_PATH } from '#fairway/shared/paths'
import { claimedEmailSchema } from '#fairway/shared/schemas/email'
import { PROVIDER_LIMIT_IN_MS } from './provider-client'
import { ProviderFailure } from './provider-failure'
import { type Callback, checkBinding, defineFlow, finishRoundTrip, singleParameter, startRoundTrip } from './round-trip'

/** The name of this sign-in method in sessions and linked accounts. */
const PROVIDER = 'hub'

const hubFlow = defineFlow({
  name: 'hub-sign-in',
  cookie: 'identity',
  verifierCookie: { name: 'identity_verifier', path: IDENTITY_CALLBACK_PATH },
})

/** Desktop applications send this in their `User-Agent`. */
const DESKTOP_MARKER = /(?:^|\s)Fairway-Desktop\//

/**
 * Returns the hub that a browser with this `User-Agent` can sign in through, or undefined. A hub that only the application's
 * declaration names is for the desktop. Any client can send the desktop marker, so it is a hint and grants no access.
 */
export function findHubClient({ config }: App, userAgent: string): HubClientConfig | undefined {
  const { client } = config.identity
  if (!client || config.customSignIn) return undefined
  return client.isDesktopOnly && !DESKTOP_MARKER.test(userAgent) ? undefined : client
}

interface StartInput {
  /** Where to go after signing in; `/` when it is not a path of this app. */
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
}

/** Starts signing in through the hub. Throws `not-found` when no hub is configured, and `rate-limited`. */
export async function startHubSignIn(app: App, input: StartInput) {
  const client = requireHubClient(app)
  await rateLimit(app, limits.providerStartPerAddress, addressKey(input.clientAddress))
  return startRoundTrip(app, hubFlow, {
    endpoint: client.url + IDENTITY_AUTHORIZE_PATH,
    provider: PROVIDER,
    clientId: client.clientId,
    redirectUri: client.callbackUrl,
    parameters: { app: client.appId },
    boundTo: bindingOf(client),
    returnPath: input.returnPath,
    cookieHeader: input.cookieHeader,
  })
}

/**
 * Finishes signing in through the hub: creates a session, or redirects to the sign-in page with the error. Throws `rate-limited`,
 * and `not-found` when no hub is configured.
 */
export async function endHubSignIn(app: App, input: Callback & { userAgent: string }) {
  const client = requireHubClient(app)
  const { clientAddress, userAgent, language, cookieHeader } = input
  return finishRoundTrip(app, hubFlow, input, {
    subject: PROVIDER,
    async answer(trip) {
      checkBinding(trip, bindingOf(client))
      const code = requireCode(input.query, client)
      const { email, authProvider, authDomain } = await redeemHubCode(app, client, { code, verifier: trip.verifier })
      const isTrusted = authProvider !== undefined && app.config.identity.trustedProviders.includes(authProvider)
      const provider = isTrusted ? authProvider : PROVIDER
      const linked = await linkVerifiedAddress(app, { email, provider: PROVIDER })
      const session = await mintSession(app, {
        ...linked,
        provider,
        provesAddress: true,
        providerDomain: isTrusted ? authDomain : null,
        ipAddress: clientAddress,
        userAgent,
        language,
        cookieHeader,
      })
      return { location: leadOn(session, trip.returnPath), setCookies: [session.cookie] }
    },
  })
}

function requireHubClient({ config }: App): HubClientConfig {
  const { client } = config.identity
  if (!client) throw new AppError('not-found')
  return client
}

const bindingOf = ({ url, appId, clientId, callbackUrl }: HubClientConfig): string[] => [
  url,
  appId,
  clientId,
  callbackUrl,
]

const CODE = /^[\w.~-]{16,512}$/
const TOKEN_NAME = /token|assertion|jwt/i
const TOKEN_VALUE = /eyJ[\w-]*\.[\w-]+\./

/**
 * Returns the code of the hub's response (RFC 6749 §4.1.2, RFC 9207 `iss`), which must not contain a token. Throws
 * ProviderFailure.
 */
function requireCode(query: URLSearchParams, { url }: HubClientConfig): string {
  if ([...query].some(([name, value]) => TOKEN_NAME.test(name) || TOKEN_VALUE.test(value))) {
    throw new ProviderFailure('refused', 'a token is in the address')
  }
  if (query.getAll('iss').some(issuer => issuer !== url)) {
    throw new ProviderFailure('answer-invalid', 'the answer is from another issuer')
  }
  const error = singleParameter(query, 'error', /^[a-z_]{1,64}$/)
  if (error === 'access_denied') throw new ProviderFailure('cancelled', error)
  if (error) throw new ProviderFailure('refused', `the hub answered ${error}`)
  const code = singleParameter(query, 'code', CODE)
  if (!code) throw new ProviderFailure('refused', 'there is no code')
  return code
}

const answerSchema = z.object({ assertion: z.string().min(1) })
/** The statuses with which a hub refuses a code. Every other status means that it is not a working hub. */
const REFUSALS = [400, 401, 403]

/**
 * Exchanges a code for the hub's assertion, server to server, and returns the person who signed in there. Throws ProviderFailure.
 */
async function redeemHubCode(app: App, client: HubClientConfig, input: { code: string; verifier: string }) {
  const assertion = await askHub(app, client, input)
  const claims = await verifyPeerToken(app, assertion, {
    type: 'identity+jwt',
    audience: client.callbackUrl,
    issuer: client.url,
  }).catch((cause: unknown) => {
    if (!(cause instanceof PeerTokenError)) throw cause
    throw new ProviderFailure('answer-invalid', `the assertion is refused: ${cause.message}`, { cause })
  })
  return personOf(claims, client)
}

async function askHub(
  app: App,
  { url, clientId, callbackUrl }: HubClientConfig,
  { code, verifier }: { code: string; verifier: string },
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: callbackUrl,
  })
  const signal = AbortSignal.timeout(PROVIDER_LIMIT_IN_MS)
  const answer = await fetchJson(app, url + IDENTITY_TOKEN_PATH, { method: 'POST', form, signal }).catch(
    (cause: unknown) => {
      const isRefusal = cause instanceof FailedAnswerError && REFUSALS.includes(cause.status)
      if (isRefusal) throw new ProviderFailure('code-refused', 'the hub refused the code', { cause })
      const message = cause instanceof Error ? cause.message : 'unknown'
      throw new ProviderFailure('unavailable', signal.aborted ? 'the hub did not answer in time' : message, { cause })
    },
  )
  const { data } = answerSchema.safeParse(answer)
  if (data) return data.assertion
  throw new ProviderFailure('answer-invalid', 'the hub answered without an assertion', { code: 'provider-unavailable' })
}

/**
 * Reads the claims that this app accepts from the hub: the verified address and the provider. Callers use the provider only when
 * the operator trusts it.
 */
function personOf(claims: PeerClaims, { clientId }: HubClientConfig) {
  if (claims.client_id !== undefined && claims.client_id !== clientId) {
    throw new ProviderFailure('answer-invalid', 'the assertion is for another client')
  }
  const email = claimedEmailSchema.safeParse(claims.email)
  if (claims.email_verified !== true || !email.success) {
    const reason = email.success ? 'the hub has not verified the address' : 'the hub names no address'
    throw new ProviderFailure('account-refused', reason)
  }
  return { email: email.data, authProvider: textOf(claims.auth_provider), authDomain: textOf(claims.auth_domain) }
}

const textOf = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim : undefined)
