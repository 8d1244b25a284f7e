import { absent, designed, documented, operators, type Requirement, tested } from './requirement'

const ways: readonly Requirement[] = [
  documented('6.1.1', 'It is documented how guessing is limited without shutting owners out.', [
    'docs/guides/devices.md#limits',
  ]),
  documented('6.1.2', 'It is documented which personal words passwords may not contain.', [
    'docs/guides/sign-in.md#passwords',
  ]),
  documented('6.1.3', 'Every way to sign in is documented with its strength.', [
    'docs/guides/sign-in.md',
    'docs/guides/second-factors.md',
    'docs/guides/providers.md',
  ]),
]

const passwords: readonly Requirement[] = [
  tested('6.2.1', 'Passwords have eight characters at least.', [
    'unit/domains/people/password-policy › counts code points: 11 are too few, 12 and 128 are accepted, 129 are too many',
    'unit/domains/sign-in/sign-in › returns 400 for a password of %s',
  ]),
  tested('6.2.2', 'People can change their password.', [
    'unit/domains/sign-in/sign-in › requires the old password and ends other sessions',
  ]),
  tested('6.2.3', 'Changing it needs the old one.', [
    'unit/domains/sign-in/sign-in › requires the old password and ends other sessions',
  ]),
  tested(
    '6.2.4',
    'The most common passwords are refused.',
    ['unit/domains/people/password-policy › refuses the common password %j'],
    'Of the 49,000 on the list only some hundreds are as long as the policy requires; the others count as beginnings.',
  ),
  tested('6.2.5', 'No kinds of characters are required.', [
    'unit/domains/people/password-policy › requires no digits, capitals or symbols',
  ]),
  tested('6.2.6', 'The field hides the password.', [
    'unit/domains/sign-in/sign-in › hides the password and allows password managers and pasting',
  ]),
  tested('6.2.7', 'Pasting and password managers work.', [
    'unit/domains/sign-in/sign-in › hides the password and allows password managers and pasting',
  ]),
  tested(
    '6.2.8',
    'The password is compared as it was typed.',
    ['unit/kernel/crypto/password › verifies only the right password and uses a new salt for each hash'],
    'Unicode is normalized first (NFKC), so that two keyboards write the same password.',
  ),
  tested('6.2.9', 'Passwords may have 64 characters.', [
    'unit/domains/people/password-policy › counts code points: 11 are too few, 12 and 128 are accepted, 129 are too many',
  ]),
  designed('6.2.10', 'Passwords do not end by time.', 'Passwords never expire.'),
  tested('6.2.11', 'Own words make no password.', [
    'unit/domains/people/password-policy › refuses %j, which is based on the person or the product',
  ]),
  tested(
    '6.2.12',
    'Passwords are compared with those of known breaches.',
    [
      'unit/domains/people/breached-passwords › refuses a breached password, and sends the service only five digits of its hash',
      'unit/domains/people/breached-passwords › accepts a password within three seconds when the service %s, and logs it without the hash',
    ],
    'Only where `FW_BREACHED_PASSWORDS` names a service, which is off by default; without it, and while the service does not answer, only the shipped list of common passwords counts.',
  ),
]

const general: readonly Requirement[] = [
  tested('6.3.1', 'Guessing is limited as documented.', [
    'http/rate-limits › is stopped after five attempts, even from many networks and with 60 at once',
    'http/rate-limits › is stopped after 30 attempts at any accounts, not counting successful sign-ins',
    'http/rate-limits › can sign in at once from a known network, while strangers get no more attempts',
  ]),
  tested('6.3.2', 'There are no default accounts.', [
    'http/start › is not created or offered when NODE_ENV is %s',
    'http/start › is rejected when its database is opened in production',
  ]),
  tested(
    '6.3.3',
    'Everybody signs in with more than one factor.',
    [
      'http/second-factor-policy › closes sessions, actions, tokens and MCP only to members without a second factor after the grace period',
      'http/second-factor-policy › limits a person without a second factor to their account and to setting one up',
      'unit/domains/organizations/second-factor › accepts a passkey or a password with two-factor authentication, but no second factor of a provider',
      'unit/domains/organizations/second-factor › rejects tokens and programs of people without a second factor after the grace period, until they add one',
      'unit/domains/organizations/second-factor › stays closed to a session, a token and an app that proved only the password before the account turned two factors on',
    ],
    'Only while the installation (`FW_REQUIRE_SECOND_FACTOR`) or the organization requires it, and after the days of grace.',
  ),
  tested('6.3.4', 'All ways to sign in are known, and as strong as documented.', [
    'unit/domains/sign-in/sign-in › returns 404 for other endpoints of the library',
    'http/two-factor › requires the code in this browser, in a waiting browser and after a password reset',
    'http/bearer › does not authenticate, with or without a session cookie: %s',
  ]),
  absent(
    '6.4.1',
    'First passwords and codes that we make are random and end.',
    'No password is made for anybody; accounts begin by a link or by the person’s own password.',
  ),
  absent('6.4.2', 'There are no hints and secret questions.', 'There are none.'),
  tested('6.4.3', 'Resetting a forgotten password does not bypass the second factor.', [
    'http/two-factor › requires the code in this browser, in a waiting browser and after a password reset',
    'http/mail-sign-in › replaces the password once, ends all sessions and signs this browser in',
  ]),
  operators(
    '6.4.4',
    'Who loses a factor is identified as well as when it was set up.',
    'Backup codes, passkeys and providers are the ways around a lost authenticator app; beyond them an operator who is sure who asks deletes the row (docs/guides/second-factors.md).',
  ),
]

