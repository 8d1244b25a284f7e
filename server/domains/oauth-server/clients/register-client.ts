import { countAttempt, limits } from '#server/domains/rate-limits'
import type { App } from '#server/foundation/app-context'
import { addressKey } from '#server/foundation/http/client-address'
import { parseClientMetadata } from './client-metadata'
import { insertClient } from './registered-clients'

/** The answer of a registration (RFC 7591 §3.2.1); a public client is given no secret. */
export interface Registration {
  client_id: string
  /** Seconds since 1970. */
  client_id_issued_at: number
  client_name?: string
  client_uri?: string
  redirect_uris: string[]
  application_type: 'web' | 'native'
  token_endpoint_auth_method: 'none'
  grant_types: string[]
  response_types: ['code']
  scope?: string
}

/** Counts a registration for its network; to be called before its body is read. Throws `rate-limited`. */
export const countRegistration = (app: App, clientAddress: string): Promise<void> =>
  countAttempt(app, limits.oauthRegistrationsPerAddress, addressKey(clientAddress))

/** Registers a public client; throws `invalid_client_metadata` with what to change. */
export async function registerClient(app: App, input: unknown): Promise<Registration> {
  const metadata = parseClientMetadata(input)
  const { id, createdAt } = await insertClient(app, metadata)
  const { name, clientUri, scope } = metadata
  app.log.info('client registered', { client: id, name, redirects: metadata.redirectUris.length })
  return {
    client_id: id,
    client_id_issued_at: Math.floor(createdAt.getTime() / 1000),
    ...(name ? { client_name: name } : {}),
    ...(clientUri ? { client_uri: clientUri } : {}),
    redirect_uris: metadata.redirectUris,
    application_type: metadata.applicationType,
    token_endpoint_auth_method: 'none',
    grant_types: metadata.grantTypes,
    response_types: ['code'],
    ...(scope ? { scope } : {}),
  }
}
