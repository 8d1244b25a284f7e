// The second factor: the step between the first factor and the session, codes of an app, and backup codes.
import { and, eq, inArray, isNotNull, lt } from 'drizzle-orm'
import { z } from 'zod'
import {
  checkNotSuspended,
  findPerson,
  hasSessionFrom,
  mintSession,
  noteAccountEvent,
  personJoin,
  provesSecondFactorStatement,
  SECURITY_VERSION_HOLDS,
} from '#fairway/server/domains/people'
import { twoFactor, twoFactorBackupCodes } from '../tables'
import type { App } from '#fairway/server/kernel/app-context'
import { hmacBase64 } from '#fairway/server/kernel/crypto/hash'
import { type KeyRing, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { randomReadableCode, randomToken } from '#fairway/server/kernel/crypto/random'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { findTotpStep } from '#fairway/server/kernel/crypto/totp'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { issueOneTime, type OneTimePurpose, spendOneTime, tryOneTime } from '#fairway/server/kernel/one-time/one-time'
import { limits } from '../../../kernel/limits/limits'
import { rateLimit, refundRateLimit, resetRateLimit } from '../../../kernel/limits/rate-limit'
import type { SignInAnswer } from '../sign-in-answer'

/** A code as a person types it: without spaces and dashes, in lower case, and with plain digits for those of every script. */
const code = z.string().max(40).overwrite(toPlainCode).min(1)
const password = z.string().min(1).max(1024)

/** The input of the two-factor endpoints. */
export const twoFactorInput = { code: z.object({ code }), password: z.object({ password }) }

function toPlainCode(typed: string): string {
  const text = typed.normalize('NFKC').replaceAll(/[\s\p{Pd}\p{Cf}\u2212]/gu, '')
  return text.replaceAll(/\p{Nd}/gu, toDigit).toLowerCase()
}

const isDigit = (codePoint: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(codePoint))

/** Digits of a script are ten in a row from zero on (Unicode Standard §4.6), and some scripts adjoin. */
function toDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0
  let first = at
  while (isDigit(first - 1)) first--
  return String((at - first) % 10)
}

const COOKIE = 'second_factor'
const LIFE_IN_SECONDS = 10 * 60
const CODES_PER_SIGN_IN = 5

const firstFactorSchema = z.object({
  userId: z.string(),
  securityVersion: z.number(),
  provider: z.string(),
  provesAddress: z.boolean(),
})

/** The person who proved the first factor, the method, and the account's security version. */
type FirstFactor = z.output<typeof firstFactorSchema>

/** A sign-in that has proved its first factor and waits for a code. Its subject is the user. */
export const waitingSignIn: OneTimePurpose<FirstFactor> = {
  name: 'second-factor-sign-in',
  lifeInSeconds: LIFE_IN_SECONDS,
  payload: firstFactorSchema,
}

/**
 * Throws `second-factor-required`, with the cookie that must accompany the code, when this person has two-factor
 * authentication. Throws `account-suspended`. Must be called after the first factor was proved and before a session is created.
 */
export async function checkSecondFactor(app: App, first: FirstFactor): Promise<void> {
  const { userId } = first
  await checkNotSuspended(app, userId)
  const { rows } = await app.db.client.execute({
    sql: `select u.claim_since is not null as isClaimOpen from two_factor t ${personJoin('t.user_id')}
      where t.user_id = ? and t.active_at is not null`,
    args: [userId],
  })
  const [row] = rows
  if (!row) return
  // A stranger who used the account earlier may have set it up and must not lock the owner out.
  if (row.isClaimOpen === 1 && first.provesAddress) return
  const secret = randomToken(32)
  await issueOneTime(app, waitingSignIn, { secret, subject: userId, payload: first })
  throw new AppError('second-factor-required', {
    headers: { 'set-cookie': setCookieValue(app.config, COOKIE, secret, LIFE_IN_SECONDS) },
  })
}

/**
 * Completes a sign-in that waits for its second factor. Throws `invalid-code`, `second-factor-ended` after five wrong codes or
 * ten minutes, `credentials-changed`, and `rate-limited`.
 */
