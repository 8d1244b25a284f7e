import { eq, inArray } from 'drizzle-orm'
import { appendResponseHeader, type H3Event } from 'h3'
import { rememberDevSignOut, sessions, users } from '#server/domains/accounts'
import { endedSessionCookie, readSessionTokens } from '#server/domains/auth-library'
import { getApp } from '#server/foundation/app-context'

/** Signs this browser out: the session rows are deleted and the cookie is taken away. Signing out twice is the same as once. */
export async function endSession(event: H3Event): Promise<void> {
  const app = getApp(event)
  const tokens = readSessionTokens(event.node.req.headers.cookie, app.config)
  appendResponseHeader(event, 'set-cookie', endedSessionCookie(app.config))
  event.context.session = undefined
  if (tokens.length === 0) return
  const ended = await app.db.orm
    .delete(sessions)
    .where(inArray(sessions.token, tokens))
    .returning({ userId: sessions.userId })
  if (app.config.devAccount === 'off' || ended.length === 0) return
  const [dev] = await app.db.orm.select({ id: users.id }).from(users).where(eq(users.kind, 'dev'))
  if (dev && ended.some(row => row.userId === dev.id)) await rememberDevSignOut(app, dev.id, true)
}
