import type { H3Event } from 'h3'
import { getApp } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import { requireSession } from './get-session'

const RECENT_IN_MS = 15 * 60 * 1000

/** The session of somebody who signed in within the last 15 minutes; throws `unauthenticated` and `fresh-session-required`. */
export async function requireRecentSignIn(event: H3Event): Promise<Session> {
  const session = await requireSession(event)
  const age = getApp(event).now().getTime() - new Date(session.createdAt).getTime()
  // Nobody has signed in where sign-in is switched off; what is added there would outlive the switch.
  if (session.provider === 'auth-disabled' || age > RECENT_IN_MS) throw new AppError('fresh-session-required')
  return session
}