export async function signInWithCode(
  app: App,
  { code }: { code: string },
  request: RequestInfo,
): Promise<SignInAnswer> {
  const token = readCookie(app.config, COOKIE, request.cookieHeader)
  // Counted before the code is checked, so that concurrent requests get no extra tries.
  const tried = token && (await tryOneTime(app, waitingSignIn, token, CODES_PER_SIGN_IN))
  if (!token || !tried) throw ended(app)
  const { userId } = tried.payload
  if (!(await consumeCode(app, userId, code, request))) {
    noteAccountEvent(app, { kind: 'sign-in-failed', userId, reason: 'code' })
    throw tried.tries >= CODES_PER_SIGN_IN ? ended(app) : new AppError('invalid-code')
  }
  const waiting = await spendOneTime(app, waitingSignIn, token)
  const person = await findPerson(app, { userId })
  if (!waiting || !person) throw ended(app)
  const { clientAddress: ipAddress, userAgent, language, cookieHeader } = request
  const proved = { ...waiting.payload, provedSecondFactor: true, email: person.email }
  const { cookie } = await mintSession(app, { ...proved, ipAddress, userAgent, language, cookieHeader })
  if (!isOfApp(code)) noteAccountEvent(app, { kind: 'backup-code-used', userId })
  return { body: { success: true }, setCookies: [cookie, endedCookie(app)] }
}

/**
 * Marks the current session as one that proved a second factor. Throws `invalid-code`, `rate-limited`, and `unauthenticated` for
 * sessions without a row.
 */
export async function proveSecondFactor(
  app: App,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  code: string,
  request: Pick<RequestInfo, 'clientAddress'>,
): Promise<void> {
  if (sessionId === null) throw new AppError('unauthenticated')
  if (!(await consumeCode(app, userId, code, request))) {
    noteAccountEvent(app, { kind: 'sign-in-failed', userId, reason: 'code' })
    throw new AppError('invalid-code')
  }
  const { rowsAffected } = await app.db.client.execute(provesSecondFactorStatement(sessionId, userId))
  if (rowsAffected === 0) throw new AppError('unauthenticated')
  if (!isOfApp(code)) noteAccountEvent(app, { kind: 'backup-code-used', userId })
}

const endedCookie = (app: App): string => setCookieValue(app.config, COOKIE, '', 0)

const ended = (app: App): AppError =>
  new AppError('second-factor-ended', { headers: { 'set-cookie': endedCookie(app) } })

/** The purpose of the key that seals the secrets. */
export const SECRET_PURPOSE = 'two-factor'

/** Whether a code is from an authenticator app; backup codes contain letters. */
const isOfApp = (code: string): boolean => /^\d+$/.test(code)

/**
 * Uses up a code of the app or a backup code. Returns false for a wrong or used one. Throws `rate-limited` after 10 wrong ones
 * from one network. Networks where the account has no proved session share one more count, which bounds guessing from many.
 */
async function consumeCode(
  app: App,
  userId: string,
  code: string,
  { clientAddress }: Pick<RequestInfo, 'clientAddress'>,
): Promise<boolean> {
  const network = addressKey(clientAddress)
  const isKnown = app.config.rateLimits && (await hasSessionFrom(app, { userId }, network, { isProved: true }))
  await rateLimit(app, limits.codesPerNetwork, `${userId} ${network}`)
  if (!isKnown) await rateLimit(app, limits.codesOfStrangers, userId)
  const isRight = isOfApp(code) ? await consumeTotpCode(app, userId, code) : await consumeBackupCode(app, userId, code)
  if (!isRight) return false
  await resetRateLimit(app, limits.codesPerNetwork, `${userId} ${network}`)
  if (!isKnown) await refundRateLimit(app, limits.codesOfStrangers, userId)
  return true
}

/** Lets people on unknown networks enter codes again: strangers who know only the old password cannot go on. */
export const forgetWrongCodes = (app: App, userId: string): Promise<void> =>
  resetRateLimit(app, limits.codesOfStrangers, userId)

