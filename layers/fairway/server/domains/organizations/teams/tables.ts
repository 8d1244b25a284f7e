import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'

/** The teams of an organization. A share names a team by its ID in `shares.user_id`. */
export const teams = sqliteTable(
  'fw_teams',
  {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    name: text('name').notNull(),
    /** Lower case, for the comparison. */
    nameKey: text('name_key').notNull(),
    /** The group of the directory that decides its name and its people; null for a team that owners and admins edit. */
    groupId: text('group_id'),
    createdBy: text('created_by').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    // A directory may rename a group to the name of a team. Names of groups are unique among themselves.
    uniqueIndex('fw_teams_name')
      .on(table.orgId, table.nameKey)
      .where(sql`group_id is null`),
    uniqueIndex('fw_teams_group')
      .on(table.groupId)
      .where(sql`group_id is not null`),
    index('fw_teams_org').on(table.orgId, table.nameKey),
    index('fw_teams_creator').on(table.createdBy),
  ],
)

/** A person, or a service account, in a team. A row of a former member of the organization grants nothing. */
export const teamMembers = sqliteTable(
  'fw_team_members',
  {
    orgId: text('org_id').notNull(),
    teamId: text('team_id').notNull(),
    userId: text('user_id').notNull(),
    /** The ID of who added them; `directory` for a team that follows a group. */
    addedBy: text('added_by').notNull(),
    addedAt: integer('added_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    primaryKey({ columns: [table.teamId, table.userId] }),
    index('fw_team_members_user').on(table.userId, table.orgId, table.teamId),
    index('fw_team_members_org').on(table.orgId, table.userId),
  ],
)
