import { createHash, hkdfSync } from 'node:crypto'

interface Key {
  /** Short public name of the root secret that the key comes from. */
  id: string
  /** 32 bytes as hex text. */
  secret: string
}

export interface KeyRing {
  /** The key that signs and seals now, for one purpose. */
  current(purpose: string): Key
  /** All keys that still verify and open, the current one first. */
  all(purpose: string): Key[]
}

/** Derives one key per purpose from the root secrets by HKDF-SHA-256 (RFC 5869); the first secret is the current one. */
export function createKeyRing(rootSecrets: [string, ...string[]]): KeyRing {
  const rings = new Map<string, Key[]>()
  const all = (purpose: string) => {
    const known = rings.get(purpose)
    if (known) return known
    const made = rootSecrets.map(root => ({ id: keyId(root), secret: derive(root, purpose) }))
    rings.set(purpose, made)
    return made
  }
  return { all, current: purpose => all(purpose)[0]! }
}

const derive = (root: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', root, 'fairway', `fairway/${purpose}`, 32)).toString('hex')

const keyId = (root: string): string => createHash('sha256').update(`fairway/key-id/${root}`).digest('hex').slice(0, 8)
