import { createCipheriv, createDecipheriv, createHmac, randomBytes, createHash, hkdfSync } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A sealed text that none of our keys decrypts: changed, moved to another place, or sealed with a removed secret. */
export class UnsealError extends Error {
  override name = 'UnsealError'
}

/** Encrypts a text for one purpose and one place (AES-256-GCM, `context` as associated data): `<key id>.<base64url>`. */
export const seal = (keys: KeyRing, purpose: string, plaintext: string, context: string): string =>
  sealWith(keys, purpose, plaintext, context, randomBytes(NONCE_BYTES))

/**
 * Seals a text so that the same text and place have the same result, for values in responses that must stay stable. Readers can
 * tell that two sealed texts are equal.
 */
export function sealDeterministic(keys: KeyRing, purpose: string, plaintext: string, context: string): string {
  // The nonce is a keyed hash of all that is sealed, so two different texts never share one (like RFC 8452).
  const { secret } = keys.current(`${purpose}-nonce`)
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify([context, plaintext]))
    .digest()
  return sealWith(keys, purpose, plaintext, context, digest.subarray(0, NONCE_BYTES))
}

function sealWith(keys: KeyRing, purpose: string, plaintext: string, context: string, nonce: Buffer): string {
  const key = keys.current(purpose)
  const cipher = createCipheriv(CIPHER, Buffer.from(key.secret, 'hex'), nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${key.id}.${sealed.toString('base64url')}`
}

/** Returns the text behind `seal`, with the current or an earlier secret; throws UnsealError. */
export function unseal(keys: KeyRing, purpose: string, sealed: string, context: string): string {
  const dot = sealed.indexOf('.')
  const key = keys.all(purpose).find(({ id }) => id === sealed.slice(0, dot))
  if (dot <= 0 || !key) throw new UnsealError('no key of ours has sealed this')
  const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new UnsealError('this is too short')
  // Decoding skips characters that are not base64url, so one sealed text would have many spellings.
  if (bytes.toString('base64url') !== sealed.slice(dot + 1)) throw new UnsealError('this was spelled anew')
  try {
    const decipher = createDecipheriv(CIPHER, Buffer.from(key.secret, 'hex'), bytes.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    return text.toString('utf8')
  } catch (cause) {
    throw new UnsealError('this was changed or belongs elsewhere', { cause })
  }
}

interface Key {
  /** Short public name of the root secret that the key comes from. */
  id: string
  /** 32 bytes as hex text. */
  secret: string
}

export interface KeyRing {
  /** Returns the key that now signs and seals for one purpose. */
  current(purpose: string): Key
  /** Returns all keys that still verify and decrypt, the current one first. */
  all(purpose: string): Key[]
}

/** Derives one key per purpose from the root secrets by HKDF-SHA-256 (RFC 5869); the first secret is the current one. */
export function createKeyRing(rootSecrets: [string, ...string[]]): KeyRing {
  const rings = new Map<string, Key[]>()
  const all = (purpose: string) => {
    const known = rings.get(purpose)
    if (known) return known
    const ring = rootSecrets.map(root => ({ id: keyId(root), secret: derive(root, purpose) }))
    rings.set(purpose, ring)
    return ring
  }
  return { all, current: purpose => all(purpose)[0]! }
}

const derive = (root: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', root, 'fairway', `fairway/${purpose}`, 32)).toString('hex')

const keyId = (root: string): string => createHash('sha256').update(`fairway/key-id/${root}`).digest('hex').slice(0, 8)
