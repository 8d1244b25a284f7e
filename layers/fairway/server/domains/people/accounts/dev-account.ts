import { and, eq, ne } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { Person } from './verify-email'
import { users, userSettings } from '../tables'
import { writeUserSetting } from './user-settings'

const SIGNED_OUT = 'dev-signed-out'

/** Makes the development account when it is not there yet and gives its id and security version; any number of callers at once make one. */
export async function ensureDevAccount(app: App): Promise<Pick<Person, 'userId' | 'securityVersion'>> {
  const now = app.now()
  await app.db.orm
    .insert(users)
    .values({
      id: newId(),
      name: 'Dev',
      email: DEV_EMAIL,
      emailVerified: true,
      kind: 'dev',
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing()
  const [row] = await app.db.orm
    .select({ userId: users.id, securityVersion: users.securityVersion })
    .from(users)
    .where(eq(users.kind, 'dev'))
  if (!row) throw new Error(`the address ${DEV_EMAIL} belongs to another account`)
  return row
}

/** What the sign-in page does for a loopback visitor: sign in by itself, offer a button, or nothing. */
export async function devAccountState(app: App): Promise<'automatic' | 'button' | 'off'> {
  if (app.config.devAccount === 'off') return 'off'
  const people = await app.db.orm.select({ id: users.id }).from(users).where(ne(users.kind, 'dev')).limit(1)
  const [left] = await app.db.orm
    .select({ value: userSettings.value })
    .from(userSettings)
    .innerJoin(users, eq(users.id, userSettings.userId))
    .where(and(eq(users.kind, 'dev'), eq(userSettings.key, SIGNED_OUT)))
  if (people.length === 0 && !left) return 'automatic'
  const [dev] = await app.db.orm.select({ id: users.id }).from(users).where(eq(users.kind, 'dev'))
  return dev || people.length === 0 ? 'button' : 'off'
}

/** True in production over a database that was developed with: its development account is there and opens nothing. */
export async function holdsRefusedDevAccount(app: App): Promise<boolean> {
  if (app.config.environment !== 'production') return false
  const rows = await app.db.orm.select({ id: users.id }).from(users).where(eq(users.kind, 'dev'))
  return rows.length > 0
}

/** Remembers that the developer signed out (or came back), so that nobody is signed in again against their will. */
export async function rememberDevSignOut(app: App, userId: string, signedOut: boolean): Promise<void> {
  await writeUserSetting(app, userId, SIGNED_OUT, signedOut ? '1' : null)
}
