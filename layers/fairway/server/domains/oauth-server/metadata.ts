import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { OAUTH_PREFIX } from '#fairway/shared/paths'
import { MCP_SCOPES, SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { advertisesDocuments } from './clients/document-outage'
import { mcpUrl } from './endpoints'

/** How long the two documents may be kept. */
export const METADATA_CACHING = 'public, max-age=300'

/** The document that leads from `/mcp` to its authorization server (RFC 9728). */
export const protectedResourceMetadata = (config: Pick<Config, 'baseUrl' | 'name'>) => ({
  resource: mcpUrl(config),
  authorization_servers: [config.baseUrl],
  scopes_supported: MCP_SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: config.name,
})

/** The document of the authorization server (RFC 8414). Without the lists of methods, hosts would bring a secret. */
export async function authorizationServerMetadata(app: App) {
  return { ...describe(app.config), client_id_metadata_document_supported: await advertisesDocuments(app) }
}

const describe = ({ baseUrl }: Pick<Config, 'baseUrl'>) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}${OAUTH_PREFIX}/authorize`,
  token_endpoint: `${baseUrl}${OAUTH_PREFIX}/token`,
  registration_endpoint: `${baseUrl}${OAUTH_PREFIX}/register`,
  revocation_endpoint: `${baseUrl}${OAUTH_PREFIX}/revoke`,
  jwks_uri: `${baseUrl}${OAUTH_PREFIX}/jwks`,
  scopes_supported: SUPPORTED_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
})
