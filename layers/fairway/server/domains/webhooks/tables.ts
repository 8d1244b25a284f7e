import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'
import { DELIVERY_STATES, EVENT_SOURCES, WEBHOOK_STATES } from '../../../shared/schemas/webhook'
import { id, timestamp } from '../../kernel/database/columns'

/** Who wants to be told of what happens: one address of one organization, or of the installation. */
export const webhooks = sqliteTable(
  'fw_webhooks',
  {
    id: id(),
    /** Null: the installation's, which its operators keep. */
    orgId: text('org_id'),
    url: text('url').notNull(),
    /** JSON: the types of events, or how they begin. */
    types: text('types').notNull(),
    state: text('state', { enum: WEBHOOK_STATES }).notNull(),
    /** What deliveries are signed with, sealed. */
    secret: text('secret').notNull(),
    /** The one before, sealed, which signs too until `formerUntil`. */
    formerSecret: text('former_secret'),
    formerUntil: timestamp('former_until'),
    /** Since when nothing was accepted; null after a delivery that was. */
    failingSince: timestamp('failing_since'),
    /** Until when one process may read the logs to send events again; null when none does. */
    replayUntil: timestamp('replay_until'),
    /** Who is responsible: the creator, or whoever changed the address last or switched an installation webhook on. */
    createdBy: text('created_by'),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [
    index('fw_webhooks_org').on(table.orgId, table.createdAt),
    index('fw_webhooks_state').on(table.state),
    index('fw_webhooks_creator').on(table.createdBy),
  ],
)

/** One event for one webhook: what waits, and what became of it. What was said of the event stays in its log. */
export const webhookDeliveries = sqliteTable(
  'fw_webhook_deliveries',
  {
    id: id(),
    webhookId: text('webhook_id').notNull(),
    eventId: text('event_id').notNull(),
    source: text('source', { enum: EVENT_SOURCES }).notNull(),
    type: text('type').notNull(),
    /** When it happened. */
    eventAt: timestamp('event_at').notNull(),
    state: text('state', { enum: DELIVERY_STATES }).notNull(),
    tries: integer('tries').notNull(),
    /** When it is tried next; a trigger queues a job for each time that is written here. */
    nextTryAt: timestamp('next_try_at'),
    queuedAt: timestamp('queued_at').notNull(),
    lastTryAt: timestamp('last_try_at'),
    /** The HTTP status of the last answer, how long it took in milliseconds, and how it begins. */
    status: integer('status'),
    durationInMs: integer('duration_ms'),
    answer: text('answer'),
    /** Why there was no answer, by its name. */
    fault: text('fault'),
  },
  table => [
    uniqueIndex('fw_webhook_deliveries_event').on(table.webhookId, table.eventId),
    index('fw_webhook_deliveries_due')
      .on(table.webhookId, table.nextTryAt)
      .where(sql`next_try_at is not null`),
    index('fw_webhook_deliveries_queued').on(table.webhookId, table.queuedAt, table.id),
    // The operators' lists of what waits and what has failed, newest first.
    index('fw_webhook_deliveries_unsent')
      .on(table.state, table.id)
      .where(sql`state <> 'sent'`),
    index('fw_webhook_deliveries_age').on(table.queuedAt),
  ],
)
