import type { InStatement, InValue } from '#server/foundation/database/client'
import type { App } from '#server/foundation/app-context'
import { leaveWithoutOrgStatement } from './active-org'

/**
 * Deletes one membership when the condition on it (`m`) holds, and with it what the person was given in this organization.
 * True when it was deleted; all in one transaction.
 */
export async function endMembership(
  app: App,
  orgId: string,
  userId: string,
  condition: string,
  args: InValue[],
): Promise<boolean> {
  const isGone = 'not exists (select 1 from org_members where org_id = ? and user_id = ?)'
  const after = (sql: string): InStatement => ({ sql: `${sql} and ${isGone}`, args: [orgId, userId, orgId, userId] })
  const results = await app.db.client.batch(
    [
      leaveWithoutOrgStatement(orgId, userId, condition, args),
      {
        sql: `delete from org_members where rowid in (
          select m.rowid from org_members m where m.org_id = ? and m.user_id = ? and ${condition})`,
        args: [orgId, userId, ...args],
      },
      after('delete from app_member_roles where org_id = ? and user_id = ?'),
      after('delete from shares where org_id = ? and user_id = ?'),
      {
        sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'membership-ended'
          where org_id = ? and user_id = ? and revoked_at is null and ${isGone}`,
        args: [app.now().getTime(), orgId, userId, orgId, userId],
      },
    ],
    'write',
  )
  return results[1]?.rowsAffected === 1
}
