import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from '../database/columns'

/** Events for operators: one row each, without secrets. Kept for ninety days. */
export const securityEvents = sqliteTable(
  'security_events',
  {
    id: id(),
    at: timestamp('at').notNull(),
    kind: text('kind').notNull(),
    /** The external provider or the client that it is about. */
    subject: text('subject'),
    clientAddress: text('client_address'),
    userId: text('user_id'),
    orgId: text('org_id'),
    /** The reason, in our words or the provider's; never a state, a code or a token. */
    reason: text('reason').notNull(),
    requestId: text('request_id'),
    /** The person's device, in words; null where it is not known. */
    device: text('device'),
  },
  table => [
    index('security_events_at').on(table.at),
    index('security_events_kind').on(table.kind, table.at),
    index('security_events_user').on(table.userId, table.at),
    index('fw_security_events_subject')
      .on(table.subject, table.at, table.id)
      .where(sql`subject is not null`),
    index('fw_security_events_address')
      .on(table.clientAddress, table.at, table.id)
      .where(sql`client_address is not null`),
    index('fw_security_events_org')
      .on(table.orgId, table.at, table.id)
      .where(sql`org_id is not null`),
  ],
)

/** The number of events of a kind in an hour; it is kept longer than the events. */
export const securityEventCounts = sqliteTable(
  'security_event_counts',
  {
    kind: text('kind').notNull(),
    /** The start of the hour, UTC. */
    hour: timestamp('hour').notNull(),
    count: integer('count').notNull(),
    /** When the count exceeded its threshold; set once. */
    alertedAt: timestamp('alerted_at'),
  },
  table => [primaryKey({ columns: [table.kind, table.hour] }), index('security_event_counts_hour').on(table.hour)],
)
