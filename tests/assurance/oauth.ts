import { absent, type Requirement, tested } from './requirement'

const client: readonly Requirement[] = [
  tested('10.1.1', 'Tokens go where they are needed only.', [
    'http/identity-client › keeps every token out of addresses, responses and the log',
    'unit/domains/oauth-client/connect › contains state, S256 challenge and nonce, and no secrets',
    'http/provider-sign-in › stores no tokens of the provider',
  ]),
  tested('10.1.2', 'Answers of a provider belong to what this browser began.', [
    'unit/domains/oauth-client/connect › rejects a state without its cookie, used twice, expired, or of another account',
    'http/provider-sign-in › is bound to the browser that started, so other visitors are not signed in to this account',
  ]),
  tested('10.2.1', 'Another site cannot end a way that it did not begin.', [
    'http/provider-sign-in › is rejected when it is %j',
    'http/connections › shows invalid-state when another browser opens the callback',
  ]),
  tested('10.2.2', 'The answer of one provider is not taken for that of another.', [
    'http/provider-sign-in › is rejected with another provider’s issuer (mix-up), or without the issuer that the provider promises',
    'unit/domains/oauth-client/connect › rejects a response of another issuer (mix-up)',
  ]),
]

const resource: readonly Requirement[] = [
  tested('10.3.1', 'The endpoint takes tokens that are for it.', [
    'unit/domains/oauth-server/access › is rejected when our own key signed it for another purpose',
  ]),
  tested('10.3.2', 'What a token opens follows from its person and scopes.', [
    'unit/domains/mcp/scopes › with %j returns 403 and the scopes required by %s of %j',
    'unit/domains/mcp/scopes › returns each account’s own data for concurrent calls with the same message id',
  ]),
  tested('10.3.3', 'People are known by an id that is never given to another.', [
    'unit/domains/oauth-server/access › returns the current email and role of the person',
  ]),
  tested('10.3.4', 'Where a sign-in method is required, the token must prove it.', [
    'unit/domains/oauth-server/tokens › works with a required provider only when that provider’s session approved the connection',
  ]),
]

const server: readonly Requirement[] = [
  tested(
    '10.4.1',
    'Redirect addresses are compared to the letter.',
    [
      'unit/domains/oauth-server/redirect-uri › rejects an authorization request with %s',
      'unit/domains/oauth-server/redirect-uri › ignores the loopback port for native apps only',
    ],
    'The port of a native app on the visitor’s own computer is free (RFC 8252).',
  ),
  tested('10.4.2', 'A code works once; a second use ends what came from it.', [
    'unit/domains/oauth-server/tokens › revokes its own tokens, but no others, when it is used again by %s',
    'http/oauth-races › exchanges a code once and keeps its connection when its client sends 50 exchanges at once',
  ]),
  tested('10.4.3', 'A code lives ten minutes at most.', ['unit/domains/oauth-server/tokens › expires after a minute']),
  tested('10.4.4', 'No token is issued in an address or for a password.', [
    'unit/domains/oauth-server/tokens › gets unsupported_grant_type for another grant type',
    'unit/domains/oauth-server/authorize › GET /mcp/oauth/authorize: error redirect after the client and redirect URI are verified › rejects a request with %s',
  ]),
  tested('10.4.5', 'A stolen refresh token is noticed.', [
    'unit/domains/oauth-server/tokens › ends the connection when it is used again, and the log names client, account and age',
    'unit/domains/oauth-server/tokens › starts for each token when that token is replaced',
    'http/oauth-races › replaces a refresh token once and revokes its family when the replay window is zero',
    'unit/domains/oauth-server/tokens › applies to the token’s own client only, and reuse by another client ends the connection',
  ]),
  tested('10.4.6', 'PKCE with S256 is required.', [
    'unit/domains/oauth-server/authorize › GET /mcp/oauth/authorize: error redirect after the client and redirect URI are verified › rejects a request with %s',
    'unit/domains/oauth-server/tokens › is used up by a wrong verifier',
  ]),
  tested('10.4.7', 'Apps that register themselves are checked, and people are warned.', [
    'unit/domains/oauth-server/client-metadata › refuses redirect_uris with %s as invalid_redirect_uri',
    'unit/domains/oauth-server/client-metadata › refuses metadata %s as invalid_client_metadata',
    'unit/domains/oauth-server/register › allows 60 new registrations per network and hour, then returns 429 with Retry-After',
    'unit/domains/oauth-server/authorize › shows the app, the account, the organization, the redirect host and that the app is unverified',
    'unit/domains/oauth-server/authorize › warns when the app’s name does not match the host that it redirects to',
  ]),
  tested('10.4.8', 'Refresh tokens have a final expiry.', [
    'unit/domains/oauth-server/tokens › expires after 30 days without use, and after 90 days in any case',
  ]),
  tested('10.4.9', 'People end what they have allowed.', [
    'unit/domains/oauth-server/token-requests › can be ended once and only by their owner, and access ends on the next call',
    'components/connect › are listed with their permissions and revoked by a second press',
  ]),
  absent('10.4.10', 'Clients with a secret prove it.', 'No client has one; a client that sends one is refused.'),
  tested('10.4.11', 'Clients get the scopes they need.', [
    'unit/domains/oauth-server/authorize › grants the ticked scopes and ignores mcp:apps when it was not requested',
    'unit/domains/oauth-server/tokens › can narrow the scope for one answer, but never widen it',
  ]),
]

const openId: readonly Requirement[] = [
  tested('10.5.1', 'An ID token belongs to this very sign-in.', [
    'http/provider-sign-in › is rejected with an ID token %s',
  ]),
  tested('10.5.2', 'Users of a provider are identified by a subject that it never reassigns.', [
    'unit/domains/people/link-provider-account › signs in through an existing link, even with an address that %s',
  ]),
  tested('10.5.3', 'The description of a provider names the provider that was configured.', [
    'unit/domains/oauth-client/provider-sign-in › rejects an issuer with plain http URLs or with the metadata of another issuer',
  ]),
  tested('10.5.4', 'An ID token is for us.', ['http/provider-sign-in › is rejected with an ID token %s']),
  absent('10.5.5', 'Signing out by a provider’s message is safe.', 'Providers do not sign anybody out here.'),
  absent(
    '10.6.1',
    'As an OpenID provider, only codes are given.',
    'This is no OpenID provider; the identity hub issues codes.',
  ),
  absent('10.6.2', 'As an OpenID provider, forced sign-outs are prevented.', 'This is no OpenID provider.'),
]

const consent: readonly Requirement[] = [
  tested('10.7.1', 'People consent to each request.', [
    'unit/domains/oauth-server/authorize › prompt=none returns login_required when signed out and consent_required when consent is needed',
    'unit/domains/oauth-server/authorize › is rejected when it is %s',
  ]),
  tested('10.7.2', 'They see what they consent to.', [
    'unit/domains/oauth-server/authorize › shows the app, the account, the organization, the redirect host and that the app is unverified',
    'unit/domains/oauth-server/authorize › ticks the expected boxes when an app asks for %s',
  ]),
  tested(
    '10.7.3',
    'They look at, change and take back what they have allowed.',
    [
      'unit/domains/oauth-server/token-requests › are listed with their permissions and without tokens',
      'unit/domains/oauth-server/token-requests › can be ended once and only by their owner, and access ends on the next call',
    ],
    'Other scopes are given by connecting the app again.',
  ),
]

export const oauth: readonly Requirement[] = [...client, ...resource, ...server, ...openId, ...consent]
