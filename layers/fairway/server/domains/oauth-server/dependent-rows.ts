import { desktopCeremony } from './desktop/ceremony'
import { endGrantsStatement } from './grants'
import { identityCode } from './hub/token'
import { withdrawOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { type DependentRows, isoTime } from '#fairway/server/kernel/dependent-rows'

/** Grants end with access, memberships and organizations; the hub's codes end with the sign-ins under way. */
export const oauthServerRows: DependentRows = {
  uses: userId => [`select 1 from oauth_grants w where w.user_id = ${userId}`],
  endGrants: (condition, reason, now) => [endGrantsStatement(condition, reason, now)],
  countGrants: (orgId, now) => ({
    sql: 'select count(*) as live from oauth_grants where org_id = ? and revoked_at is null and expires_at > ?',
    args: [orgId, now],
  }),
  endUnderWay: (userId, when) => [withdrawOneTimeStatement([identityCode], userId, when)],
  leftByStranger: (_app, { userId }) => [withdrawOneTimeStatement([identityCode, desktopCeremony], userId)],
  forgetOrganization: ({ sql, args }) => [{ sql: `delete from oauth_grants where ${sql}`, args }],
  ofPerson: ({ userId }) => ({
    connectedApps: {
      sql: `select client_name as app, org_id as organization, scope, ${isoTime('created_at')} as createdAt,
        ${isoTime('last_used_at')} as lastUsedAt, ${isoTime('expires_at')} as expiresAt, ${isoTime('revoked_at')} as revokedAt
        from oauth_grants where user_id = ? order by created_at`,
      args: [userId],
    },
  }),
  // Each use of a code or token looks for its grant; both are purged at their end.
  forgetPerson: ({ userId }) => [
    withdrawOneTimeStatement([identityCode, desktopCeremony], userId),
    { sql: 'delete from oauth_grants where user_id = ?', args: [userId] },
  ],
  changeAddress: ({ userId, newEmail }) => [
    { sql: 'update oauth_grants set email = ? where user_id = ?', args: [newEmail, userId] },
  ],
}
