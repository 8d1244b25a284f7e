import { and, eq, isNull, lte } from 'drizzle-orm'
import { SESSION_HOLDS } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { identityCodes } from '../tables'

const LIFE_IN_MS = 60 * 1000
/** How long a code is kept after its end, so that a second use is noticed. */
const KEPT_FOR_IN_MS = 60 * 60 * 1000

type CodeRow = typeof identityCodes.$inferSelect
type CodeInput = Pick<CodeRow, 'userId' | 'provider' | 'appId' | 'clientId' | 'redirectUri' | 'codeChallenge'>

/**
 * A new code for one sign-in at one application: 256 random bits, good for 60 seconds and once; only its hash is kept. Throws
 * `unauthenticated` when the session that asks has ended.
 */
export async function issueIdentityCode(app: App, input: CodeInput, sessionId: string | null): Promise<string> {
  const code = randomToken(32)
  const now = app.now().getTime()
  const { userId, provider, appId, clientId, redirectUri, codeChallenge } = input
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into identity_codes (code_hash, user_id, provider, app_id, client_id, redirect_uri, code_challenge, created_at, expires_at)
      select ?, ?, ?, ?, ?, ?, ?, ?, ? where ${SESSION_HOLDS}`,
    args: [
      sha256(code),
      userId,
      provider,
      appId,
      clientId,
      redirectUri,
      codeChallenge,
      now,
      now + LIFE_IN_MS,
      sessionId,
      sessionId,
    ],
  })
  if (rowsAffected !== 1) throw new AppError('unauthenticated')
  return code
}

/** Uses a code up and gives what it stands for, expired or not; of any number of callers at once one gets it, the others null. */
export async function spendIdentityCode(app: App, code: string): Promise<CodeRow | null> {
  const [row] = await app.db.orm
    .update(identityCodes)
    .set({ redeemedAt: app.now() })
    .where(and(eq(identityCodes.codeHash, sha256(code)), isNull(identityCodes.redeemedAt)))
    .returning()
  return row ?? null
}

/** What is kept of a code, used or not; null for one that was never given. */
export async function findIdentityCode(app: App, code: string): Promise<CodeRow | null> {
  const [row] = await app.db.orm
    .select()
    .from(identityCodes)
    .where(eq(identityCodes.codeHash, sha256(code)))
  return row ?? null
}

/** Deletes codes an hour after their end. */
export async function purgeIdentityCodes(app: App): Promise<void> {
  await app.db.orm
    .delete(identityCodes)
    .where(lte(identityCodes.expiresAt, new Date(app.now().getTime() - KEPT_FOR_IN_MS)))
}
