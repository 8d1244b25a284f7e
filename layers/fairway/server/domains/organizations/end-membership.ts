import type { InStatement } from '#fairway/server/kernel/database/client'
import type { App } from '#fairway/server/kernel/app-context'
import { logMoves, moveOnStatements, type SqlPart } from './active-org'

/** Why people work elsewhere whose membership has ended. */
export const MEMBERSHIP_ENDED = 'membership ended'

/**
 * Deletes one membership when the condition on it holds, and with it what the person was given in this organization.
 * True when it was deleted; all in one transaction.
 */
export async function endMembership(app: App, orgId: string, userId: string, condition: SqlPart): Promise<boolean> {
  const one = {
    sql: `m.org_id = ? and m.user_id = ? and ${condition.sql}`,
    args: [orgId, userId, ...condition.args],
  }
  const results = await app.db.client.batch(endMembershipsStatements(app, one), 'write')
  await logMoves(app, results, MEMBERSHIP_ENDED)
  return results.at(-1)?.rowsAffected === 1
}

/**
 * The statements that end these memberships (`m`), and with each what the person was given in that organization; the last one
 * deletes them. Whoever runs them hands their results to `logMoves`.
 */
export function endMembershipsStatements(app: App, memberships: SqlPart): InStatement[] {
  const { sql, args } = memberships
  const pairs = `(select m.org_id, m.user_id from org_members m where ${sql})`
  return [
    ...moveOnStatements(memberships),
    { sql: `delete from app_member_roles where (org_id, user_id) in ${pairs}`, args },
    { sql: `delete from shares where (org_id, user_id) in ${pairs}`, args },
    {
      sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'membership-ended'
        where revoked_at is null and (org_id, user_id) in ${pairs}`,
      args: [app.now().getTime(), ...args],
    },
    { sql: `delete from org_members where (org_id, user_id) in ${pairs}`, args },
  ]
}
