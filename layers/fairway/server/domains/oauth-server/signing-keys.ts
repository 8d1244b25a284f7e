// Clocks of instances differ, so the first signing key is valid from five minutes before its creation. Otherwise twenty
// concurrent first requests would create two.
import type { App } from '#fairway/server/kernel/app-context'
import { inBackground } from '#fairway/server/kernel/background'
import {
  type Es256Jwk,
  es256JwkSchema,
  type Es256Key,
  makeEs256Pair,
  signEs256,
  toPrivateKey,
  toPublicKey,
} from '#fairway/server/kernel/crypto/es256'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'

export const SIGNING_ALGORITHM = 'ES256'
const PURPOSE = 'oauth-signing-key'

/** The columns of the signing keys that are sealed with the application's secret. */
export const signingKeySealedColumns: SealedColumn[] = [
  { table: 'oauth_keys', column: 'sealed_private_jwk', purpose: PURPOSE, context: ({ id }) => String(id) },
]
const DAY_IN_MS = 24 * 60 * 60 * 1000
const SIGNS_FOR_IN_MS = 30 * DAY_IN_MS
/** How long a key is published before it signs: far longer than any cache keeps the list. */
const PUBLISHED_AHEAD_IN_MS = DAY_IN_MS
const READ_AGAIN_IN_MS = 60 * 1000
/** The maximum of the setting. Tokens signed before it was lowered are valid for up to this long. */
const LONGEST_ACCESS_TOKEN_LIFE_IN_MS = 60 * 60 * 1000
const CLOCK_SKEW_IN_MS = 5 * 60 * 1000

interface SigningKey {
  id: string
  signsFrom: number
  signsUntil: number
  publicJwk: Es256Jwk
  publicKey: Es256Key
  /** Missing when its root secret was removed. Its signatures stay valid, but it signs no more. */
  privateKey?: Es256Key
}

interface KeyRow {
  id: string
  publicJwk: string
  sealedPrivateJwk: string
  signsFrom: number
  signsUntil: number
}

interface Keys {
  known: SigningKey[]
  readAt: number
  /** Each key is imported once in the life of this process. */
  imports: Map<string, SigningKey>
}

const stateOf = (app: App): Keys => app.memo('oauth-keys', () => ({ known: [], readAt: -Infinity, imports: new Map() }))

/**
 * Signs claims as a JWT (RFC 7515, compact) with the current key. The first key is created on first use, and each next one a day
 * before it is needed.
 */
export async function signClaims(app: App, type: string, claims: Record<string, unknown>): Promise<string> {
  const keys = await usableKeys(app)
  const { privateKey, id, signsUntil } = keyAt(keys, app.now().getTime())
  if (signsUntil - app.now().getTime() < PUBLISHED_AHEAD_IN_MS && !findKeyAt(keys, signsUntil)) {
    inBackground(app, 'publish-signing-key', async () => {
      await addKey(app, keys, { signsFrom: signsUntil, neededAt: signsUntil })
      await readKeys(app, keys)
    })
  }
  return signEs256({ typ: type, kid: id }, claims, privateKey)
}

/** Returns the public key with this `kid`; undefined when there is none. */
export async function verificationKey(app: App, id: string): Promise<Es256Key | undefined> {
  const keys = stateOf(app)
  const find = () => keys.known.find(key => key.id === id)?.publicKey
  // Another instance may have created it a moment ago.
  if (isStale(app, keys) || !find()) await readKeys(app, keys)
  return find()
}

/** Returns the public keys that sign, will sign, or have signed tokens that may still be valid (RFC 7517). */
export async function publicKeys(app: App): Promise<{ keys: Es256Jwk[] }> {
  const { known } = await usableKeys(app)
  return {
    keys: known.map(({ id, publicJwk }) => ({ ...publicJwk, kid: id, use: 'sig', alg: SIGNING_ALGORITHM })),
  }
}

/**
 * Retires all current keys and returns how many. Each instance notices at its next read (within a minute), and the next token
 * gets a new key. Earlier tokens stay valid until they expire.
 */
export async function retireSigningKeys(app: App): Promise<number> {
  const now = app.now().getTime()
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update oauth_keys set signs_until = ? where signs_until > ?',
    args: [now, now],
  })
  return rowsAffected
}

