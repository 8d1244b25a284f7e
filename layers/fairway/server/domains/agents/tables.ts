import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Calls that a person must approve first, one row each. The name is from when only other applications asked. */
export const approvals = sqliteTable(
  'a2a_approvals',
  {
    /** A random id. The page requires it and the session of the person who gets the question. */
    id: text('id').primaryKey(),
    /** The person for whom the call would run. */
    userId: text('user_id').notNull(),
    orgId: text('org_id'),
    /** The origin of the application that called, or the client id of the host. */
    caller: text('caller').notNull(),
    /** The grant of the host; null for calls of applications. */
    grantId: text('grant_id'),
    /** The hash of grant, organization, action and input, while the row answers that call; null for applications and afterwards. */
    callHash: text('call_hash'),
    action: text('action').notNull(),
    /** JSON. */
    input: text('input').notNull(),
    /** Who may approve it: the person, or another owner or admin of the organization. */
    approver: text('approver', { enum: ['person', 'admin'] })
      .notNull()
      .default('person'),
    status: text('status', { enum: ['pending', 'approved', 'declined'] }).notNull(),
    /** The result of the action as JSON, for the caller. */
    answer: text('answer'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    decidedAt: integer('decided_at', { mode: 'timestamp_ms' }),
    /** When the approved call began to run; null before, and in rows from before this column. */
    ranAt: integer('ran_at', { mode: 'timestamp_ms' }),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  table => [
    index('a2a_approvals_expires').on(table.expiresAt),
    index('a2a_approvals_user').on(table.userId),
    index('fw_approvals_grant').on(table.grantId, table.status),
    index('fw_approvals_org').on(table.orgId, table.approver, table.status),
    uniqueIndex('fw_approvals_call').on(table.callHash),
  ],
)
