import type { Sequence } from './host'

/**
 * ChatGPT apps call from OpenAI's network. Registration and the repeated `resource` in every request:
 * https://developers.openai.com/plugins/build/auth. The document is https://chatgpt.com/oauth/client.json as it was published on
 * 2026-10-06, in the same words (django-oauth/django-oauth-toolkit#1857, 2026-09-20). ChatGPT uses it and its stable callback
 * where the server sends `iss` (https://developers.openai.com/plugins/changelog, 2026-08-21). It signs its token requests where
 * the server offers that, for the token endpoint as audience (Artexis10/exomem#380, 2026-08-07).
 * ChatGPT requests the metadata at the endpoint's path first (getsentry/sentry-mcp#742).
 */
export const chatGpt: Sequence = {
  name: 'ChatGPT',
  version: 'of 2026-10',
  recordedFrom: {
    document: 'document published on 2026-10-06',
    registered: 'OpenAI’s guide and reports to 2026-08; no registration published',
  },
  redirectUri: () => 'https://chatgpt.com/connector_platform_oauth_redirect',
  document: () => ({
    url: 'https://chatgpt.com/oauth/client.json',
    client_id: 'https://chatgpt.com/oauth/client.json',
    client_uri: 'https://chatgpt.com/',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_name: 'ChatGPT',
    logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
    token_endpoint_auth_signing_alg: 'RS256',
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
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
