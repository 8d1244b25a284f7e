import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What one person may do with one row of somebody else. */
export const shares = sqliteTable(
  'shares',
  {
    /** The table that holds the row, for example `notes`. */
    resource: text('resource').notNull(),
    resourceId: text('resource_id').notNull(),
    userId: text('user_id').notNull(),
    role: text('role', { enum: ['viewer', 'editor', 'admin'] }).notNull(),
    /** The organization the row belongs to, so that its shares go with it. */
    orgId: text('org_id'),
    sharedBy: text('shared_by').notNull(),
    sharedAt: integer('shared_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    primaryKey({ columns: [table.resource, table.resourceId, table.userId] }),
    index('shares_user').on(table.userId, table.resource, table.resourceId, table.role),
    index('shares_org').on(table.orgId),
  ],
)
