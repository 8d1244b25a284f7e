import type { Sequence } from './host'

/**
 * ChatGPT apps call from OpenAI's network. Each app has its own callback: danielealbano/android-remote-control-mcp#166.
 * Documents, registration and the repeated `resource` in every request: https://developers.openai.com/plugins/build/auth.
 * ChatGPT requests the metadata at the endpoint's path first (getsentry/sentry-mcp#742).
 */
export const chatGpt: Sequence = {
  name: 'ChatGPT',
  version: 'of 2026-08',
  redirectUri: () => 'https://chatgpt.com/connector/oauth/OUbdUMlL15Ct',
  document: () => ({
    url: 'https://chatgpt.com/oauth/OUbdUMlL15Ct/client.json',
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector/oauth/OUbdUMlL15Ct'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  registration: redirectUri => ({
    client_name: 'ChatGPT',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }),
  probe: 'POST',
  scope: found => found.resourceScopes.join(' '),
  renewal: 'one',
  revision: '2025-11-25',
}
