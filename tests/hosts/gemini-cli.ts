import type { Sequence } from './host'

/**
 * Source: @google/gemini-cli-core 0.61.0, dist/src/mcp. It reads the challenge with a HEAD request, requests all scopes of the
 * authorization server, and requires `iss` in the callback. With an expired token, each call refreshes separately with the same
 * refresh token (`stored-token-provider.js`). It deletes the connection when one refresh fails.
 */
export const geminiCli: Sequence = {
  name: 'Gemini CLI',
  version: '0.61.0',
  recordedFrom: { registered: 'program 0.61.0' },
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
