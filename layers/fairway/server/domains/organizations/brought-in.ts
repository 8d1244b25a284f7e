import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { endMembershipsStatements } from './end-membership'

/**
 * Whom the maker `?` of organizations has brought into each of them: by an invitation of their own or of somebody brought in, however
 * far back. The maker is one of them.
 */
export const BROUGHT_IN = `
  with recursive brought (org_id, user_id) as (
    select id, created_by from organizations where created_by = ?
    union
    select i.org_id, u.id from brought b
      join org_invitations i on i.org_id = b.org_id and i.invited_by = b.user_id and i.status = 'accepted'
      join users u on u.email = i.email)
  select org_id, user_id from brought`

/**
 * The statements after which a person is alone, but for those who came by themselves, in the organizations they made: whom they
 * brought in is out, what those or the person promised anybody is withdrawn, and where no owner is left they are it. They do
 * nothing where `when` does not hold.
 */
export function removeBroughtInStatements(
  app: App,
  { userId, when }: { userId: string; when: { sql: string; args: InValue[] } },
): InStatement[] {
  const now = app.now().getTime()
  return [
    {
      sql: `update org_invitations set status = 'revoked' where status = 'pending' and ${when.sql}
        and (invited_by = ? or (org_id, invited_by) in (${BROUGHT_IN}))`,
      args: [...when.args, userId, userId],
    },
    ...endMembershipsStatements(app, {
      sql: `m.user_id <> ? and (m.org_id, m.user_id) in (${BROUGHT_IN}) and ${when.sql}`,
      args: [userId, userId, ...when.args],
    }),
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at) select o.id, o.created_by, 'owner', ? from organizations o
        where o.created_by = ? and ${when.sql}
        and not exists (select 1 from org_members x where x.org_id = o.id and x.role = 'owner')
        on conflict (org_id, user_id) do update set role = excluded.role`,
      args: [now, userId, ...when.args],
    },
  ]
}
