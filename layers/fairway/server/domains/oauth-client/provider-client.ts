import type * as OpenIdLibrary from 'openid-client'
import type { Configuration, CustomFetch, ExportedJWKSCache } from 'openid-client'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { createCache } from '#fairway/server/kernel/cache'
import { fetchJson, readAnswer } from '#fairway/server/kernel/http/fetch-json'
import type { ConfiguredProvider, AskProvider } from './define-provider'
import { jsonOf } from '#fairway/server/kernel/declaration'
import type { OpenIdClaims } from './known-providers'
import { ProviderFailure, refusalSchema, toProviderFailure } from './provider-failure'

/** The limit for all requests of one conversation with a provider, so that no browser waits longer than ten seconds. */
export const PROVIDER_LIMIT_IN_MS = 8000
/** The limit for finding the address that a browser is sent to. */
const START_LIMIT_IN_MS = 5000
const METADATA_LIFE_IN_MS = 60 * 60 * 1000
const CLOCK_TOLERANCE_IN_SECONDS = 30
const MOST_CHARACTERS_OF_A_SUBJECT = 255

/** The response of a provider's token endpoint; times in seconds (RFC 6749 §5.1). */
export interface TokenAnswer {
  access_token: string
  refresh_token?: string
  expires_in?: number
  token_type: string
  scope?: string
}

interface AuthorizationAnswer {
  /** The query of the callback, unchanged. */
  query: URLSearchParams
  state: string
  verifier: string
  nonce: string
  /** Must equal the one of the authorization request. */
  redirectUri: string
}

/**
 * Checks a provider's response (RFC 9207 `iss`, `error`) and exchanges its code on the server. Then checks the ID token
 * (signature, issuer, audience, nonce, times; OpenID Connect Core §3.1.3.7) and reads the account with `read`. All requests to
 * the provider share eight seconds. Throws ProviderFailure.
 */
export async function exchangeCode<Account>(
  app: App,
  provider: ConfiguredProvider,
  answer: AuthorizationAnswer,
  read: (granted: { claims?: OpenIdClaims; ask: AskProvider }) => Promise<Account>,
): Promise<{ tokens: TokenAnswer; account: Account }> {
  try {
    const signal = AbortSignal.timeout(PROVIDER_LIMIT_IN_MS)
    const { client, configuration, discovered } = await providerClient(app, provider, signal)
    const { issuer, userinfo_endpoint: userinfo } = configuration.serverMetadata()
    // The library sends this address without its query as `redirect_uri`, so it must be the registered one and not the requested
    // URL.
    const url = new URL(`${answer.redirectUri}?${provider.issuer ? answer.query : withoutIssuer(answer.query, issuer)}`)
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: answer.verifier,
      expectedState: answer.state,
      expectedNonce: provider.openId ? answer.nonce : undefined,
      idTokenExpected: provider.openId,
    })
    discovered.keys = client.getJwksCache(configuration)
    if (tokens.token_type.toLowerCase() !== 'bearer') {
      throw new ProviderFailure('answer-invalid', 'the token is not a bearer token')
    }
    const ask: AskProvider = (address, headers) =>
      fetchJson(app, address, { headers: { ...headers, authorization: `Bearer ${tokens.access_token}` }, signal })
    const claims = checkSubject(tokens.claims(), provider)
    const all = claims && claims.email === undefined && userinfo ? await withUserInfo(claims, ask, userinfo) : claims
    return { tokens, account: await read({ claims: all, ask }) }
  } catch (error) {
    throw toProviderFailure(error)
  }
}

/** A provider without a configured issuer may send any path of its origin as `iss` (GitHub does). Another origin is refused. */
function withoutIssuer(query: URLSearchParams, origin: string): URLSearchParams {
  const isOther = query.getAll('iss').some(issuer => !URL.canParse(issuer) || new URL(issuer).origin !== origin)
  if (isOther) throw new ProviderFailure('answer-invalid', 'the answer is from another issuer')
  return new URLSearchParams([...query].filter(([name]) => name !== 'iss'))
}

