import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Who did what by which surface: one row for each write and each denial. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    at: integer('at', { mode: 'timestamp_ms' }).notNull(),
    action: text('action').notNull(),
    caller: text('caller', { enum: ['http', 'mcp', 'cli', 'a2a'] }).notNull(),
    userId: text('user_id'),
    userEmail: text('user_email'),
    orgId: text('org_id'),
    outcome: text('outcome', { enum: ['ok', 'denied', 'failed'] }).notNull(),
    errorCode: text('error_code'),
    requestId: text('request_id').notNull(),
    /** The input as JSON, secrets replaced and long texts cut. */
    input: text('input'),
  },
  table => [index('audit_log_org_at').on(table.orgId, table.at), index('audit_log_user_at').on(table.userId, table.at)],
)
