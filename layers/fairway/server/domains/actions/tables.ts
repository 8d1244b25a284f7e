import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { AUDIT_CALLERS, AUDIT_OUTCOMES } from '../../../shared/schemas/audit'

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

/**
 * Who did what by which surface: one row for each write and each denial of a user with a session. Rows are chained a moment
 * after they were written (`seal-audit-log.ts`); a chained row is never changed or deleted, which triggers refuse.
 */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    at: integer('at', { mode: 'timestamp_ms' }).notNull(),
    action: text('action').notNull(),
    caller: text('caller', { enum: AUDIT_CALLERS }).notNull(),
    /** The host, the peer or the tool behind the surface, where it is known. */
    via: text('via'),
    userId: text('user_id'),
    userEmail: text('user_email'),
    orgId: text('org_id'),
    outcome: text('outcome', { enum: AUDIT_OUTCOMES }).notNull(),
    errorCode: text('error_code'),
    requestId: text('request_id').notNull(),
    /** What is kept of the input, as JSON; null in rows that stand for many. */
    input: text('input'),
    /** What was written, where the action names it: the table, the row, and its title where the whole organization could read it. */
    subjectType: text('subject_type'),
    subjectId: text('subject_id'),
    subjectTitle: text('subject_title'),
    /** How many denials the row stands for. */
    times: integer('times').notNull().default(1),
    /** What a denial has in common with those that are folded into it, and for the row that counts them one more sign; null in all others. */
    fold: text('fold'),
    /** Until when the row may count more; only then it is chained. A row that counts nothing is chained at once whatever this says. */
    openUntil: integer('open_until', { mode: 'timestamp_ms' }),
    /** The organization's id, or `none`: the chain that the row is part of. */
    chain: text('chain'),
    /** Its place in the chain, from 1; null until it is chained. */
    seq: integer('seq'),
    /** HMAC over the row and the hash before it: `<key id>.<base64url>`. */
    hash: text('hash'),
  },
  table => [
    index('audit_log_org_at').on(table.orgId, table.at, table.id),
    index('fw_audit_log_org_action').on(table.orgId, table.action, table.at, table.id),
    index('fw_audit_log_org_person').on(table.orgId, table.userEmail, table.at, table.id),
    index('fw_audit_log_org_subject').on(table.orgId, table.subjectType, table.subjectId, table.at, table.id),
    index('audit_log_user_at').on(table.userId, table.at),
    uniqueIndex('audit_log_chain').on(table.chain, table.seq),
    uniqueIndex('audit_log_fold').on(table.fold),
    index('audit_log_unsealed').on(table.seq, table.id),
  ],
)

/** The names of ended accounts that organizations know by their audit rows. */
export const endedPeople = sqliteTable('fw_ended_people', {
  userId: text('user_id').primaryKey(),
  email: text('email').notNull(),
  name: text('name').notNull(),
})

/** Where each chain ends, so that rows cut off its end are missed. */
export const auditHeads = sqliteTable('audit_heads', {
  chain: text('chain').primaryKey(),
  seq: integer('seq').notNull(),
  hash: text('hash').notNull(),
})
