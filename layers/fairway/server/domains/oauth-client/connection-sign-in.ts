// The round trip to the OpenID provider of an organization. Each connection has its own redirect address, so that one issuer can
// never answer for another (RFC 9700 §4.4.2.2).
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { outsideFetch } from '#fairway/server/kernel/http/outside-fetch'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit, refundRateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { connectionProvider } from '#fairway/shared/connection-provider'
import { connectionCallbackPath } from '#fairway/shared/paths'
import { assertionKeys } from './client-assertion-keys'
import { type ConnectedPerson, toConnectedPerson } from './connected-person'
import type { ConfiguredProvider } from './define-provider'
import type { OpenIdClaims } from './known-providers'
import { authorizationEndpoint, exchangeCode, findIssuer, findKeys } from './provider-client'
import { ProviderFailure } from './provider-failure'
import { type Callback, checkBinding, defineFlow, finishRoundTrip, startRoundTrip, withParameter } from './round-trip'

const flow = defineFlow({ name: 'connection-sign-in', cookie: 'sso_state' })

/** The client of this application at an organization's provider. */
export interface ConnectionClient {
  /** The ID of the connection. */
  id: string
  name: string
  issuer: string
  clientId: string
  /** Undefined for `private_key_jwt`. */
  clientSecret?: string
}

/** The same app, whose requests reach public addresses only, and the operators' `FW_ISSUER_ORIGINS`. */
const outside = (app: App): App => ({ ...app, fetch: outsideFetch(app, app.config.issuerOrigins) })

const toProvider = (app: App, { id, name, issuer, clientId, clientSecret }: ConnectionClient): ConfiguredProvider => ({
  id: connectionProvider(id),
  name,
  issuer,
  clientId,
  clientSecret,
  scopes: ['openid', 'email', 'profile'],
  grant: 'authorization_code',
  openId: true,
  authorizationParameters: {},
  assertionKey: clientSecret === undefined ? assertionKeys(app)[0] : undefined,
})

const redirectUriOf = (app: App, id: string): string => app.config.baseUrl + connectionCallbackPath(id)

const bindingOf = (app: App, { id, issuer, clientId }: ConnectionClient): string[] => [
  id,
  issuer,
  clientId,
  redirectUriOf(app, id),
]

/**
 * The issuer that an address describes (OpenID Connect Discovery 1.0 §4), as it names itself. Throws `invalid-input` for the field
 * (`path`) with the reason.
 */
export async function readIssuer(
  app: App,
  typed: string,
  path: 'issuer' | 'assertionIssuers' = 'issuer',
): Promise<string> {
  const refuse = (message: string) => new AppError('invalid-input', { errors: [{ path, message }] })
  const issuer = typed.trim().replace(/\/\.well-known\/openid-configuration$/, '')
  if (!URL.canParse(issuer)) throw refuse('Enter the address of the issuer. It begins with https://.')
  const { origin, hostname, pathname, search, hash } = new URL(issuer)
  const isTrusted = app.config.issuerOrigins.includes(origin)
  if (!issuer.startsWith('https://') && !isTrusted) throw refuse('An issuer begins with https://.')
  if (search || hash) throw refuse('An issuer has no query and no fragment.')
  if (hostname === 'login.microsoftonline.com' && /^\/(common|organizations|consumers)(\/|$)/.test(pathname))
    throw refuse('Name your tenant: https://login.microsoftonline.com/<tenant ID>/v2.0')
  try {
    if (path === 'assertionIssuers') return (await findKeys(outside(app), issuer)).issuer
    return await findIssuer(outside(app), issuer)
  } catch (error) {
    app.log.info('the issuer of a connection was refused', {
      issuer,
      reason: error instanceof Error ? error.message : '',
    })
    throw refuse('No OpenID provider answers there. Check the address, and that it can be reached from the internet.')
  }
}

const KEYS_LIMIT_IN_MS = 5000

/** Fetches the keys of an issuer (RFC 7517) from the address in its metadata. Throws when either fails. */
export async function fetchIssuerKeys(app: App, issuer: string): Promise<unknown> {
  const asker = outside(app)
  const { jwks_uri: address } = await findKeys(asker, issuer)
  return fetchJson(asker, address, { signal: AbortSignal.timeout(KEYS_LIMIT_IN_MS) })
}

interface StartInput {
  returnPath: unknown
  clientAddress: string
  cookieHeader?: string
  /** The address that the person typed, for the provider's own form. */
  loginHint?: string
  /** The admin who tests the connection. Without it, the person signs in. */
  testedBy?: string
}

/** Starts a sign-in or a test. Throws `rate-limited`, and `provider-unavailable` when the provider does not answer in 5 seconds. */
export async function startConnectionSignIn(app: App, client: ConnectionClient, input: StartInput) {
  await rateLimit(app, limits.connectionStartPerAddress, addressKey(input.clientAddress))
  const provider = toProvider(app, client)
  const endpoint = await authorizationEndpoint(outside(app), provider).catch((cause: unknown) => {
    throw new AppError('provider-unavailable', { cause })
  })
  return startRoundTrip(app, flow, {
    endpoint,
    provider: provider.id,
    clientId: client.clientId,
    redirectUri: redirectUriOf(app, client.id),
    parameters: {
      scope: provider.scopes.join(' '),
      ...(input.loginHint ? { login_hint: input.loginHint } : {}),
      // A session at the provider would hide how people sign in there.
      ...(input.testedBy ? { prompt: 'login' } : {}),
    },
    usesNonce: true,
    boundTo: bindingOf(app, client),
    userId: input.testedBy,
    returnPath: input.returnPath,
    cookieHeader: input.cookieHeader,
  })
}

/** A finished round trip. */
interface Answered {
  person: ConnectedPerson
  /** The admin who tests the connection; null for a sign-in. */
  testedBy: string | null
  returnPath: string
}

/**
 * Finishes a round trip: state, `iss`, code, ID token with its issuer, audience, nonce and times. `answer` gets the claims. A
 * failure leads to the sign-in page, or to where the test began, with its code. Throws `rate-limited`.
 */
export const endConnectionSignIn = (
  app: App,
  client: ConnectionClient | undefined,
  callback: Callback,
  answer: (answered: Answered) => Promise<{ location: string; setCookies?: string[] }>,
) =>
  finishRoundTrip(app, flow, callback, {
    subject: client && connectionProvider(client.id),
    async answer(trip) {
      if (!client) throw new ProviderFailure('refused', 'there is no such connection', { code: 'no-connection' })
      checkBinding(trip, bindingOf(app, client))
      const redirectUri = redirectUriOf(app, client.id)
      const exchanged = { ...trip, query: callback.query, redirectUri }
      const read = async ({ claims }: { claims?: OpenIdClaims }) => {
        if (!claims) throw new Error('there is no ID token')
        return claims
      }
      const { account: claims } = await exchangeCode(outside(app), toProvider(app, client), exchanged, read)
      const person = toConnectedPerson(client, claims)
      // A good answer does not count for its network, which a whole company may share.
      await refundRateLimit(app, limits.callbackPerAddress, addressKey(callback.clientAddress))
      return answer({ person, testedBy: trip.userId, returnPath: trip.returnPath })
    },
    failedLocation: ({ userId, returnPath }, code) =>
      userId === null ? undefined : withParameter(returnPath, 'test-failed', code),
  })
