import type { App } from '#fairway/server/kernel/app-context'
import { type OAuthClient, refusedClient } from './client'
import { isUrlLike } from './client-id-url'
import { findDocumentClient } from './document-clients'
import { findRegisteredClient } from './registered-clients'

const LONGEST_ID = 2048

/** The client of this id: an address by its metadata document alone (SPEC: Remote endpoint OAuth, rule 2), anything else by its registration. `network` is the address key of whoever asks. Throws OAuthError `invalid_client`. */
export async function findClient(app: App, clientId: string, network: string): Promise<OAuthClient> {
  if (clientId.length > LONGEST_ID) throw refusedClient('The client_id is too long.')
  if (isUrlLike(clientId)) return findDocumentClient(app, clientId, network)
  const client = await findRegisteredClient(app, clientId)
  if (!client) throw refusedClient('This app is not registered here. Remove it from its own settings and add it again.')
  return client
}
