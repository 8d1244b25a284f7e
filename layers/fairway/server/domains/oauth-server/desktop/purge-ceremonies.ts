import { lte } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { desktopCeremonies } from '../tables'

/** Deletes ceremonies whose five minutes are over. */
export async function purgeDesktopCeremonies(app: App): Promise<void> {
  await app.db.orm.delete(desktopCeremonies).where(lte(desktopCeremonies.expiresAt, app.now()))
}
