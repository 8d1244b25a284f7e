import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import {
  matching,
  type Paging,
  pagingShape,
  readNewest,
  readPage,
  rowsByTime,
} from '#fairway/server/kernel/database/read-page'
import { wakeSoon } from '#fairway/server/kernel/jobs'
import {
  DELIVERY_FAULTS,
  DELIVERY_STATES,
  type DeliveryDetails,
  type DeliveryPage,
  type WebhookDelivery,
} from '#fairway/shared/schemas/webhook'
import { messageId, payloadOf } from './deliver'
import { TEST_TYPE } from './event-types'
import type { WebhookRow } from './subscriptions'
import { webhookDeliveries, webhooks } from './tables'

/** The input of operations on deliveries. */
export const deliveryInput = {
  list: z.object({ ...pagingShape, state: z.enum(DELIVERY_STATES).optional() }),
  replay: z.strictObject({
    /** ISO 8601, at most 30 days ago. */
    since: z.iso.datetime({ offset: true }).transform(value => new Date(value)),
    /** `undelivered`: failed deliveries, and events that were never queued because the webhook was off or new. */
    include: z.enum(['undelivered', 'all']).default('undelivered'),
  }),
}

type DeliveryRow = typeof webhookDeliveries.$inferSelect

const faultSchema = z.enum(DELIVERY_FAULTS).nullable().catch(null)

const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  messageId: messageId(row.eventId),
  type: row.type,
  eventAt: row.eventAt.toISOString(),
  state: row.state,
  tries: row.tries,
  queuedAt: row.queuedAt.toISOString(),
  lastTryAt: row.lastTryAt?.toISOString() ?? null,
  nextTryAt: row.nextTryAt?.toISOString() ?? null,
  status: row.status,
  answer: row.answer,
  durationInMs: row.durationInMs,
  fault: faultSchema.parse(row.fault),
})

/** A page of the latest deliveries of all webhooks in a state. `before` is the id of a delivery. */
export async function listAllDeliveries(
  app: App,
  { state, cursor: before }: { state: (typeof DELIVERY_STATES)[number]; cursor?: string },
) {
  const { rows: deliveries, cursor } = await readNewest(async limit => {
    const rows = await app.db.orm
      .select({ delivery: webhookDeliveries, url: webhooks.url, orgId: webhooks.orgId })
      .from(webhookDeliveries)
      .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
      .where(
        and(
          eq(webhookDeliveries.state, state),
          // A literal, so that SQLite uses the partial index.
          state === 'sent' ? undefined : sql`${webhookDeliveries.state} <> 'sent'`,
          before === undefined ? undefined : lt(webhookDeliveries.id, before),
        ),
      )
      .orderBy(desc(webhookDeliveries.id))
      .limit(limit)
    return rows.map(({ delivery, url, orgId }) => ({ ...toDelivery(delivery), host: new URL(url).host, orgId }))
  })
  return { deliveries, cursor }
}

/** The webhook of a delivery, for operators. Throws `not-found`. */
export async function webhookOfDelivery(app: App, deliveryId: string): Promise<WebhookRow> {
  const [row] = await app.db.orm
    .select({ webhook: webhooks })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .where(eq(webhookDeliveries.id, deliveryId))
  if (!row) throw new AppError('not-found')
  return row.webhook
}

/** One page of a webhook's deliveries, newest first. */
export async function listDeliveries(
  app: App,
  { id }: Pick<WebhookRow, 'id'>,
  { state, ...paging }: Pick<z.output<typeof deliveryInput.list>, 'state'> & Paging,
): Promise<DeliveryPage> {
  const where = matching(webhookDeliveries, { webhookId: id, state })
  const list = rowsByTime(app.db.orm, webhookDeliveries, webhookDeliveries.queuedAt, where)
  const { rows, ...total } = await readPage(paging, list.page, list.count)
  return { deliveries: rows.map(toDelivery), ...total }
}

/** One delivery of a webhook with its payload. Throws `not-found`. */
export async function showDelivery(app: App, webhook: WebhookRow, deliveryId: string): Promise<DeliveryDetails> {
  const isOne = and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.webhookId, webhook.id))
  const [row] = await app.db.orm.select().from(webhookDeliveries).where(isOne)
  if (!row) throw new AppError('not-found')
  const payload = await payloadOf(app, webhook, { ...row, eventAt: row.eventAt.getTime() })
  return { delivery: toDelivery(row), payload: payload ?? null }
}

/** Queues an event of the type `webhook.test`, regardless of the webhook's types. Throws `webhook-off`. */
export async function sendTest(app: App, webhook: WebhookRow): Promise<{ messageId: string }> {
  checkOn(webhook)
  const eventId = newId()
  const event: QueuedEvent = { eventId, source: 'test', type: TEST_TYPE, at: app.now().getTime() }
  await app.db.client.execute(queueStatement(app, webhook.id, [event]))
  wakeSoon(app)
  return { messageId: messageId(eventId) }
}

/** Throws `webhook-off` for a webhook that is switched off. */
export function checkOn({ state }: WebhookRow): void {
  if (state !== 'on') throw new AppError('webhook-off')
}

/** Queues one delivery again, in any state and with all of its attempts. Throws `webhook-off` and `not-found`. */
export async function replayDelivery(app: App, webhook: WebhookRow, deliveryId: string): Promise<void> {
  checkOn(webhook)
  const now = app.now()
  const replayed = await app.db.orm
    .update(webhookDeliveries)
    .set({ state: 'pending', tries: 0, nextTryAt: now, queuedAt: now })
    .where(and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.webhookId, webhook.id)))
    .returning({ id: webhookDeliveries.id })
  if (replayed.length === 0) throw new AppError('not-found')
  wakeSoon(app)
}

/** An event before it is read: its log and its type. */
export interface QueuedEvent {
  eventId: string
  source: 'audit' | 'security' | 'test'
  type: string
  /** Milliseconds since 1970. */
  at: number
}

/** Which events that are already queued are queued again: none, those that failed, or all. */
type Again = 'none' | 'failed' | 'all'

const AGAIN = {
  none: 'do nothing',
  failed: restart("state = 'failed'"),
  all: restart('true'),
}

function restart(condition: string): string {
  return `do update set state = 'pending', tries = 0, next_try_at = excluded.next_try_at, queued_at = excluded.queued_at where ${condition}`
}

/** The statement that queues events for a webhook that is on. `rowsAffected` is the number of queued events. */
export const queueStatement = (app: App, webhookId: string, events: readonly QueuedEvent[], again: Again = 'none') => {
  const now = app.now().getTime()
  return {
    sql: `insert into fw_webhook_deliveries (id, webhook_id, event_id, source, type, event_at, state, tries, next_try_at, queued_at)
      select value ->> '$.id', ?, value ->> '$.eventId', value ->> '$.source', value ->> '$.type', value ->> '$.at', 'pending', 0, ?, ?
      from json_each(?) where exists (select 1 from fw_webhooks where id = ? and state = 'on')
      on conflict (webhook_id, event_id) ${AGAIN[again]}`,
    args: [webhookId, now, now, JSON.stringify(events.map(event => ({ ...event, id: newId() }))), webhookId],
  }
}
