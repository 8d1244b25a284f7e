import { eq } from 'drizzle-orm'
import { passwordHashOf, users } from '#server/domains/accounts'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { getPasswordHasher } from './get-library'

type User = typeof users.$inferSelect

/** The person whose address and password these are; an unknown address takes as long as a wrong password, and both throw `invalid-credentials`. */
export async function findUserByPassword(app: App, input: { email: string; password: string }): Promise<User> {
  const [user] = await app.db.orm.select().from(users).where(eq(users.email, input.email))
  const hash = user && (await passwordHashOf(app, user.id))
  const hasher = getPasswordHasher(app)
  const isRight = hash ? await hasher.verify(hash, input.password) : await hasher.hash(input.password).then(() => false)
  if (!user || !isRight) throw new AppError('invalid-credentials')
  return user
}

/** Throws `invalid-credentials` when this is not the password of the person, and `no-password` when they have none. */
export async function confirmPassword(app: App, userId: string, password: string): Promise<void> {
  const hash = await passwordHashOf(app, userId)
  if (!hash) throw new AppError('no-password')
  if (!(await getPasswordHasher(app).verify(hash, password))) throw new AppError('invalid-credentials')
}

/** Whether a person can sign in by password. */
export const hasPassword = async (app: App, userId: string): Promise<boolean> =>
  (await passwordHashOf(app, userId)) !== undefined
