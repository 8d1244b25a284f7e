import { lte } from 'drizzle-orm'
import { sessions } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'

/** Deletes sessions whose time is up; they opened nothing any more. */
export async function purgeSessions(app: App): Promise<void> {
  await app.db.orm.delete(sessions).where(lte(sessions.expiresAt, app.now()))
}
