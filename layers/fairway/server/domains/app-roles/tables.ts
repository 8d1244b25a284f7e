import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One explicit row per person and application; no row means no role. */
export const appMemberRoles = sqliteTable(
  'app_member_roles',
  {
    orgId: text('org_id').notNull(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    role: text('role').notNull(),
    assignedBy: text('assigned_by').notNull(),
    assignedAt: integer('assigned_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    primaryKey({ columns: [table.orgId, table.appId, table.userId] }),
    index('app_member_roles_user').on(table.userId),
  ],
)
