import type { App } from '#fairway/server/kernel/app-context'

/** Why a grant has ended, as the row says. A new consent adds `replaced`, the code of organizations `membership-ended` and `sign-in-rule`. */
export type EndReason = 'person' | 'admin' | 'host' | 'code-replay' | 'refresh-replay' | 'wrong-verifier'

/** Ends a grant and with it everything issued from it, at once; false when it had ended before. */
export async function endGrant(app: App, grantId: string, reason: EndReason): Promise<boolean> {
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update oauth_grants set revoked_at = ?, revoked_reason = ? where id = ? and revoked_at is null',
    args: [app.now().getTime(), reason, grantId],
  })
  return rowsAffected === 1
}
