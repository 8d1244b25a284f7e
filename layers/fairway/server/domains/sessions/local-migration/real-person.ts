import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { libraryCookie } from '../sources/library-cookie'
import { requireSession } from '../get-session'

const LOCAL_EMAILS = new Set([DEV_EMAIL, LEGACY_LOCAL_EMAIL])

/**
 * The person that local data may be moved to: signed in in this browser with an account and an address of their own. Throws
 * `unauthenticated`, `not-a-real-account` for everybody else, `email-not-verified`, and `local-migration-off` where it is not offered to them.
 */
export async function requireRealPerson(event: H3Event): Promise<Session> {
  const app = getApp(event)
  const session = await requireSession(event)
  if (LOCAL_EMAILS.has(session.email) || !(await isOwnCookie(event, session))) throw new AppError('not-a-real-account')
  const { isOffered, owner } = app.config.localMigration
  if (!isOffered || (owner !== undefined && owner !== session.email)) throw new AppError('local-migration-off')
  // Where one address is named, anybody may have typed it into a sign-up form.
  const mustBeVerified = owner !== undefined || !app.config.signIn.acceptsUnverified
  if (mustBeVerified && !session.emailVerified) throw new AppError('email-not-verified')
  return session
}

// Bearers, embeds, the application's own sessions and the identity of AUTH_DISABLED are not accounts that rows can be given to.
async function isOwnCookie(event: H3Event, session: Session): Promise<boolean> {
  if (/^bearer\b/i.test(event.node.req.headers.authorization ?? '')) return false
  const own = await libraryCookie.find(event, getApp(event))
  return own?.userId === session.userId
}
