import { and, eq, gt, ne } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { sessions, users } from '../tables'

export interface LocalIdentity {
  userId: string
  email: string
  emailVerified: boolean
  name: string
  image: string | null
}

/** The one person that the command line acts as: FW_USER_EMAIL, else the only one signed in to this database. Throws `unauthenticated` with what to do; never in production. */
export async function findLocalIdentity(app: App): Promise<LocalIdentity> {
  const { enabled, email } = app.config.localIdentity
  if (!enabled) {
    const isProduction = app.config.environment === 'production'
    throw refusal(
      isProduction
        ? 'The command line acts as nobody in production.'
        : 'Set AUTH_MODE=local to act as the person who is signed in to the local database.',
    )
  }
  if (email) return namedPerson(app, email)
  const people = await signedInPeople(app)
  const [only] = people
  if (!only)
    throw refusal('Nobody is signed in to this database. Run `npm run dev`, open the application once, and try again.')
  if (people.length > 1)
    throw refusal(`${people.length} people are signed in to this database. Name one of them in FW_USER_EMAIL.`)
  return only
}

const refusal = (detail: string): AppError => new AppError('unauthenticated', { detail })

const columns = {
  userId: users.id,
  email: users.email,
  emailVerified: users.emailVerified,
  name: users.name,
  image: users.image,
}

async function namedPerson(app: App, email: string): Promise<LocalIdentity> {
  const [person] = await app.db.orm.select(columns).from(users).where(eq(users.email, email))
  if (!person) throw refusal('FW_USER_EMAIL names nobody in this database.')
  return person
}

// A real person comes before the throwaway account; without one, the throwaway account is who is signed in.
async function signedInPeople(app: App): Promise<LocalIdentity[]> {
  const live = and(gt(sessions.expiresAt, app.now()), ne(users.email, LEGACY_LOCAL_EMAIL))
  const find = (condition: ReturnType<typeof and>) =>
    app.db.orm.selectDistinct(columns).from(sessions).innerJoin(users, eq(users.id, sessions.userId)).where(condition)
  const people = await find(and(live, ne(users.kind, 'dev')))
  return people.length > 0 ? people : find(and(live, eq(users.kind, 'dev')))
}
