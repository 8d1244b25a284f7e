import { type H3Event, appendResponseHeader } from 'h3'
import {
  endedSessionCookie,
  endSessionById,
  endSessionsByToken,
  endSessionsStatements,
  endUnderWayStatements,
  findPerson,
  knownBrowserCookie,
  listSessions,
  noteAccountEvent,
  readDevice,
  readSessionTokens,
  rememberDevSignOut,
} from '#fairway/server/domains/people'
import { getApp, type App } from '#fairway/server/kernel/app-context'
import { canonicalAddress } from '#fairway/server/kernel/http/client-address'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import type { Device } from '#fairway/shared/schemas/account'
import { requireSession } from './get-session'

/** The live sessions of this request's person: the current one first, then the most recently used. Throws `unauthenticated`. */
export async function listDevices(event: H3Event): Promise<Device[]> {
  const { userId, id } = await requireSession(event)
  const app = getApp(event)
  const rows = await listSessions(app, userId)
  // The current session is in use now, although its stored last use may be older.
  const now = { lastUsedAt: app.now(), ipAddress: requestInfo(event).clientAddress }
  const devices = await Promise.all(
    rows.map(row => (row.id === id ? toDevice({ ...row, ...now }, true) : toDevice(row, false))),
  )
  return devices.toSorted(
    (a, b) =>
      Number(b.current) - Number(a.current) || b.lastUsedAt.localeCompare(a.lastUsedAt) || b.id.localeCompare(a.id),
  )
}

async function toDevice(row: Awaited<ReturnType<typeof listSessions>>[number], current: boolean): Promise<Device> {
  return {
    id: row.id,
    ...(await readDevice(row.userAgent)),
    address: row.ipAddress ? canonicalAddress(row.ipAddress) : null,
    provider: row.provider,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: (row.lastUsedAt ?? row.createdAt).toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    current,
  }
}

/** Signs this browser out: deletes the session rows and the cookie. Idempotent. Throws `sign-out-elsewhere`. */
export async function endSession(event: H3Event): Promise<void> {
  const app = getApp(event)
  if (app.config.customSignIn) return endCustomSession(event, app)
  const tokens = readSessionTokens(event.node.req.headers.cookie, app.config)
  takeCookieAway(event, app)
  if (tokens.length === 0) return
  for (const userId of new Set(await endSessionsByToken(app, tokens))) {
    appendResponseHeader(event, 'set-cookie', knownBrowserCookie(app.config, userId))
    await rememberDevLeft(app, userId)
  }
}

/** Ends one session of this request's person, which may be the current one. Throws `not-found` for other people's sessions. */
export async function endDevice(event: H3Event, id: string): Promise<void> {
  const session = await requireSession(event)
  const app = getApp(event)
  if (!(await endSessionById(app, session.userId, id))) throw new AppError('not-found')
  if (session.id !== id) noteAccountEvent(app, { kind: 'sessions-revoked', userId: session.userId, reason: '1' })
  if (session.id !== id) {
    // Also ends the sign-ins and hand-overs that are under way; the other sessions stay.
    await app.db.client.batch(endUnderWayStatements(app, { userId: session.userId }), 'write')
    return
  }
  takeCookieAway(event, app)
  await rememberDevLeft(app, session.userId)
}

/**
 * Ends all sessions of this request's person except the current one, and every sign-in under way. Returns the number of live
 * sessions that ended.
 */
export async function endOtherDevices(event: H3Event): Promise<number> {
  const { userId, id } = await requireSession(event)
  const app = getApp(event)
  const others = (await listSessions(app, userId)).filter(row => row.id !== id)
  const except = id === null ? undefined : { sql: 'id = ?', args: [id] }
  await app.db.client.batch(endSessionsStatements(app, { userId, except }), 'write')
  if (others.length > 0) noteAccountEvent(app, { kind: 'sessions-revoked', userId, reason: String(others.length) })
  return others.length
}

function takeCookieAway(event: H3Event, app: App): void {
  appendResponseHeader(event, 'set-cookie', endedSessionCookie(app.config))
  event.context.session = undefined
}

/** After a sign-out, the development account is not signed in again automatically. */
async function rememberDevLeft(app: App, userId: string): Promise<void> {
  if (app.config.devAccount === 'off') return
  const person = await findPerson(app, { userId })
  if (person?.kind === 'dev') await rememberDevSignOut(app, userId, true)
}

async function endCustomSession(event: H3Event, app: App): Promise<void> {
  const end = app.config.customSignIn?.endSession
  if (!end) throw new AppError('sign-out-elsewhere')
  await end(event)
  event.context.session = undefined
}
