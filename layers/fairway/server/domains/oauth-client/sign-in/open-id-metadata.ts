import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import type { OpenIdProvider } from '#fairway/server/kernel/config/sign-in-config'
import { fetchJson } from '#fairway/server/kernel/http/fetch-json'

const LIFE_IN_MS = 60 * 60 * 1000

const endpoint = z.url({ protocol: /^https?$/ })
const metadataSchema = z.object({
  issuer: endpoint,
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  jwks_uri: endpoint,
  userinfo_endpoint: endpoint.optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
})

/** How an issuer describes itself (OpenID Connect Discovery 1.0 §3). */
export type OpenIdMetadata = z.output<typeof metadataSchema>

interface Known {
  metadata: OpenIdMetadata
  until: number
}

/** The description of an issuer, kept for an hour; throws when it cannot be had or describes another issuer. */
export async function openIdMetadata(app: App, provider: OpenIdProvider, signal: AbortSignal): Promise<OpenIdMetadata> {
  const kept = app.memo('open-id-metadata', () => new Map<string, Known>())
  const known = kept.get(provider.id)
  if (known && known.until > app.now().getTime()) return known.metadata
  const metadata = await fetchMetadata(app, provider.issuer, signal)
  kept.set(provider.id, { metadata, until: app.now().getTime() + LIFE_IN_MS })
  return metadata
}

async function fetchMetadata(app: App, issuer: string, signal: AbortSignal): Promise<OpenIdMetadata> {
  const plain = issuer.replace(/\/$/, '')
  const metadata = metadataSchema.parse(await fetchJson(app, `${plain}/.well-known/openid-configuration`, { signal }))
  // Discovery §4.3: an issuer describes nobody but itself. The slash at the end is a common slip in configurations.
  if (metadata.issuer.replace(/\/$/, '') !== plain) throw new Error(`${plain} describes another issuer`)
  if (issuer.startsWith('https:')) checkEncrypted(metadata)
  return metadata
}

function checkEncrypted({ token_endpoint, jwks_uri, userinfo_endpoint = 'https:', ...rest }: OpenIdMetadata): void {
  const addresses = [token_endpoint, jwks_uri, userinfo_endpoint, rest.authorization_endpoint]
  if (addresses.some(address => !address.startsWith('https:')))
    throw new Error(`${rest.issuer} names plain http addresses`)
}
