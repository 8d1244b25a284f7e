import { and, desc, eq, gt, inArray, lte } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { inBackgroundOnce } from '#fairway/server/kernel/background'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { SESSION_LIFE_IN_SECONDS, SESSION_LIMIT_IN_SECONDS, sessionCookie } from './session-cookie'
import { sessions, users, verifications } from './tables'

/** A session's row as read by `sessionByToken`; times in milliseconds. */
export interface SessionRow {
  sessionId: string
  token: string
  createdAt: number
  updatedAt: number
  expiresAt: number
  lastUsedAt: number | null
  /** The longest time between two uses, in milliseconds. */
  longestPause: number
  /** The sign-in method. */
  provider: string
  /** 1 when the sign-in proved that the address belongs to the person. */
  provesAddress: number
  /** The domain or tenant that the provider vouched for; null where it named none. */
  providerDomain: string | null
  /** 1 when the session has proved a second factor. */
  provedSecondFactor: number
}

/**
 * The statement that finds a live session by its token, with the caller's columns and joins (`s.user_id` is the owner). Its
 * values: token, now.
 */
export const sessionByToken = ({ columns, joins }: { columns: string; joins(userId: string): string }): string => `
  select s.id as sessionId, s.token as token, s.created_at as createdAt, s.updated_at as updatedAt, s.expires_at as expiresAt,
    s.last_used_at as lastUsedAt, s.longest_pause as longestPause, s.provider as provider, s.proves_address as provesAddress,
    s.provider_domain as providerDomain, s.proved_second_factor as provedSecondFactor, ${columns}
  from sessions s ${joins('s.user_id')} where s.token = ? and s.expires_at > ?`

/** The condition that the session with the id in this column is live. Its value: now. */
export const isSessionLive = (sessionId: string): string =>
  `exists (select 1 from sessions s where s.id = ${sessionId} and s.expires_at > ?)`

/** The number of live sessions of the account in this column. Its value: now. */
export const liveSessionCount = (userId: string): string =>
  `(select count(*) from sessions s where s.user_id = ${userId} and s.expires_at > ?)`

/**
 * When the account in this column most recently used a session, in milliseconds, exact to five minutes. Null without a session.
 */
export const lastActiveSql = (userId: string): string =>
  `(select max(coalesce(s.last_used_at, s.created_at)) from sessions s where s.user_id = ${userId})`

/** The statement that marks a session of this person as one that proved the address. */
export const provesAddressStatement = (sessionId: string | null, userId: string): InStatement => ({
  sql: 'update sessions set proves_address = 1 where id = ? and user_id = ?',
  args: [sessionId, userId],
})

/** The statement that marks a session of this person as one that proved a second factor, if the condition `when` holds. */
export const provesSecondFactorStatement = (sessionId: string | null, userId: string, when?: SqlPart): InStatement => ({
  sql: `update sessions set proved_second_factor = 1 where id = ? and user_id = ?${when ? ` and ${when.sql}` : ''}`,
  args: [sessionId, userId, ...(when?.args ?? [])],
})

const ROLL_EVERY_IN_MS = 24 * 60 * 60 * 1000

/**
 * The new end of a session that was not renewed for a day, or undefined. Never beyond 180 days from the sign-in. All in
 * milliseconds.
 */
export function newExpiry(
  row: { createdAt: number; updatedAt: number; expiresAt: number },
  now: number,
): number | undefined {
  if (now - row.updatedAt < ROLL_EVERY_IN_MS) return undefined
  const limit = row.createdAt + SESSION_LIMIT_IN_SECONDS * 1000
  const expiresAt = Math.min(now + SESSION_LIFE_IN_SECONDS * 1000, limit)
  return expiresAt > row.expiresAt ? expiresAt : undefined
}

/**
 * Renews a session that is due (`newExpiry`). Returns its end in milliseconds, and the `Set-Cookie` value only to the request
 * that renewed it.
 */
export async function rollSession(app: App, row: SessionRow): Promise<{ expiresAt: number; cookie?: string }> {
  const now = app.now().getTime()
  const expiresAt = newExpiry(row, now)
  if (expiresAt === undefined) return { expiresAt: row.expiresAt }
  const renewed = await app.db.client
    .execute({
      sql: 'update sessions set expires_at = ?, updated_at = ? where id = ? and updated_at = ?',
      args: [expiresAt, now, row.sessionId, row.updatedAt],
    })
    .catch(whileNothingIsWritten)
  if (!renewed) return { expiresAt: row.expiresAt }
  if (renewed.rowsAffected === 0) return { expiresAt }
  return { expiresAt, cookie: sessionCookie(row.token, app.config, Math.ceil((expiresAt - now) / 1000)) }
}

