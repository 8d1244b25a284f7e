import { vouchesFor } from '#fairway/server/domains/organizations'
import { type DependentRows, isoTime } from '#fairway/server/kernel/dependent-rows'
import { withdrawOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { desktopCeremony } from './desktop/ceremony'
import { endGrantsStatement } from './grants'
import { identityCode } from './hub/token'

/** Grants end with access, memberships and organizations. The hub's codes end with the sign-ins in progress. */
export const oauthServerRows: DependentRows = {
  uses: userId => [`select 1 from oauth_grants w where w.user_id = ${userId}`],
  endGrants: (condition, reason, now) => [endGrantsStatement(condition, reason, now)],
  endUnvouched: (orgId, now) => [
    endGrantsStatement(
      { sql: `org_id = ? and assertion_issuer is not null and not ${vouchesFor('oauth_grants')}`, args: [orgId] },
      'managed-agents-off',
      now,
    ),
  ],
  liveGrants: (orgId, now) => ({
    sql: 'select count(*) as live, json_group_array(distinct client_name) as names from oauth_grants where org_id = ? and revoked_at is null and expires_at > ?',
    args: [orgId, now],
  }),
  endUnderWay: (userId, when) => [withdrawOneTimeStatement([identityCode], userId, when)],
  leftByStranger: (_app, { userId }) => [withdrawOneTimeStatement([identityCode, desktopCeremony], userId)],
  forgetOrganization: ({ sql, args }) =>
    ['oauth_grants', 'fw_managed_clients', 'fw_access_reviews'].map(table => ({
      sql: `delete from ${table} where ${sql}`,
      args,
    })),
  ofPerson: ({ userId }) => ({
    connectedApps: {
      sql: `select client_name as app, org_id as organization, scope, ${isoTime('created_at')} as createdAt,
        ${isoTime('last_used_at')} as lastUsedAt, ${isoTime('read_at')} as lastReadAt, ${isoTime('written_at')} as lastChangedAt,
        ${isoTime('deleted_at')} as lastDeletedAt, ${isoTime('expires_at')} as expiresAt, ${isoTime('revoked_at')} as revokedAt
        from oauth_grants where user_id = ? order by created_at`,
      args: [userId],
    },
  }),
  // Each use of a code or token requires its grant. Both are purged when they expire.
  forgetPerson: ({ userId }) => [
    withdrawOneTimeStatement([identityCode, desktopCeremony], userId),
    { sql: 'delete from oauth_grants where user_id = ?', args: [userId] },
  ],
  changeAddress: ({ userId, newEmail }) => [
    { sql: 'update oauth_grants set email = ? where user_id = ?', args: [newEmail, userId] },
  ],
}
