// Password hashes of other systems. They are read with limits on their cost, and verified off the event loop.
import { argon2, createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { sha256Hex } from './hash'

type Verify = (password: string) => Promise<boolean>

/** Why a hash is not accepted, as a sentence for the operator. */
export class ForeignHashFault extends Error {}

const MOST_CHARACTERS = 1024
/** Each limit is about one second of one core. */
const MOST = { bcryptCost: 14, memoryInKiB: 131_072, argon2Work: 524_288, scryptWork: 2 ** 20, iterations: 2_000_000 }
/** A shorter hash could be guessed. */
const LENGTHS = { salt: [8, 128], hash: [16, 128], signerKey: [16, 128] } as const

const MARK = 'imported:'

/** How the hash of another system is stored, so that it is never taken for one of Fairway's. */
export const markImported = (hash: string): string => MARK + hash

/** Whether a stored hash is one of another system. */
export const isImported = (stored: string): boolean => stored.startsWith(MARK)

/** Verifies a password with a stored hash of another system; an unreadable hash never matches. */
export async function verifyImported(stored: string, password: string): Promise<boolean> {
  let verify: Verify
  try {
    verify = readForeignHash(stored.slice(MARK.length))
  } catch (error) {
    if (error instanceof ForeignHashFault) return false
    throw error
  }
  return verify(password)
}

/**
 * Reads a password hash of another system and returns the function that verifies a password with it. Throws ForeignHashFault for
 * an unknown form, a malformed hash, and one that costs too much to verify.
 */
export function readForeignHash(text: string): Verify {
  if (text.length <= MOST_CHARACTERS)
    for (const { pattern, read } of FORMS) {
      const groups = pattern.exec(text)?.groups
      if (groups) return read(groups as Groups)
    }
  throw new ForeignHashFault('The password hash has no known form.')
}

type Groups = Record<string, string>

interface Form {
  pattern: RegExp
  read(groups: Groups): Verify
}

const BCRYPT = String.raw`(?<bcrypt>\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53})$`
const B64 = String.raw`[\w+/.-]+={0,2}`
const PHC_ARGON2 = String.raw`\$argon2id\$v=19\$m=(?<m>\d{1,7}),t=(?<t>\d{1,3}),p=(?<p>\d{1,2})\$(?<salt>${B64})\$(?<hash>${B64})$`
const form = (pattern: string, read: Form['read']): Form => ({ pattern: new RegExp(`^${pattern}`), read })

const FORMS: readonly Form[] = [
  // Django writes the name of its hasher first.
  form(String.raw`(?:bcrypt\$)?${BCRYPT}`, groups => bcryptOf(groups, password => password)),
  form(String.raw`bcrypt_sha256\$${BCRYPT}`, groups => bcryptOf(groups, sha256Hex)),
  form(String.raw`(?:argon2)?${PHC_ARGON2}`, argon2Of),
  // The PHC form, and the one of Python's passlib.
  form(
    String.raw`\$pbkdf2-(?<digest>sha1|sha256|sha512)\$(?:i=)?(?<i>\d{1,8})(?:,l=\d{1,3})?\$(?<salt>${B64})\$(?<hash>${B64})$`,
    ({ salt, ...groups }) => pbkdf2Of(groups, bytesOf('salt', salt!)),
  ),
  // Django: the salt is a text. Other systems write a hash of another length in a form that looks the same.
  form(
    String.raw`pbkdf2_(?<digest>sha1|sha256)\$(?<i>\d{1,8})\$(?<salt>[^$]+)\$(?<hash>${B64})$`,
    ({ salt, ...groups }) => {
      if (bytesOf('hash', groups.hash!).length !== DIGEST_BYTES[groups.digest!]) throw malformed('hash part')
      return pbkdf2Of(groups, textOf('salt', salt!))
    },
  ),
  form(
    String.raw`\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})\$(?<salt>${B64})\$(?<hash>${B64})$`,
    ({ ln, r, p, salt, hash }) =>
      scryptOf({ N: 2 ** Number(ln), r: Number(r), p: Number(p) }, bytesOf('salt', salt!), bytesOf('hash', hash!)),
  ),
  // Django.
  form(
    String.raw`scrypt\$(?<N>\d{1,8})\$(?<salt>[^$]+)\$(?<r>\d{1,3})\$(?<p>\d{1,3})\$(?<hash>${B64})$`,
    ({ N, r, p, salt, hash }) =>
      scryptOf({ N: Number(N), r: Number(r), p: Number(p) }, textOf('salt', salt!), bytesOf('hash', hash!)),
  ),
  // Better Auth and Lucia: the salt is the text itself, and passwords are normalized.
  form(String.raw`(?:s2:)?(?<salt>\w{8,128}):(?<hash>[0-9a-f]{128})$`, ({ salt, hash }) => {
    const verify = scryptOf({ N: 16_384, r: 16, p: 1 }, textOf('salt', salt!), Buffer.from(hash!, 'hex'))
    return password => verify(password.normalize('NFKC'))
  }),
  form(
    String.raw`\$fbscrypt\$v=1,n=(?<n>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3}),ss=(?<ss>${B64}),sk=(?<sk>${B64})\$(?<salt>${B64})\$(?<hash>${B64})$`,
    firebaseOf,
  ),
]

function bcryptOf({ bcrypt, cost }: Groups, toMessage: (password: string) => string): Verify {
  checkCost('bcrypt cost', Number(cost), MOST.bcryptCost)
  if (Number(cost) < 4) throw malformed('cost')
  return async password => {
    const { verify } = await import('@node-rs/bcrypt')
    const message = Buffer.from(toMessage(password))
    const isSame = await verify(message, bcrypt!)
    // The algorithm ignores what follows 72 bytes, and some programs what follows a NUL. Other passwords would match too.
    return isSame && message.length <= 72 && !message.includes(0)
  }
}

const argon2Async = promisify(argon2)

function argon2Of({ m, t, p, ...texts }: Groups): Verify {
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)]
  checkCost('argon2 memory in KiB', memory, MOST.memoryInKiB)
  checkCost('argon2 memory × passes', memory * passes, MOST.argon2Work)
  if (passes < 1 || parallelism < 1 || memory < 8 * parallelism) throw malformed('parameters')
  const [nonce, expected] = [bytesOf('salt', texts.salt!), bytesOf('hash', texts.hash!)]
  const cost = { nonce, memory, passes, parallelism, tagLength: expected.length }
  return async password => isEqual(await argon2Async('argon2id', { message: password, ...cost }), expected)
}

