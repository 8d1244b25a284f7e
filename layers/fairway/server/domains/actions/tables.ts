import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { AUDIT_CALLERS, AUDIT_OUTCOMES } from '../../../shared/schemas/audit'

/**
 * Records who did what through which surface: one row for each write and each denial of a person with a session. Rows are chained
 * a moment after they are written (`audit/audit-chain.ts`); triggers refuse to change or delete a chained row.
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
    /** The kept part of the input, as JSON; null in rows that count several denials. */
    input: text('input'),
    /** The written row, when the action names it: its table, its id, and its title when the whole organization could read it. */
    subjectType: text('subject_type'),
    subjectId: text('subject_id'),
    subjectTitle: text('subject_title'),
    /** The number of denials in this row. */
    times: integer('times').notNull().default(1),
    /** A hash that denials of one kind share, with a suffix for the row that counts them; null in all other rows. */
    fold: text('fold'),
    /**
     * Until when the row may increase its count; it is chained after that. A row without a count is chained at once and ignores
     * this.
     */
    openUntil: integer('open_until', { mode: 'timestamp_ms' }),
    /** The chain of the row: the organization's id, or `none`. */
    chain: text('chain'),
    /** The position in the chain, from 1; null until the row is chained. */
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

/** The opposites of calls, for 30 days. */
export const undoCalls = sqliteTable(
  'fw_undo_calls',
  {
    id: text('id').primaryKey(),
    at: integer('at', { mode: 'timestamp_ms' }).notNull(),
    /** The action that was called, in the request of its audit rows. */
    action: text('action').notNull(),
    requestId: text('request_id').notNull(),
    userId: text('user_id').notNull(),
    orgId: text('org_id').notNull(),
    /** As in the audit row: the app behind the call. */
    via: text('via'),
    /** The opposite, as JSON (`UndoCall`). */
    call: text('call').notNull(),
    /** The rows as the call left them, as JSON (`LeftRow[]`). */
    leftRows: text('left_rows').notNull(),
    /** Whether the whole organization could read the rows before the call. */
    isOpen: integer('is_open', { mode: 'boolean' }).notNull(),
    undoneAt: integer('undone_at', { mode: 'timestamp_ms' }),
  },
  table => [
    index('fw_undo_calls_request').on(table.requestId),
    index('fw_undo_calls_app').on(table.orgId, table.userId, table.via, table.at),
    index('fw_undo_calls_user').on(table.userId),
    index('fw_undo_calls_at').on(table.at),
  ],
)

/** The names of deleted accounts that organizations have in their audit rows. */
export const endedPeople = sqliteTable('fw_ended_people', {
  userId: text('user_id').primaryKey(),
  email: text('email').notNull(),
  name: text('name').notNull(),
})

/** The end of each chain, so that deleting rows at its end is detected. */
export const auditHeads = sqliteTable('audit_heads', {
  chain: text('chain').primaryKey(),
  seq: integer('seq').notNull(),
  hash: text('hash').notNull(),
})
