import type { H3Event } from 'h3'
import { z } from 'zod'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { requireSession } from './get-session'

const RECENT_IN_MS = 15 * 60 * 1000

const timeSchema = z.date()

/**
 * When the person of this session last proved who they are; null when nobody can tell: where sign-in is switched off, and where
 * the application's own sign-in does not say (`signedInAt` of `defineFwConfig`), or says what has not happened yet.
 */
export async function signedInAt(event: H3Event, session: Session): Promise<Date | null> {
  const { config, now } = getApp(event)
  if (session.provider === 'auth-disabled') return null
  if (!config.customSignIn) return new Date(session.createdAt)
  const at = timeSchema.safeParse(await config.customSignIn.signedInAt?.(event))
  return at.success && at.data <= now() ? at.data : null
}

/** The session of somebody who signed in within the last 15 minutes; throws `unauthenticated` and `fresh-session-required`. */
export async function requireRecentSignIn(event: H3Event): Promise<Session> {
  const session = await requireSession(event)
  const at = await signedInAt(event, session)
  if (!at || getApp(event).now().getTime() - at.getTime() > RECENT_IN_MS) throw new AppError('fresh-session-required')
  return session
}
