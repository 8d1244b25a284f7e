// Switches two-factor authentication on and off, and manages its backup codes.
import { and, eq, isNull } from 'drizzle-orm'
import { renderSVG } from 'uqr'
import {
  endGrantsOf,
  endSessionsStatements,
  findPerson,
  holdsSecurityVersion,
  provesSecondFactorStatement,
  confirmPassword,
  hasPassword,
  mailNotice,
  noteAccountEvent,
  tellOwner,
  SECURITY_VERSION_HOLDS,
  SESSION_HOLDS,
} from '#fairway/server/domains/people'
import { twoFactor } from '#fairway/server/domains/sign-in/tables'
import type { App } from '#fairway/server/kernel/app-context'
import { seal } from '#fairway/server/kernel/crypto/seal'
import { newTotpSecret, TOTP_DIGITS, TOTP_STEP_IN_SECONDS } from '#fairway/server/kernel/crypto/totp'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { mailContent } from '#fairway/server/kernel/mail/mail-content'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { DEVICES_PAGE } from '#fairway/shared/paths'
import type { TwoFactorSecret, TwoFactorState } from '#fairway/shared/schemas/account'
import { rateLimit, resetRateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { endOneTimeStatement } from '../../../kernel/one-time/one-time'
import {
  countBackupCodes,
  issueBackupCodes,
  checkFirstCode,
  openSecret,
  SECRET_PURPOSE,
  waitingSignIn,
} from './second-factor'

interface Person {
  userId: string
  email: string
}

/**
 * Whether and since when a person has two-factor authentication, their remaining backup codes, and whether they have a
 * password.
 */
export async function twoFactorState(app: App, userId: string): Promise<TwoFactorState> {
  const [row] = await app.db.orm
    .select({ activeAt: twoFactor.activeAt })
    .from(twoFactor)
    .where(eq(twoFactor.userId, userId))
  return {
    active: Boolean(row?.activeAt),
    activeSince: row?.activeAt?.toISOString() ?? null,
    backupCodesLeft: row?.activeAt ? await countBackupCodes(app, userId) : 0,
    hasPassword: await hasPassword(app, userId),
    minPasswordLength: app.config.password.minLength,
  }
}

/**
 * Creates a secret for the person's app. It is inactive until `activateTwoFactor`. Throws `invalid-credentials`, `no-password`,
 * `rate-limited` and `two-factor-active`.
 */
export async function startTwoFactor(app: App, { userId, email }: Person, password: string): Promise<TwoFactorSecret> {
  const securityVersion = await checkOwnPassword(app, userId, password)
  const secret = newTotpSecret()
  const row = { secret: seal(app.config.keys, SECRET_PURPOSE, secret, userId), lastStep: 0, createdAt: app.now() }
  const [stored] = await app.db.orm
    .insert(twoFactor)
    .values({ userId, ...row })
    .onConflictDoUpdate({
      target: twoFactor.userId,
      set: row,
      setWhere: and(isNull(twoFactor.activeAt), holdsSecurityVersion(userId, securityVersion)),
    })
    .returning({ userId: twoFactor.userId })
  if (!stored) throw new AppError('two-factor-active')
  const uri = otpauthUri(app.config.name, email, secret)
  return { uri, secret, qr: renderSVG(uri, { border: 2 }) }
}

/**
 * Switches two-factor authentication on with the first code of the app, while the current session is live. That session counts
 * as proved. Other sessions, connected apps and API tokens were made without a code, so they end. Returns the ten backup codes.
 * Throws `invalid-code`, `rate-limited`, `conflict`, `two-factor-active` and `two-factor-inactive`.
 */
export async function activateTwoFactor(
  app: App,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  typed: string,
): Promise<string[]> {
  const [row] = await app.db.orm.select().from(twoFactor).where(eq(twoFactor.userId, userId))
  if (!row) throw new AppError('two-factor-inactive')
  if (row.activeAt) throw new AppError('two-factor-active')
  const step = await checkFirstCode(app, userId, openSecret(app, row), typed)
  const now = app.now().getTime()
  const when = {
    sql: 'exists (select 1 from two_factor where user_id = ? and secret = ? and active_at = ?)',
    args: [userId, row.secret, now],
  }
  const [activated] = await app.db.client.batch(
    [
      {
        sql: `update two_factor set active_at = ?, last_step = ? where user_id = ? and active_at is null and secret = ?
          and ${SESSION_HOLDS}`,
        args: [now, step, userId, row.secret, sessionId, sessionId],
      },
      ...endSessionsStatements(app, { userId, when, except: { sql: 'id is ?', args: [sessionId] } }),
      ...endGrantsOf(app, { userId, reason: 'two-factor-on', when }),
      provesSecondFactorStatement(sessionId, userId, when),
    ],
    'write',
  )
  if (activated?.rowsAffected !== 1) throw new AppError('conflict')
  tellOwner(app, userId, 'two-factor-on')
  return issueBackupCodes(app, userId)
}

/**
 * Replaces the backup codes. Throws `invalid-credentials`, `no-password`, `rate-limited`, `credentials-changed` and
 * `two-factor-inactive`.
 */
export async function renewBackupCodes(app: App, userId: string, password: string): Promise<string[]> {
  const securityVersion = await checkOwnPassword(app, userId, password)
  const { active } = await twoFactorState(app, userId)
  if (!active) throw new AppError('two-factor-inactive')
  const codes = await issueBackupCodes(app, userId, securityVersion)
  noteAccountEvent(app, { kind: 'backup-codes-renewed', userId })
  return codes
}

/**
 * Switches two-factor authentication off, and deletes its backup codes and waiting sign-ins. Throws `invalid-credentials`,
 * `no-password` and `rate-limited`.
 */
export async function endTwoFactor(app: App, userId: string, password: string): Promise<void> {
  const securityVersion = await checkOwnPassword(app, userId, password)
  const isGone = { sql: 'not exists (select 1 from two_factor where user_id = ?)', args: [userId] }
  const [ended] = await app.db.client.batch(
    [
      {
        sql: `delete from two_factor where user_id = ? and ${SECURITY_VERSION_HOLDS}
          returning active_at as activeAt`,
        args: [userId, userId, securityVersion],
      },
      endOneTimeStatement(app, [waitingSignIn], userId, isGone),
    ],
    'write',
  )
  if (ended?.rows[0]?.activeAt) tellOwner(app, userId, 'two-factor-off')
}

/**
 * Switches off the two-factor authentication of a person who has lost access to it, for an operator. Ends their sessions.
 * Returns false when it was already off. Throws `not-found`.
 */
export async function resetTwoFactor(app: App, userId: string): Promise<boolean> {
  if ((await findPerson(app, { userId }))?.kind !== 'person') throw new AppError('not-found')
  const [ended] = await app.db.client.batch(
    [
      { sql: 'delete from two_factor where user_id = ? returning active_at as activeAt', args: [userId] },
      endOneTimeStatement(app, [waitingSignIn], userId, { sql: '1', args: [] }),
      ...endSessionsStatements(app, { userId }),
    ],
    'write',
  )
  if (!ended?.rows[0]?.activeAt) return false
  await recordSecurityEvent(app, { kind: 'two-factor-reset', userId, reason: 'by an operator' })
  const href = app.config.baseUrl + DEVICES_PAGE
  mailNotice(app, userId, ({ language }) => mailContent(app, 'two-factor-reset', { values: {}, href, language }))
  return true
}

/** Checks the password and returns the security version that was read with it. */
async function checkOwnPassword(app: App, userId: string, password: string): Promise<number> {
  await rateLimit(app, limits.twoFactorPasswordsPerAccount, userId)
  const securityVersion = await confirmPassword(app, userId, password)
  await resetRateLimit(app, limits.twoFactorPasswordsPerAccount, userId)
  return securityVersion
}

/** The address in the QR code for authenticator apps. Apps show the issuer and the email address as the account's name. */
function otpauthUri(issuer: string, email: string, secret: string): string {
  const parameters = { secret, issuer, algorithm: 'SHA1', digits: TOTP_DIGITS, period: TOTP_STEP_IN_SECONDS }
  // Apps do not decode plus signs, so spaces are written as %20.
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?${query.join('&')}`
}
