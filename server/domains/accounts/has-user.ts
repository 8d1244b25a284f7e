import { eq } from 'drizzle-orm'
import type { App } from '#server/foundation/app-context'
import { users } from './tables'

/** Whether there is a user with this e-mail address (lower case). */
export async function hasUser(app: App, email: string): Promise<boolean> {
  const rows = await app.db.orm.select({ id: users.id }).from(users).where(eq(users.email, email)).limit(1)
  return rows.length > 0
}
