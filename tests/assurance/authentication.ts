import { absent, designed, documented, operators, type Requirement, tested } from './requirement'

const ways: readonly Requirement[] = [
  documented('6.1.1', 'It is documented how guessing is limited without shutting owners out.', [
    'docs/guides/devices.md#limits',
  ]),
  documented('6.1.2', 'It is documented which words of their own people may not use as a password.', [
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
    'http/sign-in › refuses a password of %s',
  ]),
  tested('6.2.2', 'People can change their password.', [
    'http/sign-in › needs the old one and ends the other sessions',
  ]),
  tested('6.2.3', 'Changing it needs the old one.', ['http/sign-in › needs the old one and ends the other sessions']),
  tested(
    '6.2.4',
    'The most common passwords are refused.',
    ['unit/domains/people/password-policy › refuses the common password %j'],
    'Of the 49,000 on the list only some hundreds are as long as the policy asks for; the others count as beginnings.',
  ),
  tested('6.2.5', 'No kinds of characters are asked for.', [
    'unit/domains/people/password-policy › has no composition rules',
  ]),
  tested('6.2.6', 'The field hides the password.', [
    'http/sign-in › hides the password, and lets managers and pasting fill it in',
  ]),
  tested('6.2.7', 'Pasting and password managers work.', [
    'http/sign-in › hides the password, and lets managers and pasting fill it in',
  ]),
  tested(
    '6.2.8',
    'The password is compared as it was typed.',
    ['unit/kernel/crypto/password › verifies the password and no other, with a new salt each time'],
    'Unicode is normalised first (NFKC), so that two keyboards write the same password.',
  ),
  tested('6.2.9', 'Passwords may have 64 characters.', [
    'unit/domains/people/password-policy › counts code points: 11 are too few, 12 and 128 are accepted, 129 are too many',
  ]),
  designed('6.2.10', 'Passwords do not end by time.', 'Nothing asks for a new password.'),
  tested('6.2.11', 'Own words make no password.', [
    'unit/domains/people/password-policy › refuses %j, made of the person or the product',
  ]),
  tested(
    '6.2.12',
    'Passwords are compared with those of known breaches.',
    [
      'unit/domains/people/breached-passwords › is refused where a service is set, which learns five digits of a hash',
      'unit/domains/people/breached-passwords › is accepted within three seconds when the service %s, and the log says so without the password',
    ],
    'Only where `FW_BREACHED_PASSWORDS` names a service, which is off by default; without it, and while the service does not answer, only the shipped list of common passwords counts.',
  ),
]

const general: readonly Requirement[] = [
  tested('6.3.1', 'Guessing is limited as documented.', [
    'http/rate-limits › ends after five tries, also from many networks and when sixty come at once',
    'http/rate-limits › ends after thirty tries at any accounts; sign-ins that succeed are not counted',
    'http/rate-limits › gets in at once from a network where they are signed in, and strangers gain nothing by it',
  ]),
  tested('6.3.2', 'There are no default accounts.', [
    'http/start › is neither made nor offered where NODE_ENV is %s',
    'http/start › is refused when its database is opened in production',
  ]),
  tested(
    '6.3.3',
    'Everybody signs in with more than one factor.',
    [
      'http/second-factor-policy › closes the organization to sessions, actions, tokens and MCP hosts of those without one, and to nobody else',
      'http/second-factor-policy › leaves a person without one their account and setting it up, and nothing else',
      'unit/domains/organizations/second-factor › opens to a passkey, to a password with two-factor authentication, and to nothing a provider did elsewhere',
      'unit/domains/organizations/second-factor › refuses tokens and programs of people without one after that time, and takes them again once there is one',
    ],
    'Only while the installation (`FW_REQUIRE_SECOND_FACTOR`) or the organization requires it, and after the days of grace.',
  ),
  tested('6.3.4', 'All ways to sign in are known, and as strong as documented.', [
    'http/sign-in › has no other endpoints of the library',
    'http/two-factor › the code is still asked for, here and in a browser that waits',
    'http/bearer › signs nobody in, alone or beside the cookie of a session: %s',
  ]),
  absent(
    '6.4.1',
    'First passwords and codes that we make are random and end.',
    'No password is made for anybody; accounts begin by a link or by the person’s own password.',
  ),
  absent('6.4.2', 'There are no hints and secret questions.', 'There are none.'),
  tested('6.4.3', 'Setting a forgotten password anew does not lead around the second factor.', [
    'http/two-factor › the code is still asked for, here and in a browser that waits',
    'http/mail-sign-in › is replaced by a link that works once; all sessions end and this browser is signed in',
  ]),
  operators(
    '6.4.4',
    'Who loses a factor is identified as well as when it was set up.',
    'Backup codes, passkeys and providers are the ways around a lost authenticator app; beyond them an operator who is sure who asks deletes the row (docs/guides/second-factors.md).',
  ),
]

