import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../../../kernel/database/columns'

/** The roles that owners make of the application's permissions. */
export const orgRoles = sqliteTable(
  'fw_org_roles',
  {
    id: text('id').primaryKey(),
    orgId: text('org_id').notNull(),
    name: text('name').notNull(),
    /** Folded, because names are unique without case. */
    nameKey: text('name_key').notNull(),
    /** JSON: names of permissions. One that is no longer declared stays and counts as none. */
    permissions: text('permissions').notNull(),
    createdBy: text('created_by').notNull(),
    createdAt: timestamp('created_at').notNull(),
    updatedAt: timestamp('updated_at').notNull(),
  },
  table => [uniqueIndex('fw_org_roles_name').on(table.orgId, table.nameKey)],
)

/** Who holds a role: a member, or a service account by its ID. A row of a former member grants nothing. */
export const orgRoleMembers = sqliteTable(
  'fw_org_role_members',
  {
    orgId: text('org_id').notNull(),
    roleId: text('role_id').notNull(),
    userId: text('user_id').notNull(),
    /** The team whose rows the role counts for; empty for the whole organization. */
    teamId: text('team_id').notNull().default(''),
    assignedBy: text('assigned_by').notNull(),
    assignedAt: timestamp('assigned_at').notNull(),
  },
  table => [
    primaryKey({ columns: [table.orgId, table.roleId, table.userId, table.teamId] }),
    index('fw_org_role_members_user').on(table.userId, table.orgId, table.teamId, table.roleId),
  ],
)
