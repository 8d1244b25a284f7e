import type { Sequence } from './host'
import { withOfflineAccess } from './host'

/**
 * Source: crates/goose/src/oauth/mod.rs on rmcp 3.2. Goose has a document since 1.32; it registered before and still does without
 * document support (aaif-goose/goose#9670). It refreshes at each start with the granted scopes and has its own callback path. The
 * document is https://goose-docs.ai/oauth/client-metadata.json as it was published on 2026-09-21, in the same words
 * (cocoar-dev/modgud, RealWorldClientMetadata.cs).
 */
export const goose: Sequence = {
  name: 'Goose',
  version: '1.32 and later',
  recordedFrom: { document: 'document published on 2026-09-21', registered: 'source code of 1.32' },
  redirectUri: port => `http://127.0.0.1:${port}/oauth_callback`,
  document: () => ({
    url: 'https://goose-docs.ai/oauth/client-metadata.json',
    client_id: 'https://goose-docs.ai/oauth/client-metadata.json',
    client_name: 'goose',
    logo_uri: 'https://goose-docs.ai/img/logo_light.png',
    redirect_uris: ['http://127.0.0.1/oauth_callback', 'http://[::1]/oauth_callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    code_challenge_methods_supported: ['S256'],
  }),
  registration: redirectUri => ({
    client_name: 'goose',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    response_types: ['code'],
    scope: 'mcp:read mcp:write mcp:apps offline_access',
    application_type: 'native',
  }),
  probe: 'GET',
  scope: found =>
    withOfflineAccess([...new Set([...found.challenged.split(' '), ...found.resourceScopes])].join(' '), found),
  refreshScope: granted => (granted.includes('offline_access') ? granted : `${granted} offline_access`),
  renewal: 'one',
  revision: '2025-11-25',
}