const codes: readonly Requirement[] = [
  tested('6.5.1', 'Codes and links work once.', [
    'http/two-factor › takes a code once, and no older one after it',
    'http/two-factor › takes each backup code once, with or without its hyphen',
    'http/mail-sign-in › is not burnt by scanners that only look, and not twice by those who press at once',
  ]),
  tested(
    '6.5.2',
    'Short codes are stored like passwords.',
    ['http/two-factor › gives ten backup codes once, and keeps neither them nor the secret readable'],
    'Backup codes have 50 bits and are kept as keyed hashes (HMAC-SHA-256 with a key that is not in the database), not by a slow hash.',
  ),
  tested('6.5.3', 'Codes come from a secure random source.', [
    'unit/kernel/crypto/totp › come from secrets of 160 bits that differ',
  ]),
  tested('6.5.4', 'Codes have 20 bits at least.', [
    'http/two-factor › gives ten backup codes once, and keeps neither them nor the secret readable',
    'unit/domains/people/email-link › leads to the configured address with 256 random bits, of which the table holds the hash',
  ]),
  tested(
    '6.5.5',
    'Codes and links end: within ten minutes by mail, within thirty seconds by an app.',
    [
      'http/mail-sign-in › works for ten minutes, is stored hashed, and only the newest three count',
      'unit/domains/people/email-link › of the kind %s works for %i minutes',
      'unit/kernel/crypto/totp › are accepted one step early and one step late, and no more',
    ],
    'A code of an app is accepted one step early and late. Links that confirm an address work for 24 hours, those for a new password for 30 minutes.',
  ),
  absent(
    '6.6.1',
    'Codes by telephone go to confirmed numbers and are not the only way.',
    'Nothing is sent by telephone.',
  ),
  tested('6.6.2', 'What is mailed belongs to the request it was made for.', [
    'http/mail-sign-in › has no link that is good for something else',
    'http/mail-sign-in › does not carry an app that asks to be connected into another browser',
    'http/mail-sign-in › gets the password of the sign-up whose link was opened, not of whoever was first',
    'http/mail-sign-in › is not confirmed for a stranger by a link that another browser asked for: a password is chosen first',
  ]),
  tested('6.6.3', 'Mailed codes cannot be guessed.', [
    'unit/domains/people/email-link › leads to the configured address with 256 random bits, of which the table holds the hash',
  ]),
]

const providers: readonly Requirement[] = [
  tested(
    '6.8.1',
    'One provider cannot speak for the people of another.',
    [
      'http/provider-sign-in › belongs to one provider',
      'http/provider-sign-in › signs in by a link that exists although a stranger has signed up with its address',
      'http/provider-sign-in › refuses an address when the provider %s',
    ],
    'A configured provider is believed when it says that an address is verified.',
  ),
  tested('6.8.2', 'Signatures of assertions are always verified.', [
    'http/provider-sign-in › with an ID token %s is refused',
    'unit/domains/oauth-client/hub-assertion › %s is refused',
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
