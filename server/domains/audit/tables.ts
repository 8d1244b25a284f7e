import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * Who did what by which surface: one row for each write and each denial. Rows are chained a moment after they were written
 * (`seal-audit-log.ts`); a chained row is never changed or deleted, which triggers refuse.
 */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    at: integer('at', { mode: 'timestamp_ms' }).notNull(),
    action: text('action').notNull(),
    caller: text('caller', { enum: ['http', 'mcp', 'cli', 'a2a'] }).notNull(),
    /** The host, the peer or the tool behind the surface, where it is known. */
    via: text('via'),
    userId: text('user_id'),
    userEmail: text('user_email'),
    orgId: text('org_id'),
    outcome: text('outcome', { enum: ['ok', 'denied', 'failed'] }).notNull(),
    errorCode: text('error_code'),
    requestId: text('request_id').notNull(),
    /** The input as JSON, secrets replaced and long texts cut. */
    input: text('input'),
    /** The organization's id, or `none`: the chain that the row is part of. */
    chain: text('chain'),
    /** Its place in the chain, from 1; null until it is chained. */
    seq: integer('seq'),
    /** HMAC over the row and the hash before it: `<key id>.<base64url>`. */
    hash: text('hash'),
  },
  table => [
    index('audit_log_org_at').on(table.orgId, table.at),
    index('audit_log_user_at').on(table.userId, table.at),
    uniqueIndex('audit_log_chain').on(table.chain, table.seq),
    index('audit_log_unsealed').on(table.seq, table.id),
  ],
)

/** Where each chain ends, so that rows cut off its end are missed. */
export const auditHeads = sqliteTable('audit_heads', {
  chain: text('chain').primaryKey(),
  seq: integer('seq').notNull(),
  hash: text('hash').notNull(),
})