// When the database is read-only, sessions are renewed later and reads still work.
function whileNothingIsWritten(error: unknown): undefined {
  if (!(error instanceof AppError && error.status === 503)) throw error
}

const TOUCH_EVERY_IN_MS = 5 * 60 * 1000

/** Records when and from which address a session was used, at most once in five minutes, in the background. */
export function touchSession(
  app: App,
  { sessionId, createdAt, lastUsedAt }: Pick<SessionRow, 'sessionId' | 'createdAt' | 'lastUsedAt'>,
  address: () => string,
): void {
  const now = app.now().getTime()
  if (now - (lastUsedAt ?? createdAt) < TOUCH_EVERY_IN_MS) return
  const ipAddress = address()
  inBackgroundOnce(app, 'touch-session', sessionId, async () => {
    await app.db.client.execute({
      sql: `update sessions set longest_pause = max(longest_pause, ?1 - coalesce(last_used_at, created_at)), last_used_at = ?1,
        ip_address = ?2 where id = ?3 and last_used_at is ?4`,
      args: [now, ipAddress, sessionId, lastUsedAt],
    })
  })
}

interface SessionUse {
  /** Of its person. */
  email: string
  /** The network address of the latest noted use. */
  address: string | null
  /** Milliseconds, like the others. */
  signedInAt: number
  usedAt: number
  longestPause: number
}

/** How the live sessions of people are used, at most 5,000. `users` selects the IDs of the people. */
export const listSessionsOf = (app: App, users: { sql: string; args: string[] }): Promise<SessionUse[]> =>
  app.db.prepareRead<SessionUse>(
    `select u.email as email, s.ip_address as address, s.created_at as signedInAt,
      coalesce(s.last_used_at, s.created_at) as usedAt, s.longest_pause as longestPause
     from sessions s join users u on u.id = s.user_id where s.user_id in (${users.sql}) and s.expires_at > ? limit 5000`,
  )([...users.args, app.now().getTime()])

/** The live sessions of a person, as rows. */
export const listSessions = (app: App, userId: string): Promise<(typeof sessions.$inferSelect)[]> =>
  app.db.orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, app.now())))

/** The most recent sign-in method of a person; `view` when they have no session left. */
export async function newestSignIn(
  app: App,
  userId: string,
): Promise<{ provider: string; providerDomain: string | null; provedSecondFactor: boolean }> {
  const { provider, providerDomain, provedSecondFactor } = sessions
  const [newest] = await app.db.orm
    .select({ provider, providerDomain, provedSecondFactor })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt))
    .limit(1)
  return newest ?? { provider: 'view', providerDomain: null, provedSecondFactor: false }
}

/** Ends the sessions with these tokens. Returns the owner's id for each deleted session. */
export async function endSessionsByToken(app: App, tokens: string[]): Promise<string[]> {
  const ended = await app.db.orm
    .delete(sessions)
    .where(inArray(sessions.token, tokens))
    .returning({ userId: sessions.userId })
  return ended.map(({ userId }) => userId)
}

/** What a live session of a person proved when it began; undefined without one. */
export async function findSessionProof(app: App, userId: string, id: string) {
  const { provider, provesAddress, provedSecondFactor, createdAt, lastUsedAt, longestPause } = sessions
  const [row] = await app.db.orm
    .select({ provider, provesAddress, provedSecondFactor, createdAt, lastUsedAt, longestPause })
    .from(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
  return row
}

/** Ends one session of a person. Returns false when it belongs to another person or does not exist. */
export async function endSessionById(app: App, userId: string, id: string): Promise<boolean> {
  const ended = await app.db.orm
    .delete(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
    .returning({ id: sessions.id })
  return ended.length > 0
}

/** Whether an account has a live session from this network (`addressKey`), or with `isProved` one that proved a second factor. */
export async function hasSessionFrom(
  app: App,
  who: { email: string } | { userId: string },
  network: string,
  { isProved = false } = {},
): Promise<boolean> {
  const rows = await app.db.orm
    .select({ address: sessions.ipAddress })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        'email' in who ? eq(users.email, who.email) : eq(users.id, who.userId),
        gt(sessions.expiresAt, app.now()),
        isProved ? eq(sessions.provedSecondFactor, true) : undefined,
      ),
    )
  return rows.some(({ address }) => address !== null && addressKey(address) === network)
}

/** Deletes expired sessions and confirmation rows. */
export async function purgeSessions(app: App): Promise<void> {
  await app.db.orm.delete(sessions).where(lte(sessions.expiresAt, app.now()))
  await app.db.orm.delete(verifications).where(lte(verifications.expiresAt, app.now()))
}
