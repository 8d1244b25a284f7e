import { and, desc, eq, notInArray } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { sessions } from '../tables'

/** How long an unused session lives: 30 days. */
export const SESSION_LIFE_IN_SECONDS = 30 * 24 * 60 * 60
/** How long a session lives at most, counted from the sign-in: 180 days. */
export const SESSION_LIMIT_IN_SECONDS = 180 * 24 * 60 * 60
const SESSIONS_PER_USER = 25

/** Ends the oldest sessions of a user beyond the 25 that one person may have. */
export async function endOldestSessions(app: App, userId: string): Promise<void> {
  const newest = app.db.orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(SESSIONS_PER_USER)
  await app.db.orm.delete(sessions).where(and(eq(sessions.userId, userId), notInArray(sessions.id, newest)))
}
