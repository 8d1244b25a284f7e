import type { Sequence } from './host'

/**
 * Hosts on the Python SDK 1.x (mcp/client/auth): they register `client_secret_post` and believe the answer, which says `none`;
 * they name the resource once the revision is 2025-06-18. One lock makes all calls wait for one renewal.
 */
export const pythonSdk: Sequence = {
  name: 'Python SDK',
  version: '1.x',
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
