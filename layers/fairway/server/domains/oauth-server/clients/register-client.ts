import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit, refundRateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { type ClientMetadata, parseClientMetadata } from './client-metadata'
import { fingerprintOf, findSameClient, insertClient } from './registered-clients'

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

/** Counts a request to be registered for its network; to be called before its body is read. Throws `rate-limited`. */
export const countRegistration = (app: App, clientAddress: string): Promise<void> =>
  rateLimit(app, limits.oauthRegistrationRequestsPerAddress, addressKey(clientAddress))

/**
 * Registers a public client. Some hosts register at every try to connect: who says the same from the same network within a day is the
 * client that it was. Throws `invalid_client_metadata` with what to change, and `rate-limited` for too many new ones.
 */
export async function registerClient(app: App, input: unknown, clientAddress: string): Promise<Registration> {
  const metadata = parseClientMetadata(input)
  const network = addressKey(clientAddress)
  const fingerprint = fingerprintOf(app, metadata, network)
  const { id, createdAt } =
    (await findSameClient(app, fingerprint)) ?? (await addClient(app, metadata, { fingerprint, network }))
  const { name, clientUri, scope } = metadata
  return {
    client_id: id,
    client_id_issued_at: Math.floor(createdAt / 1000),
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

async function addClient(
  app: App,
  metadata: ClientMetadata,
  { fingerprint, network }: { fingerprint: string; network: string },
) {
  await rateLimit(app, limits.oauthRegistrationsPerAddress, network)
  const client = await insertClient(app, metadata, fingerprint)
  if (client.isNew) {
    const { name, redirectUris } = metadata
    app.log.info('client registered', { client: client.id, name, redirects: redirectUris.length })
  } else await refundRateLimit(app, limits.oauthRegistrationsPerAddress, network)
  return client
}
