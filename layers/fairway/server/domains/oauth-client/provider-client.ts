import type * as OpenIdLibrary from 'openid-client'
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import type { App } from '#fairway/server/kernel/app-context'
import { clientSecretMethod } from '#fairway/server/kernel/http/fetch-json'
import { boundedFetch } from './bounded-fetch'
import type { ConfiguredProvider } from './provider'

/** For all that one request asks of a provider together, so that nobody waits longer than ten seconds. */
export const PROVIDER_LIMIT_IN_MS = 8000
const METADATA_LIFE_IN_MS = 60 * 60 * 1000

type OpenIdClient = typeof OpenIdLibrary

interface Known {
  metadata: ServerMetadata
  until: number
}

/** The library and this application's client at a provider, for one conversation of at most eight seconds; throws when the provider cannot be discovered. */
export async function providerClient(
  app: App,
  provider: ConfiguredProvider,
  signal: AbortSignal = AbortSignal.timeout(PROVIDER_LIMIT_IN_MS),
): Promise<{ client: OpenIdClient; configuration: Configuration }> {
  const client = await import('openid-client')
  const fetch = boundedFetch(app, signal)
  const metadata = await serverMetadata(app, provider, { client, fetch })
  const configuration = new client.Configuration(
    metadata,
    provider.clientId,
    { client_secret: provider.clientSecret, [client.clockTolerance]: 30 },
    clientAuthentication(client, provider, metadata),
  )
  configuration[client.customFetch] = fetch
  // Ours ends the whole conversation; the library's would end each request.
  configuration.timeout = PROVIDER_LIMIT_IN_MS / 1000
  if (isPlain(metadata.token_endpoint ?? metadata.issuer)) client.allowInsecureRequests(configuration)
  // The signature of an ID token is checked although it came over TLS.
  if (provider.openId) client.enableNonRepudiationChecks(configuration)
  return { client, configuration }
}

async function serverMetadata(
  app: App,
  provider: ConfiguredProvider,
  { client, fetch }: { client: OpenIdClient; fetch: CustomFetch },
): Promise<ServerMetadata> {
  const { issuer, endpoints } = provider
  if (!issuer) {
    return {
      issuer: new URL(endpoints?.token ?? '').origin,
      authorization_endpoint: endpoints?.authorization,
      token_endpoint: endpoints?.token,
      revocation_endpoint: endpoints?.revocation,
    }
  }
  const kept = app.memo('connection-metadata', () => new Map<string, Known>())
  const known = kept.get(provider.id)
  const now = app.now().getTime()
  if (known && known.until > now) return known.metadata
  const discovered = await client.discovery(new URL(issuer), provider.clientId, undefined, undefined, {
    [client.customFetch]: fetch,
    execute: isPlain(issuer) ? [client.allowInsecureRequests] : [],
  })
  const metadata = discovered.serverMetadata()
  kept.set(provider.id, { metadata, until: now + METADATA_LIFE_IN_MS })
  return metadata
}

function clientAuthentication(
  client: OpenIdClient,
  { clientAuthentication: declared, clientSecret }: ConfiguredProvider,
  { token_endpoint_auth_methods_supported: announced }: ServerMetadata,
) {
  const method = clientSecretMethod(declared, announced)
  if (method === 'none' || !clientSecret) return client.None()
  return method === 'post' ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret)
}

const isPlain = (address: string): boolean => address.startsWith('http:')
