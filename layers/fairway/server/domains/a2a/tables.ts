import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row for each call of another application that a person must approve first. */
export const a2aApprovals = sqliteTable(
  'a2a_approvals',
  {
    /** Random, and the only thing that leads to it besides being the person it asks. */
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    orgId: text('org_id'),
    /** The origin of the application that called. */
    caller: text('caller').notNull(),
    action: text('action').notNull(),
    /** JSON. */
    input: text('input').notNull(),
    status: text('status', { enum: ['pending', 'approved', 'declined'] }).notNull(),
    /** What the action answered, as JSON; for the application that called. */
    answer: text('answer'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    decidedAt: integer('decided_at', { mode: 'timestamp_ms' }),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [index('a2a_approvals_expires').on(table.expiresAt), index('a2a_approvals_user').on(table.userId)],
)
