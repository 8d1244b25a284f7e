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
    'http/sessions › answers null without a cookie, with a broken, a forged and an unsigned one',
  ]),
  tested('7.2.2', 'Sessions are made for each sign-in; fixed keys are none.', [
    'http/bearer › signs nobody in, alone or beside the cookie of a session: %s',
    'http/two-factor › makes no session before the code is right',
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
      'http/passkeys › names no account, and makes a session that says how it was proved',
      'unit/domains/sign-in/end-access › lets this browser go on under another token, as who it signed in, and ends all others',
    ],
    'Signing in again, the session that the browser had before lives on until it is ended or over.',
  ),
  tested('7.3.1', 'Sessions end when they are not used.', [
    'http/sessions › is over when its time is up',
    'unit/domains/people/session-rolling › is 30 days from now after a day',
  ]),
  tested('7.3.2', 'Sessions end after a longest time.', [
    'http/sessions › rolls once a day, with a new cookie, and never beyond 180 days from the sign-in',
    'unit/domains/people/session-rolling › never passes 180 days from the sign-in',
  ]),
  tested('7.4.1', 'An ended session opens nothing any more.', [
    'http/sessions › ends the session and takes the cookie away',
    'http/sessions › is over on the next request after the row is gone',
    'http/devices › ends one of mine: it is dead on its next request',
    'unit/domains/sign-in/outdated-sign-in › makes no session by %s, at whatever moment',
    'http/sign-in-races › leaves no session of the old password, in fifty tries at two processes',
  ]),
  tested('7.4.2', 'Switching an account off ends its sessions.', [
    'http/suspension › loses sessions, MCP calls, tokens and open streams at every instance, at once',
    'unit/domains/people/suspension › has no session, and its sign-in says why and until when',
    'unit/domains/sign-in/outdated-sign-in › fails by %s, at whatever moment',
    'unit/domains/sign-in/outdated-sign-in › fails among many that race with it over a slow database, in both orders',
  ]),
  tested('7.4.3', 'Other sessions can be ended after a change of the ways in.', [
    'http/sign-in › needs the old one and ends the other sessions',
    'http/mail-sign-in › is replaced by a link that works once; all sessions end and this browser is signed in',
    'http/devices › ends all others and says how many were live',
    'unit/domains/sign-in/end-access › is not signed in any more once %s',
    'unit/domains/sign-in/end-access › end with a change of password, and stay where the person says so',
  ]),
  tested('7.4.4', 'Signing out is in reach on every page.', [
    'e2e/keyboard › signs in, creates a note, archives it and signs out by keyboard alone',
  ]),
  operators(
    '7.4.5',
    'Administrators end sessions of others.',
    'Owners and admins end memberships and connected apps; sessions are ended by deleting their rows (docs/storage-schema.md).',
  ),
  tested('7.5.1', 'Changing ways in asks for signing in anew.', [
    'http/operations › asks for the role and for a recent sign-in, where it needs them, before it reads anything',
    'http/two-factor › needs the password, and changes nothing before a first code',
    'http/two-factor › switches it off with the password; codes and waiting sign-ins go with it',
  ]),
  tested(
    '7.5.2',
    'People see and end their sessions.',
    [
      'http/devices › lists where I am signed in, the last use first, and never a token',
      'http/devices › ends one of mine: it is dead on its next request',
    ],
    'Ending them does not ask for signing in anew.',
  ),
  tested(
    '7.6.1',
    'Sessions here and at a provider live as documented.',
    ['http/identity-client › leads somebody who is signed in straight on, unless they shall sign in again'],
    'A session that ends at a provider or the hub does not end here.',
  ),
  tested(
    '7.6.2',
    'Nobody is signed in without wanting it.',
    [
      'http/provider-sign-in › is bound to the browser that began, so nobody is signed in as somebody else',
      'http/identity-client › is begun by a browser that goes there only, and only by GET',
    ],
    'Who is signed in at the hub passes through it without a page.',
  ),
]
