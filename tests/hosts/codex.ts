import { createHash } from 'node:crypto'
import type { Sequence } from './host'

/** Codex's id for a server: codex-rs/rmcp-client/src/perform_oauth_login.rs. */
const callbackId = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest().subarray(0, 9).toString('base64url')

/**
 * Sources: codex-rs/rmcp-client and its library rmcp (transport/auth.rs). The first request is a GET. Codex requests all scopes
 * of the authorization server and ignores the challenge (openai/codex#14419, #15643). A refresh request names the granted scopes
 * and `offline_access`. Concurrent calls share one refresh (oauth/refresh_transaction.rs). The document is
 * https://chatgpt.com/oauth/codex/client.json as it was published in 2026-09, in the same words. Codex uses it, with a callback
 * path that all servers share, where the server sends `iss` (https://developers.openai.com/codex/mcp; seen from 0.154 on,
 * 2026-09-14). It registers with a callback path for each server.
 */
export const codex: Sequence = {
  name: 'Codex',
  version: '0.169.0',
  recordedFrom: { document: 'document published in 2026-09', registered: 'source code of 0.169.0' },
  redirectUri: (port, endpoint, client) =>
    `http://127.0.0.1:${port}/callback${client === 'document' ? '' : `/${callbackId(endpoint)}`}`,
  document: () => ({
    url: 'https://chatgpt.com/oauth/codex/client.json',
    client_id: 'https://chatgpt.com/oauth/codex/client.json',
    client_uri: 'https://chatgpt.com/codex',
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    token_endpoint_auth_method: 'none',
    token_endpoint_auth_methods_supported: ['none'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_name: 'Codex',
    logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
  }),
  registration: redirectUri => ({
    client_name: 'Codex',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    response_types: ['code'],
    scope: 'mcp:read mcp:write mcp:apps offline_access',
    application_type: 'native',
  }),
  probe: 'GET',
  scope: found => found.serverScopes.join(' '),
  refreshScope: granted => (granted.includes('offline_access') ? granted : `${granted} offline_access`),
  renewal: 'one',
  revision: '2025-06-18',
}
