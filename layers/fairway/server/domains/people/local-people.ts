import { and, eq, gt, ne, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { LEGACY_LOCAL_EMAIL, DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { newId } from '#fairway/server/kernel/crypto/random'
import { sessions, users, userSettings } from './tables'
import type { Person } from './person'
import { writeUserSetting } from './person-values'

/**
 * The ID of the person that the command line acts as: the only one signed in to this database, or the one of them that
 * FW_USER_EMAIL names. Throws `unauthenticated` with the next step. Never works in production.
 */
export async function findLocalPerson(app: App): Promise<string> {
  const { enabled, email } = app.config.localIdentity
  if (!enabled) {
    const isProduction = app.config.environment === 'production'
    throw refusal(
      isProduction
        ? 'The command line acts as nobody in production.'
        : 'Set AUTH_MODE=local to act as the person who is signed in to the local database.',
    )
  }
  const people = await signedInPeople(app, email)
  const [only] = people
  if (!only && email) throw refusal('FW_USER_EMAIL names nobody who is signed in to this database.')
  if (!only)
    throw refusal('Nobody is signed in to this database. Run `npm run dev`, open the application once, and try again.')
  if (people.length > 1)
    throw refusal(`${people.length} people are signed in to this database. Name one of them in FW_USER_EMAIL.`)
  return only
}

const refusal = (detail: string): AppError => new AppError('unauthenticated', { detail })

// Real people take precedence over the development account, which counts only when it is the only one signed in.
async function signedInPeople(app: App, email: string | undefined): Promise<string[]> {
  const isNamed = email === undefined ? ne(users.email, LEGACY_LOCAL_EMAIL) : eq(users.email, email)
  const live = and(gt(sessions.expiresAt, app.now()), isNamed)
  const rows = await app.db.orm
    .selectDistinct({ id: users.id, kind: users.kind })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(live)
  const people = rows.filter(({ kind }) => kind !== 'dev')
  return (people.length > 0 ? people : rows).map(({ id }) => id)
}

const SIGNED_OUT = 'dev-signed-out'
/** A literal, so that SQLite uses the partial index. */
const IS_DEV = sql`${users.kind} = 'dev'`

/**
 * Creates the development account if there is none and returns its id and security version. Concurrent calls create one
 * account.
 */
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
    .where(IS_DEV)
  if (!row) throw new Error(`the address ${DEV_EMAIL} belongs to another account`)
  return row
}

/** The behavior of the sign-in page for a loopback visitor: automatic sign-in, a button, or neither. */
export async function devAccountState(app: App): Promise<'automatic' | 'button' | 'off'> {
  if (app.config.devAccount === 'off') return 'off'
  const people = await app.db.orm.select({ id: users.id }).from(users).where(ne(users.kind, 'dev')).limit(1)
  const [left] = await app.db.orm
    .select({ value: userSettings.value })
    .from(userSettings)
    .innerJoin(users, eq(users.id, userSettings.userId))
    .where(and(IS_DEV, eq(userSettings.key, SIGNED_OUT)))
  if (people.length === 0 && !left) return 'automatic'
  const [dev] = await app.db.orm.select({ id: users.id }).from(users).where(IS_DEV)
  return dev || people.length === 0 ? 'button' : 'off'
}

/** True in production when the database was used in development: its development account exists and cannot sign in. */
export async function holdsRefusedDevAccount(app: App): Promise<boolean> {
  if (app.config.environment !== 'production') return false
  const rows = await app.db.orm.select({ id: users.id }).from(users).where(IS_DEV)
  return rows.length > 0
}

/** Records that the developer signed out (or returned), so that the sign-in page does not sign them in again automatically. */
export async function rememberDevSignOut(app: App, userId: string, signedOut: boolean): Promise<void> {
  await writeUserSetting(app, userId, SIGNED_OUT, signedOut ? '1' : null)
}