const DIGEST_BYTES: Record<string, number> = { sha1: 20, sha256: 32, sha512: 64 }
const pbkdf2Async = promisify(pbkdf2)

function pbkdf2Of({ digest, i, hash }: Groups, salt: Buffer): Verify {
  const expected = bytesOf('hash', hash!)
  const iterations = Number(i)
  // Each further block of the hash repeats all iterations.
  checkCost('PBKDF2 iterations', iterations * Math.ceil(expected.length / DIGEST_BYTES[digest!]!), MOST.iterations)
  if (iterations < 1) throw malformed('iterations')
  return async password => isEqual(await pbkdf2Async(password, salt, iterations, expected.length, digest!), expected)
}

interface ScryptCost {
  N: number
  r: number
  p: number
}

function scryptKey(cost: ScryptCost, salt: Buffer, length: number): (password: string) => Promise<Buffer> {
  const { N, r, p } = cost
  checkCost('scrypt memory in KiB', (N * r) / 8, MOST.memoryInKiB)
  checkCost('scrypt N × r × p', N * r * p, MOST.scryptWork)
  if (N < 2 || !Number.isInteger(Math.log2(N)) || r < 1 || p < 1) throw malformed('parameters')
  const options = { ...cost, maxmem: 2 * 1024 * MOST.memoryInKiB }
  return password =>
    new Promise((resolve, reject) => {
      scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
}

function scryptOf(cost: ScryptCost, salt: Buffer, expected: Buffer): Verify {
  const keyOf = scryptKey(cost, salt, expected.length)
  return async password => isEqual(await keyOf(password), expected)
}

/** Firebase encrypts the project's signer key with a key by scrypt; the result is the hash (github.com/firebase/scrypt). */
function firebaseOf({ n, r, p, ss, sk, ...texts }: Groups): Verify {
  const salt = Buffer.concat([bytesOf('salt', texts.salt!), Buffer.from(ss!, 'base64')])
  const [signerKey, expected] = [bytesOf('signerKey', sk!), bytesOf('hash', texts.hash!)]
  const keyOf = scryptKey({ N: 2 ** Number(n), r: Number(r), p: Number(p) }, salt, 32)
  return async password => {
    // In counter mode, decrypting and encrypting are the same.
    const cipher = createDecipheriv('aes-256-ctr', await keyOf(password), Buffer.alloc(16))
    return isEqual(cipher.update(signerKey), expected)
  }
}

const isEqual = (actual: Buffer, expected: Buffer): boolean =>
  actual.length === expected.length && timingSafeEqual(actual, expected)

const malformed = (part: string): ForeignHashFault =>
  new ForeignHashFault(`The ${part} of the password hash is not valid.`)

function checkCost(what: string, cost: number, most: number): void {
  if (cost > most)
    throw new ForeignHashFault(`The password hash costs too much to verify: ${what} is ${cost}, at most ${most}.`)
}

const NAMES = { salt: 'salt', hash: 'hash part', signerKey: 'signer key' }

/** Decodes base64 in its standard, URL-safe or passlib's alphabet, with or without padding. */
function bytesOf(part: keyof typeof LENGTHS, text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64')
  if (text.replace(/=+$/, '').length % 4 === 1) throw malformed(NAMES[part])
  return checked(part, bytes)
}

const textOf = (part: keyof typeof LENGTHS, text: string): Buffer => checked(part, Buffer.from(text))

function checked(part: keyof typeof LENGTHS, bytes: Buffer): Buffer {
  const [least, most] = LENGTHS[part]
  if (bytes.length < least || bytes.length > most) throw malformed(NAMES[part])
  return bytes
}
