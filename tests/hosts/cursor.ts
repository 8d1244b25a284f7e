import type { Sequence } from './host'

/**
 * Cursor registers three addresses at once; if one is refused, the attempt fails: soflyy/agent-connector-for-wp#111,
 * erp-mafia/accounted#2225 (2026-09-03). The desktop app uses the address with its own scheme as a public client
 * (different-ai/openwork#3059, 2026-07-23; elie222/inbox-zero#3784, 2026-09-17). It publishes no document.
 */
export const cursor: Sequence = {
  name: 'Cursor',
  version: 'of 2026-09',
  recordedFrom: { registered: 'reports to 2026-09, nothing published' },
  redirectUri: () => 'cursor://anysphere.cursor-mcp/oauth/callback',
  registration: () => ({
    client_name: 'Cursor',
    redirect_uris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  probe: 'POST',
  scope: found => found.challenged,
  renewal: 'one',
  revision: '2025-06-18',
}
