import { and, eq, isNotNull } from 'drizzle-orm'
import { z } from 'zod'
import { twoFactor, users, mintSession } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { issueOneTime, type OneTimePurpose, spendOneTime, tryOneTime } from '#fairway/server/kernel/one-time/one-time'
import { consumeCode } from './second-factor-code'

const COOKIE = 'second_factor'
const LIFE_IN_SECONDS = 10 * 60
const CODES_PER_SIGN_IN = 5

const firstFactorSchema = z.object({
  userId: z.string(),
  securityVersion: z.number(),
  provider: z.string(),
  provesAddress: z.boolean(),
})

interface Visitor {
  clientAddress: string
  userAgent: string
  cookieHeader?: string
}

/** Who has proved the first factor, how, and under which security version of the account. */
export type FirstFactor = z.output<typeof firstFactorSchema>

/** A sign-in that has proved its first factor and waits for a code; its subject is the user. */
export const waitingSignIn: OneTimePurpose<FirstFactor> = {
  name: 'second-factor-sign-in',
  lifeInSeconds: LIFE_IN_SECONDS,
  payload: firstFactorSchema,
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
  const issued = await issueOneTime(app, waitingSignIn, { subject: userId, payload: first })
  throw new AppError('second-factor-required', {
    headers: { 'set-cookie': setCookieValue(app.config, COOKIE, issued?.secret ?? '', LIFE_IN_SECONDS) },
  })
}

/**
 * Ends a sign-in that waits for its second factor and gives the cookies to set. Throws `invalid-code`, `second-factor-ended` after
 * five wrong codes or ten minutes, `credentials-changed`, and `rate-limited`.
 */
export async function signInWithCode(app: App, { code }: { code: string }, visitor: Visitor): Promise<string[]> {
  const token = readCookie(app.config, COOKIE, visitor.cookieHeader)
  // Counted before the code is looked at, so that many requests at once have no more tries than one after the other.
  const tried = token && (await tryOneTime(app, waitingSignIn, token, CODES_PER_SIGN_IN))
  if (!token || !tried) throw ended(app)
  const { userId } = tried.payload
  if (!(await consumeCode(app, userId, code)))
    throw tried.tries >= CODES_PER_SIGN_IN ? ended(app) : new AppError('invalid-code')
  const own = await spendOneTime(app, waitingSignIn, token)
  const [user] = await app.db.orm.select({ email: users.email }).from(users).where(eq(users.id, userId))
  if (!own || !user) throw ended(app)
  const { clientAddress: ipAddress, userAgent } = visitor
  const { cookie } = await mintSession(app, { ...own.payload, email: user.email, ipAddress, userAgent })
  return [cookie, endedCookie(app)]
}

const endedCookie = (app: App): string => setCookieValue(app.config, COOKIE, '', 0)

const ended = (app: App): AppError =>
  new AppError('second-factor-ended', { headers: { 'set-cookie': endedCookie(app) } })
