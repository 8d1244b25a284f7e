import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { accounts, users } from '../tables'
import { passwordHashOf } from '../accounts/verify-email'
import { getPasswordHasher } from './get-library'

type User = typeof users.$inferSelect

/**
 * The person whose address and password these are; an unknown address takes as long as a wrong password, and both throw
 * `invalid-credentials`. Account and password are read at once, so the account's security version is that of this very password.
 */
export async function findUserByPassword(app: App, input: { email: string; password: string }): Promise<User> {
  const [row] = await app.db.orm
    .select({ user: users, hash: accounts.password })
    .from(users)
    .leftJoin(accounts, and(eq(accounts.userId, users.id), eq(accounts.providerId, 'credential')))
    .where(eq(users.email, input.email))
  const hasher = getPasswordHasher(app)
  const isRight = row?.hash
    ? await hasher.verify(row.hash, input.password)
    : await hasher.hash(input.password).then(() => false)
  if (!row || !isRight) throw new AppError('invalid-credentials')
  return row.user
}

/**
 * The account's security version under which this was the password of the person; throws `invalid-credentials` when it is not,
 * and `no-password` when they have none.
 */
export async function confirmPassword(app: App, userId: string, password: string): Promise<number> {
  const [row] = await app.db.orm
    .select({ hash: accounts.password, securityVersion: users.securityVersion })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, 'credential')))
  if (!row?.hash) throw new AppError('no-password')
  if (!(await getPasswordHasher(app).verify(row.hash, password))) throw new AppError('invalid-credentials')
  return row.securityVersion
}

/** Whether a person can sign in by password. */
export const hasPassword = async (app: App, userId: string): Promise<boolean> =>
  (await passwordHashOf(app, userId)) !== undefined
