import type { Sequence } from './host'

/**
 * Claude's connectors on the web, the desktop and the phone call from Anthropic's network. Order of requests:
 * anthropics/claude-ai-mcp#764 and #680. Registration: anthropics/claude-code#30511. The scope `claudeai` has no effect here:
 * anthropics/claude-ai-mcp#124. The document is https://claude.ai/oauth/mcp-oauth-client-metadata as it was published on
 * 2026-09-21, in the same words (cocoar-dev/modgud, RealWorldClientMetadata.cs; the same on 2026-08-03 and 2026-09-29).
 */
export const claudeAi: Sequence = {
  name: 'Claude (web, desktop, phone)',
  version: 'of 2026-09',
  recordedFrom: {
    document: 'document published on 2026-09-21',
    registered: 'reports to 2026-08; no registration published',
  },
  redirectUri: () => 'https://claude.ai/api/mcp/auth_callback',
  document: () => ({
    url: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    client_name: 'Claude',
    client_uri: 'https://claude.ai',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  registration: redirectUri => ({
    client_name: 'Claude',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  probe: 'POST',
  scope: () => 'claudeai',
  renewal: 'one',
  revision: '2025-11-25',
}
