import { APIError } from 'better-auth/api'
import { eq } from 'drizzle-orm'
import { users } from '#server/domains/accounts'
import { checkProviderFor } from '#server/domains/organizations'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { PROVIDER_REQUIRED } from './library-error'

/** The library signs in by password only; other ways make their sessions by `mintSession`. */
const PROVIDER = 'password'

/** Stores with a new session how the person proved who they are; refuses what their organization does not accept. */
export async function withProvider<S extends { userId: string }>(
  app: App,
  session: S,
): Promise<{ data: S & { provider: string } }> {
  const [user] = await app.db.orm.select({ email: users.email }).from(users).where(eq(users.id, session.userId))
  try {
    if (user) await checkProviderFor(app, user.email, PROVIDER)
  } catch (error) {
    // Only the library's own error passes through the library as it is.
    if (error instanceof AppError && error.code === 'provider-required')
      throw new APIError('FORBIDDEN', { code: PROVIDER_REQUIRED, message: String(error.extra?.provider) })
    throw error
  }
  return { data: { ...session, provider: PROVIDER } }
}
