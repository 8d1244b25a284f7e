import type { App } from '#fairway/server/kernel/app-context'
import { fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { ConnectionFailure } from './connection-failure'
import type { ConfiguredProvider, ProviderAccount } from './provider'
import { PROVIDER_LIMIT_IN_MS, providerClient } from './provider-client'
import type { TokenAnswer } from './save-connection'
import { redirectUri } from './start-connection'

interface Callback {
  query: URLSearchParams
  state: string
  codeVerifier: string
  nonce: string
}

/**
 * Checks the answer of a provider (RFC 9207 `iss`, `error`), exchanges its code at the back end, and checks the ID token:
 * signature, issuer, audience, nonce and times. Everything asked of the provider shares eight seconds; throws what the
 * library or the network throws.
 */
export async function exchangeCode(
  app: App,
  provider: ConfiguredProvider,
  { query, state, codeVerifier, nonce }: Callback,
): Promise<{ tokens: TokenAnswer; account?: ProviderAccount }> {
  const signal = AbortSignal.timeout(PROVIDER_LIMIT_IN_MS)
  const { client, configuration } = await providerClient(app, provider, signal)
  // The library sends the address without its query as `redirect_uri`; it must be the registered one, whatever was requested.
  const url = new URL(`${redirectUri(app)}?${query}`)
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
    expectedNonce: provider.openId ? nonce : undefined,
    idTokenExpected: provider.openId,
  })
  if (tokens.token_type.toLowerCase() !== 'bearer') {
    throw new ConnectionFailure('the token is not a bearer token', {
      kind: 'invalid-provider-response',
      code: 'connection-answer-invalid',
    })
  }
  const claims = tokens.claims()
  if (claims) {
    const hasFacts = claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint
    const facts = hasFacts ? {} : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    return { tokens, account: { id: claims.sub, label: label({ ...claims, ...facts }) } }
  }
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const account = await provider.readAccount?.(address => fetchJson(app, address, { headers, signal }))
  return { tokens, account }
}

const label = ({ email, name, preferred_username: username, sub }: Record<string, unknown>): string =>
  [email, username, name, sub].find(text => typeof text === 'string' && text !== '') as string
