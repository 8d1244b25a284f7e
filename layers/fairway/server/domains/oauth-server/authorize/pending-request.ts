import { and, eq, gt, lte } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { seal, unseal } from '#fairway/server/kernel/crypto/seal'
import { OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { oauthPendingRequests } from '../tables'

const LIFE_IN_MS = 60 * 60 * 1000
const SEAL_PURPOSE = 'oauth-pending-requests'
const PARAMETER = 'pending'

export interface PendingRequest {
  query: string
  createdAt: Date
}

/** Keeps a request for an hour and gives a short address that shows it again. */
export async function keepRequest(app: App, query: string): Promise<string> {
  const secret = randomToken(32)
  const hash = sha256(secret)
  const createdAt = app.now()
  const expiresAt = new Date(createdAt.getTime() + LIFE_IN_MS)
  const sealed = seal(app.config.keys, SEAL_PURPOSE, query, hash)
  await app.db.orm.insert(oauthPendingRequests).values({ hash, query: sealed, createdAt, expiresAt })
  return `${OAUTH_AUTHORIZE_PATH}?${PARAMETER}=${secret}`
}

/** Whether a query names a kept request instead of being one. */
export const namesKeptRequest = (query: string): boolean => query.startsWith(`?${PARAMETER}=`)

/** The kept request that a query names; null when its hour is over. */
export async function findKeptRequest(app: App, query: string): Promise<PendingRequest | null> {
  const hash = sha256(query.slice(`?${PARAMETER}=`.length))
  const isLive = and(eq(oauthPendingRequests.hash, hash), gt(oauthPendingRequests.expiresAt, app.now()))
  const [row] = await app.db.orm.select().from(oauthPendingRequests).where(isLive)
  return row ? { query: unseal(app.config.keys, SEAL_PURPOSE, row.query, hash), createdAt: row.createdAt } : null
}

/** Deletes kept requests whose hour is over. */
export async function purgePendingRequests(app: App): Promise<void> {
  await app.db.orm.delete(oauthPendingRequests).where(lte(oauthPendingRequests.expiresAt, app.now()))
}
