import { createHash } from 'node:crypto'
import type { Sequence } from './host'

/** Codex's id for a server: codex-rs/rmcp-client/src/perform_oauth_login.rs. */
const callbackId = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest().subarray(0, 9).toString('base64url')

/**
 * Sources: codex-rs/rmcp-client and its library rmcp (transport/auth.rs). The first request is a GET. Codex requests all scopes
 * of the authorization server and ignores the challenge (openai/codex#14419, #15643). A refresh request names the granted scopes
 * and `offline_access`. Since 0.148, each server has its own document (openai/codex#38089). Concurrent calls share one refresh
 * (oauth/refresh_transaction.rs).
 */
export const codex: Sequence = {
  name: 'Codex',
  version: '0.169.0',
  redirectUri: (port, endpoint) => `http://127.0.0.1:${port}/callback/${callbackId(endpoint)}`,
  document: endpoint => ({
    url: `https://chatgpt.com/oauth/codex/${callbackId(endpoint)}/client.json`,
    client_name: 'Codex',
    application_type: 'native',
    redirect_uris: [
      `http://127.0.0.1/callback/${callbackId(endpoint)}`,
      `http://localhost/callback/${callbackId(endpoint)}`,
    ],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
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
