import { eq } from 'drizzle-orm'
import { users } from '#server/domains/accounts'
import { afterSignIn } from '#server/domains/devices'
import type { App } from '#server/foundation/app-context'
import { canonicalAddress } from '#server/foundation/http/canonical-address'
import { endOldestSessions } from './session-life'

/** A new session as we or the library have stored it. */
export interface StartedSession {
  userId: string
  provider?: unknown
  ipAddress?: string | null
  userAgent?: string | null
}

/** What follows every new session, however it was made: the oldest ones beyond the limit end, and a new device is told of. */
export async function sessionStarted(app: App, session: StartedSession, knownEmail?: string): Promise<void> {
  const { userId, provider, ipAddress, userAgent } = session
  await endOldestSessions(app, userId)
  const email = knownEmail ?? (await emailOf(app, userId))
  if (!email) return
  afterSignIn(app, {
    userId,
    email,
    provider: typeof provider === 'string' ? provider : 'unknown',
    ipAddress: canonicalAddress(ipAddress ?? ''),
    userAgent: userAgent ?? '',
  })
}

async function emailOf(app: App, userId: string): Promise<string | undefined> {
  const [user] = await app.db.orm.select({ email: users.email }).from(users).where(eq(users.id, userId))
  return user?.email
}
