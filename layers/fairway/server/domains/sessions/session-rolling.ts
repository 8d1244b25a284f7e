import { SESSION_LIFE_IN_SECONDS, SESSION_LIMIT_IN_SECONDS } from '#fairway/server/domains/people'

const ROLL_EVERY_IN_MS = 24 * 60 * 60 * 1000

/** The later end of a session that was not renewed for a day, or undefined; never beyond 180 days from the sign-in. All in milliseconds. */
export function newExpiry(
  row: { createdAt: number; updatedAt: number; expiresAt: number },
  now: number,
): number | undefined {
  if (now - row.updatedAt < ROLL_EVERY_IN_MS) return undefined
  const limit = row.createdAt + SESSION_LIMIT_IN_SECONDS * 1000
  const expiresAt = Math.min(now + SESSION_LIFE_IN_SECONDS * 1000, limit)
  return expiresAt > row.expiresAt ? expiresAt : undefined
}
