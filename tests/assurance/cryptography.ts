import { absent, designed, documented, missing, type Requirement, tested } from './requirement'

export const cryptography: readonly Requirement[] = [
  documented(
    '11.1.1',
    'It is documented how keys are made, used and replaced.',
    ['SECURITY.md#what-is-promised', 'docs/reference/settings.md', 'docs/storage-schema.md'],
    'Making, replacing and ending are described where each key is; there is no policy after NIST SP 800-57.',
  ),
  missing(
    '11.1.2',
    'There is an inventory of keys, algorithms and certificates.',
    'Keys and algorithms are named where they are used; there is no separate list.',
  ),
  designed(
    '11.2.1',
    'Cryptography comes from proven libraries.',
    '`node:crypto`, `jose` and `@simplewebauthn/server`; the rules of ARCHITECTURE.md say who may import the latter.',
  ),
  tested(
    '11.2.2',
    'Keys and algorithms can be replaced.',
    [
      'unit/kernel/crypto/reseal › makes all values readable with the new secret alone',
      'http/secret-rotation › ends sessions signed with a previous secret that is not listed',
      'unit/domains/oauth-server/signing-keys › survive a root secret rotation, and are replaced when the old secret is missing',
      'unit/kernel/crypto/password › hashes quickly on request and verifies both kinds of hashes',
    ],
    'Other algorithms are a change of code, not of a setting.',
  ),
  designed(
    '11.2.3',
    'Everything has 128 bits of security.',
    'AES-256-GCM, SHA-256, HMAC-SHA-256, P-256 and argon2id; the root secret has 32 characters at least.',
  ),
  designed('11.3.1', 'No weak modes and paddings.', 'There is one cipher, AES-256-GCM (`kernel/crypto/seal.ts`).'),
  designed(
    '11.3.2',
    'Approved ciphers and modes.',
    'There is one cipher, AES-256-GCM with a random nonce (`kernel/crypto/seal.ts`).',
  ),
  tested('11.3.3', 'What is encrypted cannot be changed.', [
    'unit/kernel/crypto/seal › unseal rejects %s',
    'unit/domains/organizations/vault/vault › that was moved to another organization is listed as unreadable and returns credential-required',
  ]),
  tested(
    '11.4.1',
    'Approved hash functions.',
    ['unit/kernel/crypto/totp › match RFC 6238 at second %i'],
    'SHA-256 everywhere but in one-time codes, whose HMAC-SHA-1 is what authenticator apps speak.',
  ),
  tested('11.4.2', 'Passwords are hashed slowly.', [
    'unit/kernel/crypto/password › verifies only the right password and uses a new salt for each hash',
    'unit/kernel/config/config › refuses quick password hashing',
  ]),
  designed(
    '11.4.3',
    'Hashes for integrity are long enough.',
    'SHA-256 and HMAC-SHA-256, uncut (`kernel/crypto/hash.ts`).',
  ),
  absent(
    '11.4.4',
    'Keys made from passwords are stretched.',
    'No key is made from a password; keys come from the root secret by HKDF.',
  ),
  designed(
    '11.5.1',
    'What must not be guessed is random, with 128 bits.',
    'Tokens, states and codes have 256 random bits (`kernel/crypto/random.ts`); backup codes have 50 and are limited in tries. Ids are no secrets.',
  ),
  tested('11.6.1', 'Keys are made and used with approved algorithms.', [
    'unit/domains/oauth-server/signing-keys › are published as a JWK set that verifies tokens, with public keys only',
  ]),
]
