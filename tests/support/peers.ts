import { randomUUID } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { A2A_SECRET } from './secrets'

export interface PeerTokenChange {
  /** The key; `null` signs with none. */
  secret?: string | null
  typ?: string
  alg?: string
  /** Claims that differ; undefined ones are left out. */
  claims?: Record<string, unknown>
  /** Seconds since it was made. */
  age?: number
  /** Seconds that it is good for. */
  life?: number
}

/** A token as another implementation makes it: signed with the shared secret as it is. */
export function peerToken(
  { audience, issuer, subject }: { audience: string; issuer: string; subject: string },
  { secret = A2A_SECRET, typ = 'a2a+jwt', alg = 'HS256', claims = {}, age = 0, life = 60 }: PeerTokenChange = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) - age
  const all = { iss: issuer, aud: audience, sub: subject, iat, exp: iat + life, jti: randomUUID(), ...claims }
  const payload = JSON.parse(JSON.stringify(all))
  if (secret === null) return Promise.resolve(new UnsecuredJWT(payload).encode())
  return new SignJWT(payload).setProtectedHeader({ alg, typ }).sign(new TextEncoder().encode(secret))
}
