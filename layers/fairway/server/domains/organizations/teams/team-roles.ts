import type { InStatement } from '#fairway/server/kernel/database/client'

/** The statement that takes the roles for one team from those who are no longer in it. */
export const endTeamRoles = (orgId: string): InStatement => ({
  sql: `delete from fw_org_role_members where org_id = ? and team_id <> '' and not exists (
    select 1 from fw_team_members m where m.team_id = fw_org_role_members.team_id and m.user_id = fw_org_role_members.user_id)`,
  args: [orgId],
})
