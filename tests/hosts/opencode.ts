import type { Sequence } from './host'

/**
 * packages/opencode/src/mcp/oauth-provider.ts: one fixed port, no `application_type`, and the SDK's 1.x way with scopes and renewals, which cannot ask for more while there is a refresh token (anthropics/claude-code#28258). Every try
 * without a token registers again, also the one that only looks whether the server is there.
 */
export const opencode: Sequence = {
  name: 'opencode',
  version: '1.18.33',
  redirectUri: () => 'http://127.0.0.1:19876/mcp/oauth/callback',
  registration: redirectUri => ({
    redirect_uris: [redirectUri],
    client_name: 'OpenCode',
    client_uri: 'https://opencode.ai',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  registersAgain: true,
  probe: 'POST',
  scope: found => found.challenged,
  renewal: 'each',
  revision: '2025-11-25',
}
