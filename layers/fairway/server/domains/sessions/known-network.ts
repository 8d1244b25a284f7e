import { and, eq, gt } from 'drizzle-orm'
import { sessions, users } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'

/** Whether somebody is signed in to the account of this address from this network at the moment (`addressKey`). */
export async function hasSessionFrom(app: App, email: string, network: string): Promise<boolean> {
  const rows = await app.db.orm
    .select({ address: sessions.ipAddress })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(users.email, email), gt(sessions.expiresAt, app.now())))
  return rows.some(({ address }) => address !== null && addressKey(address) === network)
}
