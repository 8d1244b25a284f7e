import type { Sequence } from './host'

/**
 * Claude's connectors on the web, the desktop and the phone call from Anthropic's network. Order of requests:
 * anthropics/claude-ai-mcp#764 and #680. Registration: anthropics/claude-code#30511. The scope `claudeai` has no effect here:
 * anthropics/claude-ai-mcp#124. The document has no `application_type`.
 */
export const claudeAi: Sequence = {
  name: 'Claude (web, desktop, phone)',
  version: 'of 2026-08',
  redirectUri: () => 'https://claude.ai/api/mcp/auth_callback',
  document: () => ({
    url: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    client_name: 'Claude',
    client_uri: 'https://claude.ai',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    grant_types: ['authorization_code', 'refresh_token'],
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
