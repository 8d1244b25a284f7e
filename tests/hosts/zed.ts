import type { Sequence } from './host'

/**
 * Source: crates/context_server/src/oauth.rs (zed-industries/zed#51768). It requires S256 and an exact issuer, registers at every
 * sign-in because its port changes, and also registers with the scopes of the challenge. The document is
 * https://zed.dev/oauth/client-metadata.json as it was published on 2026-09-21, in the same words (cocoar-dev/modgud,
 * RealWorldClientMetadata.cs).
 */
export const zed: Sequence = {
  name: 'Zed',
  version: 'of 2026-09',
  recordedFrom: { document: 'document published on 2026-09-21', registered: 'source code of 2026-09' },
  redirectUri: port => `http://127.0.0.1:${port}/callback`,
  document: () => ({
    url: 'https://zed.dev/oauth/client-metadata.json',
    client_id: 'https://zed.dev/oauth/client-metadata.json',
    client_name: 'Zed',
    client_uri: 'https://zed.dev',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    logo_uri: 'https://cdn.zed.dev/images/logo-dark.png',
  }),
  registration: redirectUri => ({
    client_name: 'Zed',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'mcp:read mcp:write',
  }),
  probe: 'POST',
  scope: found => found.challenged,
  renewal: 'one',
  revision: '2025-11-25',
}
