import { designed, documented, operators, type Requirement, tested } from './requirement'

export const sessions: readonly Requirement[] = [
  documented(
    '7.1.1',
    'It is documented how long sessions live, and why.',
    ['SECURITY.md#what-is-promised'],
    'Thirty days unused and 180 at most are longer than NIST SP 800-63B has it for higher assurance; that is not argued for.',
  ),
  documented('7.1.2', 'It is documented how many sessions an account has.', ['SECURITY.md#what-is-promised']),
  documented('7.1.3', 'It is documented how sessions follow those of other systems.', [
    'docs/guides/identity-hub-client.md',
    'docs/guides/identity-hub.md',
    'docs/guides/desktop.md',
  ]),
  tested('7.2.1', 'The server verifies sessions.', [
    'http/sessions › returns null without a cookie and with a broken, forged or unsigned one',
  ]),
  tested('7.2.2', 'Sessions are made for each sign-in; fixed keys are none.', [
    'http/bearer › does not authenticate, with or without a session cookie: %s',
    'http/two-factor › creates no session before the code is correct',
  ]),
  designed(
    '7.2.3',
    'Session tokens are unique and random.',
    'Every session is made by `auth-library/mint-session.ts`, with a token of 256 random bits that is unique in its table.',
  ),
  tested(
    '7.2.4',
    'Signing in makes a new session and ends the one before.',
    [
      'http/passkeys › requires no account name and creates a session that records the sign-in method',
      'unit/domains/sign-in/end-access › keeps this session with its provider under a new token, and ends all others',
    ],
    'Signing in again, the session that the browser had before lives on until it is ended or over.',
  ),
  tested('7.3.1', 'Sessions end when they are not used.', [
    'http/sessions › returns null after the session expires',
    'unit/domains/people/session-rolling › returns 30 days from now when a day has passed',
  ]),
  tested('7.3.2', 'Sessions end after a longest time.', [
    'http/sessions › renews the session once a day with a new cookie, up to 180 days after sign-in',
    'unit/domains/people/session-rolling › never exceeds 180 days after the sign-in',
  ]),
  tested('7.4.1', 'An ended session grants no access.', [
    'http/sessions › ends the session and deletes the cookie',
    'http/sessions › returns null on the next request after the row is deleted',
    'http/devices › ends another session of the account, which fails on its next request',
    'unit/domains/sign-in/outdated-sign-in › creates no session by %s, at any moment of the reset',
    'http/sign-in-races › leaves no session of the old password in 50 attempts at two processes',
  ]),
  tested('7.4.2', 'Switching an account off ends its sessions.', [
    'http/suspension › loses sessions, MCP calls, tokens and open streams on every instance immediately',
    'unit/domains/people/suspension › loses its sessions, and its sign-in returns 403 with the reason and end',
    'unit/domains/sign-in/outdated-sign-in › fails by %s, at any moment of the suspension',
    'unit/domains/sign-in/outdated-sign-in › fails for twenty sign-ins that race with the suspension over a slow database',
  ]),
  tested('7.4.3', 'Other sessions can be ended after sign-in methods change.', [
    'unit/domains/sign-in/sign-in › requires the old password and ends other sessions',
    'http/mail-sign-in › replaces the password once, ends all sessions and signs this browser in',
    'http/devices › ends all other sessions and returns how many were active',
    'unit/domains/sign-in/end-access › is not signed in after %s',
    'unit/domains/sign-in/end-access › lose access when the password changes, unless the person keeps them',
  ]),
  tested('7.4.4', 'Signing out is in reach on every page.', [
    'e2e/keyboard › a person signs in, creates a note, archives it and signs out with the keyboard alone',
  ]),
  operators(
    '7.4.5',
    'Administrators end sessions of others.',
    'Owners and admins end memberships and connected apps; sessions are ended by deleting their rows (docs/storage-schema.md).',
  ),
  tested('7.5.1', 'Changing sign-in methods requires a new sign-in.', [
    'unit/operations › checks its required role and recent sign-in before it reads the body',
    'http/two-factor › requires the password and changes nothing before the first code',
    'http/two-factor › switch two-factor off after the password is confirmed, and remove codes and waiting sign-ins',
  ]),
  tested(
    '7.5.2',
    'People see and end their sessions.',
    [
      'http/devices › lists the sessions of the account by last use and never returns a token',
      'http/devices › ends another session of the account, which fails on its next request',
    ],
    'Ending them requires no new sign-in.',
  ),
  tested(
    '7.6.1',
    'Sessions here and at a provider live as documented.',
    ['http/identity-client › redirects signed-in people to the return path unless they ask to sign in again'],
    'A session that ends at a provider or the hub does not end here.',
  ),
  tested(
    '7.6.2',
    'A session starts only after the user acts.',
    [
      'http/provider-sign-in › is bound to the browser that started, so other visitors are not signed in to this account',
      'http/identity-client › starts only with a GET navigation of a browser',
    ],
    'Who is signed in at the hub passes through it without a page.',
  ),
]
