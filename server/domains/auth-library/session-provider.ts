import { APIError } from 'better-auth/api'
import { eq } from 'drizzle-orm'
import { users } from '#server/domains/accounts'
import { checkProviderFor } from '#server/domains/organizations'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { PROVIDER_REQUIRED } from './library-error'

/** What the library knows of the request that makes a session. */
interface EndpointContext {
  path?: string
  params?: unknown
}

/** Stores with a new session how the person proved who they are; refuses what their organization does not accept. */
export async function withProvider<S extends { userId: string }>(
  app: App,
  session: S,
  context: EndpointContext | null | undefined,
): Promise<{ data: S & { provider: string } }> {
  const provider = providerOf(context)
  const [user] = await app.db.orm.select({ email: users.email }).from(users).where(eq(users.id, session.userId))
  try {
    if (user) await checkProviderFor(app, user.email, provider)
  } catch (error) {
    // Only the library's own error passes through the library as it is.
    if (error instanceof AppError && error.code === 'provider-required')
      throw new APIError('FORBIDDEN', { code: PROVIDER_REQUIRED, message: String(error.extra?.provider) })
    throw error
  }
  return { data: { ...session, provider } }
}

function providerOf(context: EndpointContext | null | undefined): string {
  if (!context?.path?.startsWith('/callback/')) return 'password'
  const { params } = context
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
  return typeof id === 'string' ? id : 'unknown'
}
