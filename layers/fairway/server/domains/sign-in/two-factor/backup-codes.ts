import { and, eq, inArray } from 'drizzle-orm'
import { credentialsChanged, twoFactorBackupCodes } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { hmacBase64 } from '#fairway/server/kernel/crypto/hash'
import type { KeyRing } from '#fairway/server/kernel/crypto/seal'
import { randomReadableCode } from '#fairway/server/kernel/crypto/random'

const PURPOSE = 'two-factor-backup'
const CODES = 10

const hashOf = (key: ReturnType<KeyRing['current']>, userId: string, code: string): string =>
  hmacBase64(key.secret, `${userId}:${code.replaceAll('-', '')}`)

/**
 * Replaces the backup codes of a person and gives the ten new ones, which are shown this once. Throws `credentials-changed`
 * when the sign-ins of the person were ended since their security version was this.
 */
export async function issueBackupCodes(app: App, userId: string, securityVersion?: number): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => randomReadableCode())
  const key = app.config.keys.current(PURPOSE)
  const isAllowed = 'exists (select 1 from users where id = ? and security_version = coalesce(?, security_version))'
  const args = [userId, securityVersion ?? null]
  const results = await app.db.client.batch(
    [
      { sql: `delete from two_factor_backup_codes where user_id = ? and ${isAllowed}`, args: [userId, ...args] },
      ...codes.map(code => ({
        sql: `insert into two_factor_backup_codes (user_id, code_hash) select ?, ? where ${isAllowed}`,
        args: [userId, hashOf(key, userId, code), ...args],
      })),
    ],
    'write',
  )
  if (results.at(-1)?.rowsAffected !== 1) throw credentialsChanged()
  return codes
}

/** Uses a backup code up (without its hyphen); false when it is not one, or was used. */
export async function consumeBackupCode(app: App, userId: string, code: string): Promise<boolean> {
  const hashes = app.config.keys.all(PURPOSE).map(key => hashOf(key, userId, code))
  const used = await app.db.orm
    .delete(twoFactorBackupCodes)
    .where(and(eq(twoFactorBackupCodes.userId, userId), inArray(twoFactorBackupCodes.codeHash, hashes)))
    .returning({ userId: twoFactorBackupCodes.userId })
  return used.length > 0
}

/** How many backup codes of a person are left. */
export const countBackupCodes = (app: App, userId: string): Promise<number> =>
  app.db.orm.$count(twoFactorBackupCodes, eq(twoFactorBackupCodes.userId, userId))
