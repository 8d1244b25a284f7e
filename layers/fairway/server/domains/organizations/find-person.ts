import { eq } from 'drizzle-orm'
import { users } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'

/** The account with this address, or null. */
export async function findPerson(
  app: App,
  email: string,
): Promise<{ userId: string; email: string; name: string } | null> {
  const [row] = await app.db.orm
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(users)
    .where(eq(users.email, email.trim().toLowerCase()))
  return row ?? null
}
