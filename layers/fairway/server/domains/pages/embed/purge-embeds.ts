import { lte } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { embedTickets, embedTokens } from '../tables'

/** Deletes tickets and tokens of embed pages whose time is up; they opened nothing any more. */
export async function purgeEmbeds(app: App): Promise<void> {
  await app.db.orm.delete(embedTickets).where(lte(embedTickets.expiresAt, app.now()))
  await app.db.orm.delete(embedTokens).where(lte(embedTokens.expiresAt, app.now()))
}