/** The secret that an authenticator app shares. Throws `two-factor-unreadable` when the root secret that sealed it is gone. */
export function openSecret({ config }: App, { secret, userId }: typeof twoFactor.$inferSelect): string {
  try {
    return unseal(config.keys, SECRET_PURPOSE, secret, userId)
  } catch (cause) {
    if (!(cause instanceof UnsealError)) throw cause
    throw new AppError('two-factor-unreadable', { cause })
  }
}

async function consumeTotpCode(app: App, userId: string, code: string): Promise<boolean> {
  const [row] = await app.db.orm.select().from(twoFactor).where(eq(twoFactor.userId, userId))
  if (!row?.activeAt) return false
  const step = findTotpStep(openSecret(app, row), code, app.now())
  if (step === undefined) return false
  // Each time step can be used once: of two requests with the same code, one fails.
  const used = await app.db.orm
    .update(twoFactor)
    .set({ lastStep: step })
    .where(and(eq(twoFactor.userId, userId), isNotNull(twoFactor.activeAt), lt(twoFactor.lastStep, step)))
    .returning({ userId: twoFactor.userId })
  return used.length > 0
}

/**
 * The time step of the first code during the setup of two-factor authentication. Throws `invalid-code`, and `rate-limited`
 * after 10 wrong ones.
 */
export async function checkFirstCode(app: App, userId: string, secret: string, code: string): Promise<number> {
  await rateLimit(app, limits.codesPerNetwork, userId)
  const step = findTotpStep(secret, code, app.now())
  if (step === undefined) throw new AppError('invalid-code')
  await resetRateLimit(app, limits.codesPerNetwork, userId)
  return step
}

const PURPOSE = 'two-factor-backup'
const CODES = 10

const hashOf = (key: ReturnType<KeyRing['current']>, userId: string, code: string): string =>
  hmacBase64(key.secret, `${userId}:${code.replaceAll('-', '')}`)

/**
 * Replaces the backup codes of a person and returns the ten new ones, which are shown only once. Throws `credentials-changed`
 * when the security version has changed since `securityVersion`.
 */
export async function issueBackupCodes(app: App, userId: string, securityVersion?: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => randomReadableCode())
  const key = app.config.keys.current(PURPOSE)
  const args = [userId, securityVersion ?? null]
  const results = await app.db.client.batch(
    [
      {
        sql: `delete from two_factor_backup_codes where user_id = ? and ${SECURITY_VERSION_HOLDS}`,
        args: [userId, ...args],
      },
      ...codes.map(code => ({
        sql: `insert into two_factor_backup_codes (user_id, code_hash) select ?, ? where ${SECURITY_VERSION_HOLDS}`,
        args: [userId, hashOf(key, userId, code), ...args],
      })),
    ],
    'write',
  )
  if (results.at(-1)?.rowsAffected !== 1) throw new AppError('credentials-changed')
  return codes
}

/**
 * Uses up a backup code; hyphens are ignored. Returns false when it is unknown or used. Throws `two-factor-unreadable` when it is
 * unknown because the root secret is gone.
 */
export async function consumeBackupCode(app: App, userId: string, code: string): Promise<boolean> {
  const hashes = app.config.keys.all(PURPOSE).map(key => hashOf(key, userId, code))
  const used = await app.db.orm
    .delete(twoFactorBackupCodes)
    .where(and(eq(twoFactorBackupCodes.userId, userId), inArray(twoFactorBackupCodes.codeHash, hashes)))
    .returning({ userId: twoFactorBackupCodes.userId })
  if (used.length > 0) return true
  const [row] = await app.db.orm.select().from(twoFactor).where(eq(twoFactor.userId, userId))
  if (row) openSecret(app, row)
  return false
}

/** The number of remaining backup codes of a person. */
export const countBackupCodes = (app: App, userId: string): Promise<number> =>
  app.db.orm.$count(twoFactorBackupCodes, eq(twoFactorBackupCodes.userId, userId))

/** The columns of second factors that are sealed with the application's secret. */
export const twoFactorSealedColumns: SealedColumn[] = [
  { table: 'two_factor', column: 'secret', purpose: SECRET_PURPOSE, context: ({ user_id: userId }) => String(userId) },
]
