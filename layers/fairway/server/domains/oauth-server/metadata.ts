import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { MCP_PATH, OAUTH_PREFIX, SERVER_CARD_PATH, WELL_KNOWN_PREFIX } from '#fairway/shared/paths'
import { DEFAULT_SCOPES, MCP_SCOPES, type Scope, SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { mcpUrl } from './access-token'
import { ASSERTION_GRANT, ASSERTION_PROFILE } from './assertion-grant'
import { CLIENT_CREDENTIALS } from './client-credentials'
import { ASSERTION_ALGORITHMS, AUTH_METHODS } from './clients/client-signing'
import { advertisesDocuments } from './clients/document-outage'
import { DEVICE_GRANT, offersDevices } from './device/device-codes'

interface ChallengeInput {
  /** `invalid_token` for an invalid token, `insufficient_scope` for a missing scope; undefined when no token was sent. */
  error?: 'invalid_token' | 'insufficient_scope' | 'invalid_request'
  /** The required scopes; defaults to the default scopes. */
  scope?: readonly Scope[]
  /** A sentence for the developer, in ASCII without quotes and backslashes. */
  description?: string
}

/** Returns the `WWW-Authenticate` value that leads a host to the metadata (RFC 6750 §3, RFC 9728 §5.1). */
export function mcpChallenge(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { error, scope = DEFAULT_SCOPES, description }: ChallengeInput = {},
): string {
  const parameters = {
    resource_metadata: `${baseUrl}${WELL_KNOWN_PREFIX}/oauth-protected-resource${MCP_PATH}`,
    scope: scope.join(' '),
    error,
    error_description: description,
  }
  const pairs = Object.entries(parameters).flatMap(([name, value]) => (value ? [`${name}="${value}"`] : []))
  return `Bearer ${pairs.join(', ')}`
}

/** How long the two documents may be cached. */
export const METADATA_CACHING = 'public, max-age=300'

/** Returns the metadata of `/mcp`, which names its authorization server (RFC 9728). */
export const protectedResourceMetadata = (config: Pick<Config, 'baseUrl' | 'name'>) => ({
  resource: mcpUrl(config),
  authorization_servers: [config.baseUrl],
  scopes_supported: MCP_SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: config.name,
})

/**
 * Returns the metadata of the authorization server (RFC 8414). Without the lists of authentication methods, hosts would send a
 * secret.
 */
export async function authorizationServerMetadata(app: App) {
  const { baseUrl } = app.config
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${OAUTH_PREFIX}/authorize`,
    token_endpoint: `${baseUrl}${OAUTH_PREFIX}/token`,
    registration_endpoint: `${baseUrl}${OAUTH_PREFIX}/register`,
    revocation_endpoint: `${baseUrl}${OAUTH_PREFIX}/revoke`,
    jwks_uri: `${baseUrl}${OAUTH_PREFIX}/jwks`,
    scopes_supported: SUPPORTED_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    ...(offersDevices(app) ? { device_authorization_endpoint: `${baseUrl}${OAUTH_PREFIX}/device` } : {}),
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ASSERTION_GRANT,
      ...(offersDevices(app) ? [DEVICE_GRANT] : []),
      CLIENT_CREDENTIALS,
    ],
    authorization_grant_profiles_supported: [ASSERTION_PROFILE],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: await advertisesDocuments(app),
  }
}

const OPEN_ENDPOINTS: Record<string, string> = {
  [SERVER_CARD_PATH]: 'GET, HEAD',
  [`${OAUTH_PREFIX}/jwks`]: 'GET, HEAD',
  [`${OAUTH_PREFIX}/register`]: 'POST',
  [`${OAUTH_PREFIX}/token`]: 'POST',
  [`${OAUTH_PREFIX}/revoke`]: 'POST',
  [`${OAUTH_PREFIX}/device`]: 'POST',
}

/**
 * The methods that pages of every origin may use on this path; undefined for paths of this app alone. Cookies never count there.
 */
export const openMethods = (path: string): string | undefined =>
  // Includes unknown documents. A host in a browser tries several of them and must be able to read the 404.
  path.startsWith(`${WELL_KNOWN_PREFIX}/`) ? 'GET, HEAD' : OPEN_ENDPOINTS[path]