/** Deletes keys whose last token has expired. */
export async function purgeSigningKeys(app: App): Promise<void> {
  await app.db.client.execute({ sql: 'delete from oauth_keys where signs_until <= ?', args: [retiredBefore(app)] })
}

const retiredBefore = (app: App): number => app.now().getTime() - LONGEST_ACCESS_TOKEN_LIFE_IN_MS - CLOCK_SKEW_IN_MS

const isStale = (app: App, { readAt }: Keys): boolean => app.now().getTime() - readAt > READ_AGAIN_IN_MS

/** Returns the list with at least one key that signs now. */
async function usableKeys(app: App): Promise<Keys> {
  const keys = stateOf(app)
  if (isStale(app, keys)) await readKeys(app, keys)
  const now = app.now().getTime()
  if (findKeyAt(keys, now)) return keys
  // An instance whose clock is slightly behind must be able to use it too.
  await addKey(app, keys, { signsFrom: now - CLOCK_SKEW_IN_MS, neededAt: now })
  await readKeys(app, keys)
  return keys
}

type FullKey = SigningKey & { privateKey: Es256Key }

const findKeyAt = ({ known }: Keys, time: number): FullKey | undefined =>
  known.findLast(
    (key): key is FullKey => key.privateKey !== undefined && key.signsFrom <= time && key.signsUntil > time,
  )

function keyAt(keys: Keys, time: number): FullKey {
  const key = findKeyAt(keys, time)
  if (!key) throw new Error('no signing key could be made')
  return key
}

async function readKeys(app: App, keys: Keys): Promise<void> {
  const read = app.memo('read-oauth-keys', () =>
    app.db.prepareRead<KeyRow>(
      `select id, public_jwk as publicJwk, sealed_private_jwk as sealedPrivateJwk, signs_from as signsFrom, signs_until as signsUntil
        from oauth_keys where signs_until > ? order by generation`,
    ),
  )
  const rows = await read([retiredBefore(app)])
  keys.known = rows.map(row => {
    const imported = keys.imports.get(row.id) ?? importKey(app, row)
    keys.imports.set(row.id, imported)
    // The key pair does not change, but the time until which it signs can.
    return { ...imported, signsUntil: row.signsUntil }
  })
  keys.readAt = app.now().getTime()
}

function importKey(app: App, row: KeyRow): SigningKey {
  const publicJwk: Es256Jwk = es256JwkSchema.parse(JSON.parse(row.publicJwk))
  const { id, signsFrom, signsUntil } = row
  const publicKey = toPublicKey(publicJwk)
  const privateJwk = unsealKey(app, row)
  const privateKey = privateJwk && toPrivateKey(privateJwk)
  return { id, signsFrom, signsUntil, publicJwk, publicKey, privateKey }
}

function unsealKey(app: App, { id, sealedPrivateJwk }: KeyRow): Es256Jwk | undefined {
  try {
    return es256JwkSchema.parse(JSON.parse(unseal(app.config.keys, PURPOSE, sealedPrivateJwk, id)))
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    app.log.warn('a signing key was sealed with a secret that is gone; a new one takes its place', { id })
    return undefined
  }
}

/** Adds a key unless another instance was faster. Some key must sign from `neededAt` on (both times in milliseconds). */
async function addKey(app: App, keys: Keys, { signsFrom, neededAt }: Record<'signsFrom' | 'neededAt', number>) {
  const { publicJwk, privateJwk } = makeEs256Pair()
  const id = newId()
  const sealed = seal(app.config.keys, PURPOSE, JSON.stringify(privateJwk), id)
  const useless = keys.known.filter(key => !key.privateKey).map(key => key.id)
  const times = [signsFrom, signsFrom + SIGNS_FOR_IN_MS, app.now().getTime()]
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into oauth_keys (id, public_jwk, sealed_private_jwk, signs_from, signs_until, created_at, generation)
      select ?, ?, ?, ?, ?, ?, (select coalesce(max(generation), 0) + 1 from oauth_keys)
      where not exists (select 1 from oauth_keys k where k.signs_from <= ? and k.signs_until > ?
        and k.id not in (select value from json_each(?)))`,
    args: [id, JSON.stringify(publicJwk), sealed, ...times, neededAt, neededAt, JSON.stringify(useless)],
  })
  if (rowsAffected === 1) app.log.info('signing key made', { id })
}
