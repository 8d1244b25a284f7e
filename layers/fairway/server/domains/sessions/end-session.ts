import { and, eq, gt, inArray, notInArray } from 'drizzle-orm'
import { appendResponseHeader, type H3Event } from 'h3'
import {
  endSessionsStatements,
  endUnderWayStatements,
  rememberDevSignOut,
  sessions,
  users,
  endedSessionCookie,
  readSessionTokens,
} from '#fairway/server/domains/people'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { optOutCookie } from './fixed-identity'
import { requireSession } from './get-session'

/** Signs this browser out: the session rows are deleted and the cookie is taken away. Signing out twice is the same as once. Throws `sign-out-elsewhere`. */
export async function endSession(event: H3Event): Promise<void> {
  const app = getApp(event)
  if (app.config.customSignIn) return endCustomSession(event, app)
  if (app.config.authDisabled) appendResponseHeader(event, 'set-cookie', optOutCookie(app.config))
  const tokens = tokensOf(event, app)
  takeCookieAway(event, app)
  if (tokens.length === 0) return
  const ended = await app.db.orm
    .delete(sessions)
    .where(inArray(sessions.token, tokens))
    .returning({ userId: sessions.userId })
  for (const userId of new Set(ended.map(row => row.userId))) await rememberDevLeft(app, userId)
}

/** Ends one session of whoever asks, which may be the one that asks; throws `not-found` for one that is not theirs. */
export async function endDevice(event: H3Event, id: string): Promise<void> {
  const { userId } = await requireSession(event)
  const app = getApp(event)
  const [ended] = await app.db.orm
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
    .returning({ token: sessions.token })
  if (!ended) throw new AppError('not-found')
  if (!tokensOf(event, app).includes(ended.token)) {
    // What that device has under way elsewhere ends too; nobody's session does.
    await app.db.client.batch(endUnderWayStatements(app, { userId }), 'write')
    return
  }
  takeCookieAway(event, app)
  await rememberDevLeft(app, userId)
}

/** Ends every session of whoever asks but the one that asks, and every sign-in under way; gives how many sessions were live. */
export async function endOtherDevices(event: H3Event): Promise<number> {
  const { userId } = await requireSession(event)
  const app = getApp(event)
  const tokens = tokensOf(event, app)
  const except = tokens.length > 0 ? { sql: `token in (${tokens.map(() => '?').join(', ')})`, args: tokens } : undefined
  const live = and(eq(sessions.userId, userId), gt(sessions.expiresAt, app.now()), notInArray(sessions.token, tokens))
  const count = await app.db.orm.$count(sessions, live)
  await app.db.client.batch(endSessionsStatements(app, { userId, except }), 'write')
  return count
}

const tokensOf = (event: H3Event, app: App): string[] => readSessionTokens(event.node.req.headers.cookie, app.config)

function takeCookieAway(event: H3Event, app: App): void {
  appendResponseHeader(event, 'set-cookie', endedSessionCookie(app.config))
  event.context.session = undefined
}

/** A development account that was left is not signed in again by itself. */
async function rememberDevLeft(app: App, userId: string): Promise<void> {
  if (app.config.devAccount === 'off') return
  const [dev] = await app.db.orm.select({ id: users.id }).from(users).where(eq(users.kind, 'dev'))
  if (dev?.id === userId) await rememberDevSignOut(app, userId, true)
}

async function endCustomSession(event: H3Event, app: App): Promise<void> {
  const end = app.config.customSignIn?.endSession
  if (!end) throw new AppError('sign-out-elsewhere')
  await end(event)
  event.context.session = undefined
}
