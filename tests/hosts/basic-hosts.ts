import { WEB_REDIRECT } from '../support/oauth-host'
import type { Sequence } from './host'

/**
 * Combines habits of several hosts. Without a secret, they send `Authorization: Basic` with an empty one. Their form contains no
 * client (Snowflake's connectors, modelcontextprotocol/python-sdk#1315; early rmcp, see empty secrets in transport/auth.rs). They
 * request only OpenID Connect scopes (microsoft/vscode#278512) and send no `resource` (revision 2025-03-26).
 */
export const basicHosts: Sequence = {
  name: 'Hosts with Basic and no secret',
  version: 'of 2026-05',
  recordedFrom: { registered: 'reports to 2026-05, nothing published' },
  redirectUri: () => WEB_REDIRECT,
  registration: redirectUri => ({
    client_name: 'Host with Basic',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
  }),
  probe: 'POST',
  scope: () => 'openid profile email',
  namesResource: false,
  namesClient: false,
  tokenHeaders: clientId => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:`).toString('base64')}`,
  }),
  renewal: 'one',
  revision: '2025-03-26',
}
