import type { Sequence } from './host'

/**
 * Source: src/vs/base/common/oauth.ts and extHostAuthentication.ts. VS Code registers two vscode.dev and two loopback addresses.
 * It receives the redirect on a loopback port of its choice (microsoft/vscode#278512). It sends the resource in the authorization
 * request, but not in token requests. It accepts other scopes than the requested ones. It uses its document since 1.106:
 * elmohq/elmo#684. It requests more scopes when one is missing: microsoft/vscode#269883. The document is
 * https://vscode.dev/oauth/client-metadata.json as it was published on 2026-09-21, in the same words (cocoar-dev/modgud,
 * RealWorldClientMetadata.cs, which has the registration too).
 */
export const vsCode: Sequence = {
  name: 'VS Code',
  version: '1.106 and later',
  recordedFrom: { document: 'document published on 2026-09-21', registered: 'source code of 2026-09-21' },
  redirectUri: port => `http://127.0.0.1:${port}/`,
  document: () => ({
    url: 'https://vscode.dev/oauth/client-metadata.json',
    client_name: 'Visual Studio Code',
    logo_uri: 'https://code.visualstudio.com/assets/branding/code-stable.png',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    client_id: 'https://vscode.dev/oauth/client-metadata.json',
    client_uri: 'https://vscode.dev/product',
    redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
  }),
  registration: () => ({
    client_name: 'Visual Studio Code',
    client_uri: 'https://code.visualstudio.com',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    scope: 'mcp:read mcp:write mcp:apps',
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }),
  probe: 'POST',
  scope: found => found.challenged,
  namesResource: false,
  renewal: 'one',
  asksForMore: true,
  revision: '2025-06-18',
}
