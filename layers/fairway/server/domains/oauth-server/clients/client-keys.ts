import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import type { z } from 'zod'
import { fetchIssuerKeys } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { guardedFetchOf } from '#fairway/server/kernel/http/outside-fetch'
import { createCache } from '#fairway/server/kernel/cache'
import { OAuthError } from '../oauth-error'
import { FETCH_LIMITS, isWithheld, WithheldDocument } from './client-metadata'
import { type ClientSigning, keySetSchema } from './client-signing'
import { fetchBudgetOf } from './document-clients'

const MINUTE_IN_MS = 60_000
const LIFE_IN_MS = 5 * MINUTE_IN_MS
/** How long the latest good keys replace keys that cannot be fetched. */
const STAND_IN_LIFE_IN_MS = 24 * 60 * MINUTE_IN_MS
/** For an unknown `kid`, keys of this age or older are fetched again. */
const FETCHED_AGAIN_AFTER_IN_MS = MINUTE_IN_MS / 2

interface Kept {
  find: JWTVerifyGetKey
  fetchedAt: number
}

/** Returns the keys of a client. Fetches count for the network of the caller. */
export function keysOf(app: App, { jwks, jwksUri }: ClientSigning, network: string): JWTVerifyGetKey {
  if (jwksUri === undefined) return createLocalJWKSet(jwks ?? { keys: [] })
  return app.memo('client-keys', () => createKeys(app, fetchKeys))(jwksUri, network)
}

/** Returns the keys of an issuer of assertions. Fetches count for the network of the caller. */
export const keysOfIssuer = (app: App, issuer: string, network: string): JWTVerifyGetKey =>
  app.memo('issuer-keys', () => createKeys(app, fetchKeysOfIssuer))(issuer, network)

/** Whether a fetch failed for now. The guard's own refusals have no cause. */
export const isForNow = (error: unknown): boolean =>
  error instanceof WithheldDocument || (error instanceof GuardedFetchError && error.cause !== undefined)

/**
 * Caches keys for five minutes. Concurrent callers cause one fetch. Throws `temporarily_unavailable` when keys cannot be fetched,
 * or when too many are.
 */
function createKeys(app: App, fetchFrom: (app: App, uri: string) => Promise<KeySet>) {
  const cache = createCache<Kept>('client-documents')
  const running = new Map<string, Promise<Kept>>()
  const ageOf = ({ fetchedAt }: Kept) => app.now().getTime() - fetchedAt

  async function load(uri: string): Promise<Kept> {
    try {
      const current = { find: createLocalJWKSet(await fetchFrom(app, uri)), fetchedAt: app.now().getTime() }
      cache.set(uri, current)
      return current
    } catch (error) {
      if (!isForNow(error)) throw error
      const before = cache.get(uri)
      if (before && ageOf(before) <= STAND_IN_LIFE_IN_MS) return before
      const description = 'The keys could not be fetched. Try again later.'
      throw new OAuthError('temporarily_unavailable', description, 503, { cause: error })
    }
  }

  async function loadOnce(uri: string, network: string): Promise<Kept> {
    const underWay = running.get(uri)
    if (underWay) return underWay
    const leave = fetchBudgetOf(app).enter(uri, network)
    const run = load(uri).finally(() => {
      leave()
      running.delete(uri)
    })
    running.set(uri, run)
    return run
  }

  return (uri: string, network: string): JWTVerifyGetKey =>
    async (header, token) => {
      const known = cache.get(uri)
      const current = known && ageOf(known) < LIFE_IN_MS ? known : await loadOnce(uri, network)
      try {
        return await current.find(header, token)
      } catch (error) {
        const isUnknown = error instanceof errors.JWKSNoMatchingKey
        if (!isUnknown || ageOf(current) < FETCHED_AGAIN_AFTER_IN_MS) throw error
        return (await loadOnce(uri, network)).find(header, token)
      }
    }
}

type KeySet = z.output<typeof keySetSchema>

async function fetchKeysOfIssuer(app: App, issuer: string): Promise<KeySet> {
  const fetched = await fetchIssuerKeys(app, issuer).catch((cause: unknown) => {
    throw new WithheldDocument('the issuer did not publish its keys', { cause })
  })
  return parseKeys(fetched)
}

async function fetchKeys(app: App, uri: string): Promise<KeySet> {
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const { status, text } = await guardedFetchOf(app)(uri, { ...FETCH_LIMITS, headers, takesPorts: true })
  if (isWithheld(status)) throw new WithheldDocument(`it answered ${status}`)
  return parseKeys(status === 200 ? jsonOf(text) : undefined)
}

function parseKeys(fetched: unknown): KeySet {
  const keys = keySetSchema.safeParse(fetched)
  if (!keys.success) throw new errors.JWKSInvalid(keys.error.issues[0]?.message)
  return keys.data
}
