import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { desktopCeremonySchema } from '#fairway/shared/schemas/desktop'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { bindingCookie, readBindings } from './binding-cookie'
import { ceremonyUrl, completionUrl } from './ceremony-urls'

const LIFE_IN_SECONDS = 5 * 60
/** Ceremonies that one browser may have under way; the oldest beyond them ends. */
const MOST_OPEN = 3

/** What a desktop application sends to begin: the S256 challenge of a verifier it keeps, and a nonce of its own. */
export const beginCeremonySchema = z.strictObject({
  codeChallenge: z.string().regex(/^[\w-]{43}$/, 'must be the S256 challenge of a verifier'),
  nonce: z.string().regex(/^[\w-]{32,128}$/, 'must be 32 to 128 characters of base64url'),
})

interface Beginning extends z.output<typeof beginCeremonySchema> {
  clientAddress: string
  cookieHeader: string | undefined
}

interface Begun {
  ceremony: z.output<typeof desktopCeremonySchema>
  /** The `Set-Cookie` value without which the ceremony opens nothing. */
  setCookie: string
}

/** Begins a sign-in of five minutes that belongs to this browser; throws `rate-limited`. */
export async function beginCeremony(app: App, beginning: Beginning): Promise<Begun> {
  const { codeChallenge, nonce, clientAddress, cookieHeader } = beginning
  await rateLimit(app, limits.desktopCeremoniesPerAddress, addressKey(clientAddress))
  const [binding = randomToken(32)] = readBindings(app, cookieHeader)
  const bindingHash = sha256(binding)
  const id = newId()
  const now = app.now().getTime()
  const expiresAt = now + LIFE_IN_SECONDS * 1000
  await app.db.client.batch(
    [
      {
        sql: `insert into desktop_ceremonies (id, binding_hash, code_challenge, nonce_hash, created_at, expires_at)
          values (?, ?, ?, ?, ?, ?)`,
        args: [id, bindingHash, codeChallenge, sha256(nonce), now, expiresAt],
      },
      {
        sql: `delete from desktop_ceremonies where binding_hash = ? and exchanged_at is null and id not in
          (select id from desktop_ceremonies where binding_hash = ? and exchanged_at is null order by id desc limit ${MOST_OPEN})`,
        args: [bindingHash, bindingHash],
      },
    ],
    'write',
  )
  const url = ceremonyUrl(app, id, nonce)
  return {
    ceremony: { id, url, completionUrl: completionUrl(app, nonce), expiresAt: new Date(expiresAt).toISOString() },
    setCookie: bindingCookie(app, binding, LIFE_IN_SECONDS),
  }
}