const codes: readonly Requirement[] = [
  tested('6.5.1', 'Codes and links work once.', [
    'http/two-factor › accepts a code once, and no older code afterwards',
    'http/two-factor › accepts each backup code once, with or without its hyphen',
    'http/mail-sign-in › survives scanners that open it, and works once for concurrent requests',
  ]),
  tested(
    '6.5.2',
    'Short codes are stored like passwords.',
    ['http/two-factor › returns ten backup codes once and does not store them or the secret in readable form'],
    'Backup codes have 50 bits and are kept as keyed hashes (HMAC-SHA-256 with a key that is not in the database), not by a slow hash.',
  ),
  tested('6.5.3', 'Codes come from a secure random source.', [
    'unit/kernel/crypto/totp › use distinct secrets of 160 bits',
  ]),
  tested('6.5.4', 'Codes have 20 bits at least.', [
    'http/two-factor › returns ten backup codes once and does not store them or the secret in readable form',
    'unit/domains/people/email-link › links to the configured address with a 256-bit random token, and stores only its hash',
  ]),
  tested(
    '6.5.5',
    'Codes and links end: within ten minutes by mail, within thirty seconds by an app.',
    [
      'http/mail-sign-in › expires after ten minutes, is stored hashed, and only the newest three work',
      'unit/domains/people/email-link › issues a link of the kind %s that is valid for %i minutes',
      'unit/kernel/crypto/totp › are accepted at most one step early or late',
    ],
    'A code of an app is accepted one step early and late. Links that confirm an address work for 24 hours, those for a new password for 30 minutes.',
  ),
  absent(
    '6.6.1',
    'Codes by telephone go to confirmed numbers and are not the only way.',
    'Nothing is sent by telephone.',
  ),
  tested('6.6.2', 'What is mailed belongs to the request it was made for.', [
    'http/mail-sign-in › signs in without setting the password when a magic link is used',
    'http/mail-sign-in › does not continue the authorization of a connecting app in another browser',
    'http/mail-sign-in › gets the password of the sign-up whose link was opened, not of the first one',
    'http/mail-sign-in › requires a new password when the link was requested by a browser that did not sign up',
  ]),
  tested('6.6.3', 'Mailed codes cannot be guessed.', [
    'unit/domains/people/email-link › links to the configured address with a 256-bit random token, and stores only its hash',
  ]),
]

const providers: readonly Requirement[] = [
  tested(
    '6.8.1',
    'One provider cannot speak for the people of another.',
    [
      'http/provider-sign-in › is valid for one provider only',
      'unit/domains/people/link-provider-account › signs in through an existing link, even with an address that %s',
      'http/provider-sign-in › rejects an address when the provider %s',
    ],
    'A configured provider is believed when it says that an address is verified.',
  ),
  tested('6.8.2', 'Signatures of assertions are always verified.', [
    'http/provider-sign-in › is rejected with an ID token %s',
    'unit/domains/oauth-client/hub-assertion › %s is rejected',
  ]),
  absent(
    '6.8.3',
    'SAML assertions are used once.',
    'There is no SAML; assertions of the identity hub are used once all the same.',
  ),
  absent(
    '6.8.4',
    'Where a provider must have authenticated in a certain way, that is verified.',
    'Nothing asks a provider for a strength or a time of authentication.',
  ),
]

export const authentication: readonly Requirement[] = [...ways, ...passwords, ...general, ...codes, ...providers]
