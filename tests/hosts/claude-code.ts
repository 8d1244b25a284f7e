import type { Sequence } from './host'
import { withOfflineAccess } from './host'

/**
 * Source: the released program (@anthropic-ai/claude-code-linux-x64 2.1.330). It listens on a port between 49152 and 65535 and
 * uses its document only when the path is `/callback`. It adds `offline_access` to the challenged scopes if the server lists it.
 * After a 403, it uses the scopes of that challenge at the next sign-in (anthropics/claude-code#68720).
 * Its document contains no port: anthropics/claude-code#42301. It is https://claude.ai/oauth/claude-code-client-metadata as it was
 * published on 2026-09-21, in the same words (cocoar-dev/modgud, RealWorldClientMetadata.cs).
 */
export const claudeCode: Sequence = {
  name: 'Claude Code',
  version: '2.1.330',
  recordedFrom: { document: 'document published on 2026-09-21', registered: 'program 2.1.330' },
  redirectUri: port => `http://localhost:${port}/callback`,
  document: () => ({
    url: 'https://claude.ai/oauth/claude-code-client-metadata',
    client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
    client_name: 'Claude Code',
    client_uri: 'https://claude.ai',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  registration: redirectUri => ({
    client_name: 'Claude Code (fairway)',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }),
  probe: 'POST',
  scope: found => withOfflineAccess(found.challenged, found),
  renewal: 'one',
  asksForMore: true,
  revision: '2025-11-25',
}
