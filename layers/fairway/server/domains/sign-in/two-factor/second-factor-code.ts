import { and, eq, isNotNull, lt } from 'drizzle-orm'
import { twoFactor } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { unseal } from '#fairway/server/kernel/crypto/seal'
import { findTotpStep } from '#fairway/server/kernel/crypto/totp'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { rateLimit, resetRateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { consumeBackupCode } from './backup-codes'

/** The purpose of the key that seals the secrets. */
export const SECRET_PURPOSE = 'two-factor'

/** The code without what people put in between. */
const toPlainCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toLowerCase()

/** Uses up a code of the app or a backup code; false for a wrong one and for one that was used. Throws `rate-limited` after 10 wrong ones. */
export async function consumeCode(app: App, userId: string, typed: string): Promise<boolean> {
  await rateLimit(app, limits.codesPerAccount, userId)
  const code = toPlainCode(typed)
  const isRight = /^\d+$/.test(code)
    ? await consumeTotpCode(app, userId, code)
    : await consumeBackupCode(app, userId, code)
  if (isRight) await resetRateLimit(app, limits.codesPerAccount, userId)
  return isRight
}

async function consumeTotpCode(app: App, userId: string, code: string): Promise<boolean> {
  const [row] = await app.db.orm.select().from(twoFactor).where(eq(twoFactor.userId, userId))
  if (!row?.activeAt) return false
  const step = findTotpStep(unseal(app.config.keys, SECRET_PURPOSE, row.secret, userId), code, app.now())
  if (step === undefined) return false
  // A step is used once: of two requests with the same code one finds it used.
  const used = await app.db.orm
    .update(twoFactor)
    .set({ lastStep: step })
    .where(and(eq(twoFactor.userId, userId), isNotNull(twoFactor.activeAt), lt(twoFactor.lastStep, step)))
    .returning({ userId: twoFactor.userId })
  return used.length > 0
}

/** Finds the time step of a first code, while two-factor sign-in is being set up; throws `invalid-code`, and `rate-limited` after 10 wrong ones. */
export async function checkFirstCode(app: App, userId: string, secret: string, typed: string): Promise<number> {
  await rateLimit(app, limits.codesPerAccount, userId)
  const step = findTotpStep(secret, toPlainCode(typed), app.now())
  if (step === undefined) throw new AppError('invalid-code')
  await resetRateLimit(app, limits.codesPerAccount, userId)
  return step
}
