import { absent, type Requirement, tested } from './requirement'

const client: readonly Requirement[] = [
  tested('10.1.1', 'Tokens go where they are needed only.', [
    'http/identity-client › keeps every token out of addresses, answers and the log',
    'unit/domains/oauth-client/connect › carries state, S256 challenge and nonce, and nothing secret',
    'http/provider-sign-in › keeps no token of the provider',
  ]),
  tested('10.1.2', 'Answers of a provider belong to what this browser began.', [
    'unit/domains/oauth-client/connect › refuses a state without its cookie, used twice, too old, or of somebody else',
    'http/provider-sign-in › is bound to the browser that began, so nobody is signed in as somebody else',
  ]),
  tested('10.2.1', 'Another site cannot end a way that it did not begin.', [
    'http/provider-sign-in › is refused when it is %j',
    'http/connections › is told as an invalid state when another browser brings the answer',
  ]),
  tested('10.2.2', 'The answer of one provider is not taken for that of another.', [
    'http/provider-sign-in › with the issuer of another is refused (mix-up), and so is one without where it was promised',
    'unit/domains/oauth-client/connect › refuses an answer of another issuer (mix-up)',
  ]),
]

const resource: readonly Requirement[] = [
  tested('10.3.1', 'The endpoint takes tokens that are for it.', [
    'unit/domains/oauth-server/access › what our own key signed for another purpose is refused',
  ]),
  tested('10.3.2', 'What a token opens follows from its person and scopes.', [
    'unit/domains/mcp/scopes › with %j is told what %s of %j needs',
    'unit/domains/mcp/scopes › answers each of two people with their own, for the same message id at once',
  ]),
  tested('10.3.3', 'People are known by an id that is never given to another.', [
    'unit/domains/oauth-server/access › says the address and role that the person has now',
  ]),
  tested('10.3.4', 'Where a way of signing in is asked for, the token must have it.', [
    'unit/domains/oauth-server/tokens › goes on where the session that approved it was made by the provider that is asked for, and nowhere else',
  ]),
]

const server: readonly Requirement[] = [
  tested(
    '10.4.1',
    'Redirect addresses are compared to the letter.',
    [
      'unit/domains/oauth-server/redirect-uri › refuses %s',
      'unit/domains/oauth-server/redirect-uri › frees the port for native applications only',
    ],
    'The port of a native app on the visitor’s own computer is free (RFC 8252).',
  ),
  tested('10.4.2', 'A code works once; a second use ends what came from it.', [
    'unit/domains/oauth-server/tokens › that comes again ends what came from it, and nothing else of the person',
    'http/oauth-races › exchange one code once at most, and leave nothing of it alive',
  ]),
  tested('10.4.3', 'A code lives ten minutes at most.', ['unit/domains/oauth-server/tokens › ends after a minute']),
  tested('10.4.4', 'Nobody gets a token in an address or for a password.', [
    'unit/domains/oauth-server/tokens › that asks for another grant type is told so',
    'http/oauth-authorize › once both are proven, the client is told › with %s',
  ]),
  tested('10.4.5', 'A stolen refresh token is noticed.', [
    'unit/domains/oauth-server/tokens › that comes again ends the whole family, and says who and how old',
    'unit/domains/oauth-server/tokens › lasts for each token from its own replacement on',
    'http/oauth-races › replace one refresh token once, and leave nothing of the family alive',
    'unit/domains/oauth-server/tokens › is for the client that the token was given to: another one that brings a used token ends the family',
  ]),
  tested('10.4.6', 'PKCE with S256 is asked for.', [
    'http/oauth-authorize › once both are proven, the client is told › with %s',
    'unit/domains/oauth-server/tokens › is used up by a wrong verifier',
  ]),
  tested('10.4.7', 'Apps that register themselves are checked, and people are warned.', [
    'http/oauth-register › is refused with %s',
    'http/oauth-register › one network registers sixty times an hour, and is told when to come back',
    'http/oauth-authorize › names the app, the account, the organization, where it leads, and that nobody vouches for it',
    'http/oauth-authorize › warns where the name of an app does not say whose address gets the access',
  ]),
  tested('10.4.8', 'Refresh tokens end for good some day.', [
    'unit/domains/oauth-server/tokens › ends after 30 days unused, and after 90 days in any case',
  ]),
  tested('10.4.9', 'People end what they have allowed.', [
    'http/oauth-tokens › are ended by their person alone, on the next call, and only once',
    'e2e/connect › are listed with what they may do, and ended by a second click',
  ]),
  absent('10.4.10', 'Clients with a secret prove it.', 'No client has one; who brings one is refused.'),
  tested('10.4.11', 'Clients get the scopes they need.', [
    'http/oauth-authorize › grants what is ticked and nothing that was not asked for',
    'unit/domains/oauth-server/tokens › narrows the scope for one answer only, and never widens it',
  ]),
]

const openId: readonly Requirement[] = [
  tested('10.5.1', 'An ID token belongs to this very sign-in.', [
    'http/provider-sign-in › with an ID token %s is refused',
  ]),
  tested('10.5.2', 'People of a provider are known by what it never gives to another.', [
    'unit/domains/people/link-provider-account › signs in by a link that exists, also with an address that %s',
  ]),
  tested('10.5.3', 'The description of a provider names the provider that was configured.', [
    'unit/domains/oauth-client/provider-sign-in › refuses an issuer that names plain http addresses or describes another',
  ]),
  tested('10.5.4', 'An ID token is for us.', ['http/provider-sign-in › with an ID token %s is refused']),
  absent('10.5.5', 'Signing out by a provider’s message is safe.', 'Providers do not sign anybody out here.'),
  absent(
    '10.6.1',
    'As an OpenID provider, only codes are given.',
    'This is no OpenID provider; what the identity hub gives is a code.',
  ),
  absent('10.6.2', 'As an OpenID provider, nobody is signed out by others.', 'This is no OpenID provider.'),
]

const consent: readonly Requirement[] = [
  tested('10.7.1', 'People consent to each request.', [
    'http/oauth-authorize › none is refused when nobody is signed in, and when somebody would have to be asked',
    'http/oauth-authorize › that is %s is refused',
  ]),
  tested('10.7.2', 'They are told to what.', [
    'http/oauth-authorize › names the app, the account, the organization, where it leads, and that nobody vouches for it',
    'http/oauth-authorize › asked for %s, has these boxes ticked',
  ]),
  tested(
    '10.7.3',
    'They look at, change and take back what they have allowed.',
    [
      'http/oauth-tokens › are listed with what they may do, without any token',
      'http/oauth-tokens › are ended by their person alone, on the next call, and only once',
    ],
    'Other scopes are given by connecting the app again.',
  ),
]

export const oauth: readonly Requirement[] = [...client, ...resource, ...server, ...openId, ...consent]