/** Two checks that the library omits: `azp` counts with a single audience too, and a subject has at most 255 characters. */
function checkSubject(claims: OpenIdClaims | undefined, { clientId }: ConfiguredProvider): OpenIdClaims | undefined {
  if (claims?.azp !== undefined && claims.azp !== clientId) {
    throw new ProviderFailure('answer-invalid', 'the token was made for another client')
  }
  if (claims && (claims.sub === '' || claims.sub.length > MOST_CHARACTERS_OF_A_SUBJECT)) {
    throw new ProviderFailure('answer-invalid', 'the token names no subject')
  }
  return claims
}

const userInfoSchema = z.looseObject({ sub: z.string() })

/** Adds the claims of the userinfo endpoint. Its subject must equal that of the ID token (OpenID Connect Core §5.3.2). */
async function withUserInfo(claims: OpenIdClaims, ask: AskProvider, address: string): Promise<OpenIdClaims> {
  const facts = userInfoSchema.parse(await ask(address))
  if (facts.sub !== claims.sub) throw new ProviderFailure('answer-invalid', 'the userinfo is of another subject')
  return { ...facts, ...claims }
}

/**
 * Returns the library and this application's client at a provider, for one conversation of at most eight seconds. Throws when
 * discovery fails.
 */
export async function providerClient(
  app: App,
  provider: ConfiguredProvider,
  signal: AbortSignal = AbortSignal.timeout(PROVIDER_LIMIT_IN_MS),
): Promise<{ client: typeof OpenIdLibrary; configuration: Configuration; discovered: Discovered }> {
  const [client, discovered] = await Promise.all([import('openid-client'), discover(app, provider, signal)])
  const { metadata } = discovered
  const configuration = new client.Configuration(
    metadata,
    provider.clientId,
    { client_secret: provider.clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_IN_SECONDS },
    await clientAuthentication(client, provider, metadata),
  )
  configuration[client.customFetch] = boundedFetch(app, signal)
  // Our signal ends the whole conversation; the library's timeout would apply to each request.
  configuration.timeout = PROVIDER_LIMIT_IN_MS / 1000
  if (metadata.token_endpoint.startsWith('http:')) client.allowInsecureRequests(configuration)
  // The signature of an ID token is checked although it came over TLS. The library caches the keys for five minutes.
  if (provider.openId) client.enableNonRepudiationChecks(configuration)
  if (discovered.keys) client.setJwksCache(configuration, discovered.keys)
  return { client, configuration, discovered }
}

/** The parts of the app that discovery needs. */
type Asker = Pick<App, 'fetch' | 'memo' | 'now'>

/**
 * Returns the endpoint that browsers are sent to. Throws when the provider has none, or when discovery fails or takes over five
 * seconds.
 */
export async function authorizationEndpoint(app: Asker, provider: ConfiguredProvider): Promise<string> {
  const { metadata } = await discover(app, provider, AbortSignal.timeout(START_LIMIT_IN_MS))
  const { authorization_endpoint: endpoint } = metadata
  if (!endpoint) throw new Error('the provider has no authorization endpoint')
  return endpoint
}

const endpoint = z.url({ protocol: /^https?$/ })
/** Accepted signatures of what a provider signs. All of them use a key pair, so the public key cannot create one. */
export const SIGNATURES = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const metadataSchema = z.object({
  issuer: endpoint,
  authorization_endpoint: endpoint.optional(),
  token_endpoint: endpoint,
  jwks_uri: endpoint.optional(),
  userinfo_endpoint: endpoint.optional(),
  revocation_endpoint: endpoint.optional(),
  id_token_signing_alg_values_supported: z
    .array(z.string())
    .transform(names => names.filter(name => SIGNATURES.includes(name)))
    .optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
})

type Metadata = z.output<typeof metadataSchema>

interface Discovered {
  metadata: Metadata
  /** The issuer's keys, as exported by the library. */
  keys?: ExportedJWKSCache
  until: number
}

