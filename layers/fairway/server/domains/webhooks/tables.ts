import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sql } from 'drizzle-orm'
import { DELIVERY_STATES, EVENT_SOURCES, WEBHOOK_FORMATS, WEBHOOK_STATES } from '../../../shared/schemas/webhook'
import { id, timestamp } from '../../kernel/database/columns'

/** The subscriptions to events: one address of one organization or of the installation. */
export const webhooks = sqliteTable(
  'fw_webhooks',
  {
    id: id(),
    /** Null for webhooks of the installation, which its operators manage. */
    orgId: text('org_id'),
    /** What people call it; null shows the host of its address. */
    name: text('name'),
    url: text('url').notNull(),
    /** JSON: event types or their prefixes. */
    types: text('types').notNull(),
    format: text('format', { enum: WEBHOOK_FORMATS }).notNull().default('standard'),
    state: text('state', { enum: WEBHOOK_STATES }).notNull(),
    /** The sealed secret that signs deliveries. */
    secret: text('secret').notNull(),
    /** The sealed former secret, which also signs until `formerUntil`. */
    formerSecret: text('former_secret'),
    formerUntil: timestamp('former_until'),
    /** Since when no delivery succeeded; null after a successful one. */
    failingSince: timestamp('failing_since'),
    /** Until when one process may read the logs for a replay; null when there is none. */
    replayUntil: timestamp('replay_until'),
    /**
     * The person responsible: the creator, or the person who most recently changed the address or switched it on. The webhook
     * stops when they may no longer manage it.
     */
    createdBy: text('created_by'),
    createdAt: timestamp('created_at').notNull(),
  },
  table => [
    index('fw_webhooks_org').on(table.orgId, table.createdAt),
    index('fw_webhooks_state').on(table.state),
    index('fw_webhooks_creator').on(table.createdBy),
  ],
)

/** One event for one webhook, with its state and the latest result. The event's content stays in its log. */
export const webhookDeliveries = sqliteTable(
  'fw_webhook_deliveries',
  {
    id: id(),
    webhookId: text('webhook_id').notNull(),
    eventId: text('event_id').notNull(),
    source: text('source', { enum: EVENT_SOURCES }).notNull(),
    type: text('type').notNull(),
    /** When the event happened. */
    eventAt: timestamp('event_at').notNull(),
    state: text('state', { enum: DELIVERY_STATES }).notNull(),
    tries: integer('tries').notNull(),
    /** The time of the next attempt. A trigger queues a job for each time that is written here. */
    nextTryAt: timestamp('next_try_at'),
    queuedAt: timestamp('queued_at').notNull(),
    lastTryAt: timestamp('last_try_at'),
    /** The latest response: its HTTP status, its duration in milliseconds, and the start of its body. */
    status: integer('status'),
    durationInMs: integer('duration_ms'),
    answer: text('answer'),
    /** The name of the fault when there was no response. */
    fault: text('fault'),
  },
  table => [
    uniqueIndex('fw_webhook_deliveries_event').on(table.webhookId, table.eventId),
    index('fw_webhook_deliveries_due')
      .on(table.webhookId, table.nextTryAt)
      .where(sql`next_try_at is not null`),
    index('fw_webhook_deliveries_queued').on(table.webhookId, table.queuedAt, table.id),
    // For the operators' lists of pending and failed deliveries, newest first.
    index('fw_webhook_deliveries_unsent')
      .on(table.state, table.id)
      .where(sql`state <> 'sent'`),
    index('fw_webhook_deliveries_age').on(table.queuedAt),
  ],
)
