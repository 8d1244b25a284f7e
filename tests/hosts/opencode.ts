import type { Sequence } from './host'

/**
 * Source: packages/opencode/src/mcp/oauth-provider.ts. It has one fixed port and no `application_type`. Scopes and refreshes work
 * as in SDK 1.x, which cannot request more scopes while it has a refresh token (anthropics/claude-code#28258). Every attempt
 * without a token registers again, even a check whether the server is available. Since 2026-09-07 it publishes a document
 * (anomalyco/opencode#47737), which the source above does not use.
 */
export const opencode: Sequence = {
  name: 'opencode',
  version: '1.18.33',
  recordedFrom: { registered: 'source code of 1.18.33' },
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
