import { describe, expect, it } from 'vitest'
import {
  ForeignHashFault,
  isImported,
  markImported,
  readForeignHash,
  verifyImported,
} from '#fairway/server/kernel/crypto/foreign-hash'
import { firebase, firebaseHash, foreignHashes, PASSWORD, UNICODE_HASH } from '../../../support/foreign-hashes'

const { 'bcrypt $2b$': BCRYPT = '', argon2id: ARGON2 = '' } = foreignHashes

/** The reason why a hash is not accepted; undefined for an accepted one. */
function faultOf(hash: string): string | undefined {
  try {
    readForeignHash(hash)
    return undefined
  } catch (error) {
    if (error instanceof ForeignHashFault) return error.message
    throw error
  }
}

/** The hash with another character before its end, in its own alphabet. */
const otherHash = (hash: string): string => `${hash.slice(0, -6)}${hash.at(-6) === '1' ? '2' : '1'}${hash.slice(-5)}`

describe('readForeignHash', () => {
  it.each(Object.entries(foreignHashes))('verifies %s with the right password only', async (_form, hash) => {
    const verify = readForeignHash(hash)
    expect(await verify(PASSWORD)).toBe(true)
    expect(await verify(`${PASSWORD} `)).toBe(false)
    expect(await verify('')).toBe(false)
  })

  it.each(Object.entries(foreignHashes))('refuses another hash, and a cut one, of %s', async (_form, hash) => {
    expect(await readForeignHash(otherHash(hash))(PASSWORD)).toBe(false)
    const cut = hash.slice(0, Math.max(hash.lastIndexOf('$'), hash.lastIndexOf(':')) + 12)
    expect(faultOf(cut)).toMatch(/no known form|is not valid/)
  })

  it('verifies what Better Auth writes, in any Unicode spelling', async () => {
    const verify = readForeignHash(UNICODE_HASH)
    expect(await verify('cafe\u0301 quilt')).toBe(true)
    expect(await verify('cafe quilt')).toBe(false)
  })

  it.each(['standard', 'URL-safe'])('verifies the example of Firebase in %s base64', async alphabet => {
    const toText = (text: string) =>
      alphabet === 'standard' ? text : text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    const { sk, salt, hash } = firebase
    const verify = readForeignHash(
      firebaseHash({ ...firebase, sk: toText(sk), salt: toText(salt), hash: toText(hash) }),
    )
    expect(await verify(firebase.password)).toBe(true)
    expect(await verify('user2password')).toBe(false)
  })

  it('never accepts a password that bcrypt would cut', async () => {
    const of72 = '$2b$04$9C1VM9ZBebkFrs8tIlYn3OlQ62pzdayd9srbvZo4SlJrz6Kn5mB/2'
    expect(await readForeignHash(of72)('x'.repeat(72))).toBe(true)
    expect(await readForeignHash(of72)('x'.repeat(73))).toBe(false)
    expect(await readForeignHash(BCRYPT)(`${PASSWORD}\0more`)).toBe(false)
  })

  it.each([
    ['bcrypt', BCRYPT.replace('$04$', '$15$'), 'bcrypt cost is 15, at most 14'],
    ['bcrypt of Django', `bcrypt_sha256$${BCRYPT.replace('$04$', '$31$')}`, 'bcrypt cost is 31'],
    ['argon2id by memory', ARGON2.replace('m=128', 'm=131073'), 'argon2 memory in KiB is 131073'],
    ['argon2id by passes', ARGON2.replace('m=128,t=2', 'm=131072,t=5'), 'argon2 memory × passes is 655360'],
    ['scrypt by memory', '$scrypt$ln=18,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'scrypt memory in KiB is 262144'],
    ['scrypt by work', '$scrypt$ln=14,r=8,p=9$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'scrypt N × r × p is 1179648'],
    ['scrypt by a number beyond all', '$scrypt$ln=99,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'costs too much'],
    ['PBKDF2', '$pbkdf2-sha256$2000001$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'PBKDF2 iterations is 2000001'],
    [
      'PBKDF2 by a long hash',
      `$pbkdf2-sha1$500000$c2FsdHNhbHQ$${Buffer.alloc(128).toString('base64')}`,
      'PBKDF2 iterations is 3500000',
    ],
    ['Firebase scrypt', firebaseHash({ ...firebase, n: 20 }), 'costs too much'],
  ])('refuses %s that costs too much', (_form, hash, reason) => {
    expect(faultOf(hash)).toContain(reason)
  })

  it.each([
    ['an empty text', ''],
    ['a password', PASSWORD],
    ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['a hash of the Unix crypt', '$6$rounds=5000$salt$hash'],
    ['bcrypt by PHP before 2011', BCRYPT.replace('$2b$', '$2x$')],
    ['a space before it', ` ${BCRYPT}`],
    ['a line break behind it', `${BCRYPT}\n`],
    ['argon2i', ARGON2.replace('argon2id', 'argon2i')],
    ['an older argon2', ARGON2.replace('v=19', 'v=16')],
    ['a text that is too long', `$pbkdf2-sha256$1000$${'A'.repeat(2000)}$aGFzaGhhc2hoYXNoaGFzaA`],
  ])('refuses %s', (_what, hash) => expect(faultOf(hash)).toBe('The password hash has no known form.'))

  it.each([
    ['bcrypt with a cost of 3', BCRYPT.replace('$04$', '$03$'), 'cost'],
    ['argon2id without passes', ARGON2.replace('t=2', 't=0'), 'parameters'],
    ['argon2id without lanes', ARGON2.replace('p=1', 'p=0'), 'parameters'],
    ['argon2id with too little memory', ARGON2.replace('m=128', 'm=7'), 'parameters'],
    ['scrypt with N of 1', '$scrypt$ln=0,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'parameters'],
    ['scrypt with an N between powers', 'scrypt$1000$saltsalt$8$1$aGFzaGhhc2hoYXNoaGFzaA', 'parameters'],
    ['scrypt with r of 0', '$scrypt$ln=10,r=0,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'parameters'],
    ['PBKDF2 without iterations', '$pbkdf2-sha256$0$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA', 'iterations'],
    ['a hexadecimal hash in the form of Django', `pbkdf2_sha1$1000$saltsalt$${'ab'.repeat(20)}`, 'hash part'],
    ['a short salt', '$pbkdf2-sha256$1000$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA', 'salt'],
    ['a salt that is no base64', '$pbkdf2-sha256$1000$c2FsdHNhbHQAA$aGFzaGhhc2hoYXNoaGFzaA', 'salt'],
    ['a signer key of one byte', firebaseHash({ ...firebase, sk: 'AA==' }), 'signer key'],
  ])('refuses %s', (_what, hash, part) => expect(faultOf(hash)).toBe(`The ${part} of the password hash is not valid.`))
})

describe('verifyImported', () => {
  it('verifies a stored hash, and never matches an unreadable one', async () => {
    const stored = markImported(BCRYPT)
    expect(isImported(stored)).toBe(true)
    expect(isImported(BCRYPT)).toBe(false)
    expect(await verifyImported(stored, PASSWORD)).toBe(true)
    expect(await verifyImported(markImported('nothing'), PASSWORD)).toBe(false)
    expect(await verifyImported(markImported(BCRYPT.replace('$04$', '$31$')), PASSWORD)).toBe(false)
  })
})