/** Returns the provider's metadata (OpenID Connect Discovery 1.0 §3), cached for an hour, or its declared endpoints. */
async function discover(
  app: Asker,
  { issuer, endpoints }: ConfiguredProvider,
  signal: AbortSignal,
): Promise<Discovered> {
  if (!issuer) {
    const { authorization, token = '', revocation } = endpoints ?? {}
    const metadata = {
      issuer: new URL(token).origin,
      authorization_endpoint: authorization,
      token_endpoint: token,
      revocation_endpoint: revocation,
    }
    return { metadata, until: Infinity }
  }
  const discovered = app.memo('provider-metadata', () => createCache<Discovered>('provider-metadata'))
  const known = discovered.get(issuer)
  if (known && known.until > app.now().getTime()) return known
  const metadata = await fetchMetadata(app, issuer, signal, metadataSchema)
  const fresh = { metadata, until: app.now().getTime() + METADATA_LIFE_IN_MS }
  discovered.set(issuer, fresh)
  return fresh
}

/** The issuer at an address, as its metadata names it. Throws when the address describes none. */
export const findIssuer = async (app: Asker, issuer: string): Promise<string> =>
  (await fetchMetadata(app, issuer, AbortSignal.timeout(START_LIMIT_IN_MS), metadataSchema)).issuer

const keyMetadataSchema = z.object({ issuer: endpoint, jwks_uri: endpoint })

/** The same for an issuer that nobody signs in at, with the address of its keys. */
export const findKeys = (app: Asker, issuer: string) =>
  fetchMetadata(app, issuer, AbortSignal.timeout(START_LIMIT_IN_MS), keyMetadataSchema)

async function fetchMetadata<Wanted extends { issuer: string }>(
  app: Asker,
  issuer: string,
  signal: AbortSignal,
  schema: z.ZodType<Wanted>,
): Promise<Wanted> {
  const plain = issuer.replace(/\/$/, '')
  const metadata = schema.parse(await fetchJson(app, `${plain}/.well-known/openid-configuration`, { signal }))
  // Discovery §4.3: the metadata must name this issuer. A trailing slash is a common slip in configurations.
  if (metadata.issuer.replace(/\/$/, '') !== plain) throw new Error(`${plain} describes another issuer`)
  const isPlain = Object.values(metadata).some(value => typeof value === 'string' && !value.startsWith('https:'))
  if (issuer.startsWith('https:') && isPlain) throw new Error(`${plain} names plain http addresses`)
  return metadata
}

/** How the client sends its secret: as declared, else in form fields unless the issuer announces only the header. */
async function clientAuthentication(
  client: typeof OpenIdLibrary,
  { clientAuthentication: declared, clientSecret, assertionKey }: ConfiguredProvider,
  { token_endpoint_auth_methods_supported: announced = [] }: Metadata,
) {
  if (assertionKey) return client.PrivateKeyJwt(await toCryptoKey(assertionKey))
  if (declared === 'none' || !clientSecret) return client.None()
  const isBasic = announced.includes('client_secret_basic') && !announced.includes('client_secret_post')
  return (declared ?? (isBasic ? 'basic' : 'post')) === 'basic'
    ? client.ClientSecretBasic(clientSecret)
    : client.ClientSecretPost(clientSecret)
}

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' }
const toCryptoKey = async ({ kid, privateJwk }: NonNullable<ConfiguredProvider['assertionKey']>) => ({
  key: await crypto.subtle.importKey('jwk', privateJwk, ES256, false, ['sign']),
  kid,
})

const disguisedRefusal = refusalSchema.extend({ access_token: z.never().optional() })

/**
 * Returns a fetch for requests to providers: responses of at most 256 KiB, no redirects, one signal for the whole conversation.
 * It reads the whole body before it returns, so the signal also ends a slow body.
 */
function boundedFetch(app: Pick<App, 'fetch'>, signal: AbortSignal): CustomFetch {
  return async (url, { method, headers, body }) => {
    const form = body instanceof URLSearchParams || typeof body === 'string' ? body : undefined
    const answer = await app.fetch(url, { method, headers, body: form, redirect: 'manual', signal })
    const text = await readAnswer(answer, new URL(url).host)
    const isEmpty = [101, 204, 205, 304].includes(answer.status)
    // GitHub sends errors with status 200.
    const isRefusal = method === 'POST' && answer.ok && disguisedRefusal.safeParse(jsonOf(text)).success
    return new Response(isEmpty ? null : text, { status: isRefusal ? 400 : answer.status, headers: answer.headers })
  }
}
