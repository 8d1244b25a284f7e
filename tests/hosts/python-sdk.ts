import type { Sequence } from './host'

/**
 * Hosts on the Python SDK 1.x (mcp/client/auth) register `client_secret_post` and accept the response, which says `none`.
 * They send the resource from revision 2025-06-18 on. A lock makes all calls wait for one refresh.
 */
export const pythonSdk: Sequence = {
  name: 'Python SDK',
  version: '1.x',
  recordedFrom: { registered: 'source code of 1.x' },
  redirectUri: () => 'http://localhost:3030/callback',
  registration: redirectUri => ({
    client_name: 'Simple Auth Client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  }),
  probe: 'POST',
  scope: found => found.challenged,
  renewal: 'one',
  asksForMore: true,
  revision: '2025-11-25',
}
