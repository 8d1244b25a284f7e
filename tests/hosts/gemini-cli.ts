import type { Sequence } from './host'

/**
 * Read in @google/gemini-cli-core 0.61.0, dist/src/mcp: the challenge is looked at with a HEAD; the scopes are all that the
 * authorization server lists; the callback must bring `iss`; `stored-token-provider.js` renews for each call that finds the
 * token over, several at once with the same refresh token, and forgets the connection when one of them fails.
 */
export const geminiCli: Sequence = {
  name: 'Gemini CLI',
  version: '0.61.0',
  redirectUri: port => `http://localhost:${port}/oauth/callback`,
  registration: redirectUri => ({
    client_name: 'Gemini CLI MCP Client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'mcp:read mcp:write mcp:apps offline_access',
  }),
  probe: 'HEAD',
  scope: found => found.serverScopes.join(' '),
  renewal: 'each',
  revision: '2025-11-25',
}
