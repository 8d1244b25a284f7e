import { and, eq, gt, isNotNull, lt, lte, sql } from 'drizzle-orm'
import { twoFactor, twoFactorSignIns, users, mintSession } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { consumeCode } from './second-factor-code'

const COOKIE = 'second_factor'
const LIFE_IN_SECONDS = 10 * 60
const CODES_PER_SIGN_IN = 5

interface Visitor {
  clientAddress: string
  userAgent: string
  cookieHeader?: string
}

/** Who has proved the first factor, how, and under which security version of the account. */
export interface FirstFactor {
  userId: string
  securityVersion: number
  provider: string
  provesAddress: boolean
}

/**
 * Throws `second-factor-required`, with the cookie that the code must come with, when this person has two-factor sign-in. To be
 * called after the first factor was proved and before a session is made.
 */
export async function checkSecondFactor(app: App, first: FirstFactor): Promise<void> {
  const { userId } = first
  const [row] = await app.db.orm
    .select({ claimSince: users.claimSince })
    .from(twoFactor)
    .innerJoin(users, eq(users.id, twoFactor.userId))
    .where(and(eq(twoFactor.userId, userId), isNotNull(twoFactor.activeAt)))
  if (!row) return
  // Whoever used the account before its owner came may have set it up, and must not keep them out.
  if (row.claimSince && first.provesAddress) return
  const token = randomToken(32)
  const expiresAt = new Date(app.now().getTime() + LIFE_IN_SECONDS * 1000)
  await app.db.orm.insert(twoFactorSignIns).values({ tokenHash: sha256(token), ...first, attempts: 0, expiresAt })
  throw new AppError('second-factor-required', {
    headers: { 'set-cookie': setCookieValue(app.config, COOKIE, token, LIFE_IN_SECONDS) },
  })
}

/**
 * Ends a sign-in that waits for its second factor and gives the cookies to set. Throws `invalid-code`, `second-factor-ended` after
 * five wrong codes or ten minutes, `credentials-changed`, and `rate-limited`.
 */
export async function signInWithCode(app: App, { code }: { code: string }, visitor: Visitor): Promise<string[]> {
  const token = readCookie(app.config, COOKIE, visitor.cookieHeader)
  if (!token) throw ended(app)
  const { userId, attempts } = await countTry(app, token)
  if (!(await consumeCode(app, userId, code)))
    throw attempts >= CODES_PER_SIGN_IN ? ended(app) : new AppError('invalid-code')
  const waiting = eq(twoFactorSignIns.tokenHash, sha256(token))
  const [own] = await app.db.orm.delete(twoFactorSignIns).where(waiting).returning()
  const [user] = await app.db.orm.select({ email: users.email }).from(users).where(eq(users.id, userId))
  if (!own || !user) throw ended(app)
  const { clientAddress: ipAddress, userAgent } = visitor
  const { provider, provesAddress, securityVersion } = own
  const first = { userId, provider, provesAddress, securityVersion }
  const { cookie } = await mintSession(app, { ...first, email: user.email, ipAddress, userAgent })
  return [cookie, endedCookie(app)]
}

/** Deletes sign-ins that nobody finished. */
export async function purgeSecondFactorSignIns(app: App): Promise<void> {
  await app.db.orm.delete(twoFactorSignIns).where(lte(twoFactorSignIns.expiresAt, app.now()))
}

// Counted before the code is looked at, so that many requests at once have no more tries than one after the other.
async function countTry(app: App, token: string): Promise<typeof twoFactorSignIns.$inferSelect> {
  const [row] = await app.db.orm
    .update(twoFactorSignIns)
    .set({ attempts: sql`${twoFactorSignIns.attempts} + 1` })
    .where(
      and(
        eq(twoFactorSignIns.tokenHash, sha256(token)),
        gt(twoFactorSignIns.expiresAt, app.now()),
        lt(twoFactorSignIns.attempts, CODES_PER_SIGN_IN),
      ),
    )
    .returning()
  if (!row) throw ended(app)
  return row
}

const endedCookie = (app: App): string => setCookieValue(app.config, COOKIE, '', 0)

const ended = (app: App): AppError =>
  new AppError('second-factor-ended', { headers: { 'set-cookie': endedCookie(app) } })
