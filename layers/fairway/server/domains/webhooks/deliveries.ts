import { and, count, desc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { listAuditEvents } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { pagingShape } from '#fairway/server/kernel/http/read-input'
import { type EventPlace, listSecurityEventsAfter } from '#fairway/server/kernel/security-events/list-security-events'
import {
  DELIVERY_FAULTS,
  DELIVERY_STATES,
  type DeliveryPage,
  type WebhookDelivery,
} from '#fairway/shared/schemas/webhook'
import { messageId } from './deliver'
import { matchesTypes, TEST_TYPE } from './event-types'
import { type QueuedEvent, queueStatement, toAuditEvent, toSecurityEvent } from './follow-logs'
import { KEPT_IN_MS, typesOf, type WebhookRow } from './subscriptions'
import { webhookDeliveries } from './tables'
import { wakeWebhooks } from './wake'

const PIECE = 500
const MOST_REPLAYED = 10_000

/** What requests about deliveries hold. */
export const deliveryInput = {
  list: z.object({ ...pagingShape, state: z.enum(DELIVERY_STATES).optional() }),
  replay: z.strictObject({
    /** ISO 8601; thirty days ago at the earliest. */
    since: z.iso.datetime({ offset: true }).transform(value => new Date(value)),
    /** `undelivered`: what was given up, and what was never queued because the webhook was off or new. */
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

/** One page of what was and is delivered to a webhook, the latest first. */
export async function listDeliveries(
  app: App,
  { id }: Pick<WebhookRow, 'id'>,
  { page, itemsPerPage, state }: z.output<typeof deliveryInput.list>,
): Promise<DeliveryPage> {
  const where = and(
    eq(webhookDeliveries.webhookId, id),
    state === undefined ? undefined : eq(webhookDeliveries.state, state),
  )
  const [rows, [counted]] = await Promise.all([
    app.db.orm
      .select()
      .from(webhookDeliveries)
      .where(where)
      .orderBy(desc(webhookDeliveries.queuedAt), desc(webhookDeliveries.id))
      .limit(itemsPerPage)
      .offset((page - 1) * itemsPerPage),
    app.db.orm.select({ n: count() }).from(webhookDeliveries).where(where),
  ])
  return { deliveries: rows.map(toDelivery), totalItems: counted?.n ?? 0 }
}

/** Queues an event of the type `webhook.test`, whatever types the webhook names; throws `webhook-off`. */
export async function sendTest(app: App, webhook: WebhookRow): Promise<{ messageId: string }> {
  checkOn(webhook)
  const eventId = newId()
  const event: QueuedEvent = { eventId, source: 'test', type: TEST_TYPE, at: app.now().getTime() }
  await app.db.client.execute(queueStatement(app, webhook.id, [event]))
  wakeWebhooks(app)
  return { messageId: messageId(eventId) }
}

function checkOn({ state }: WebhookRow): void {
  if (state !== 'on') throw new AppError('webhook-off')
}

/** Queues one delivery anew, whatever became of it, with all of its tries; throws `webhook-off` and `not-found`. */
export async function replayDelivery(app: App, webhook: WebhookRow, deliveryId: string): Promise<void> {
  checkOn(webhook)
  const now = app.now().getTime()
  const { rowsAffected } = await app.db.client.execute({
    sql: `update fw_webhook_deliveries set state = 'pending', tries = 0, next_try_at = ?, queued_at = ? where id = ? and webhook_id = ?`,
    args: [now, now, deliveryId, webhook.id],
  })
  if (rowsAffected === 0) throw new AppError('not-found')
  wakeWebhooks(app)
}

/**
 * Queues the events of a time and later that the webhook names, out of the logs themselves, and gives how many; a dry run counts them
 * and changes nothing. Throws `webhook-off`, and `invalid-input` for a time of more than thirty days ago and for more than 10,000 events.
 */
export async function replaySince(
  app: App,
  webhook: WebhookRow,
  { since, include }: z.output<typeof deliveryInput.replay>,
  dryRun = false,
): Promise<{ events: number; isDryRun: boolean }> {
  if (!dryRun) checkOn(webhook)
  if (since.getTime() < app.now().getTime() - KEPT_IN_MS) throw refusedTime('must be within the last thirty days')
  const events = await eventsSince(app, webhook, since.getTime())
  const wanted = include === 'all' ? events : await undelivered(app, webhook.id, events)
  if (wanted.length > MOST_REPLAYED)
    throw refusedTime(`these are ${wanted.length} events; choose a later time for ${MOST_REPLAYED} at most`)
  if (!dryRun) {
    const pieces = Array.from({ length: Math.ceil(wanted.length / PIECE) }, (_, index) =>
      wanted.slice(index * PIECE, (index + 1) * PIECE),
    )
    const again = include === 'all' ? 'all' : 'failed'
    for (const piece of pieces) await app.db.client.execute(queueStatement(app, webhook.id, piece, again))
    wakeWebhooks(app)
  }
  return { events: wanted.length, isDryRun: dryRun }
}

const refusedTime = (message: string) => new AppError('invalid-input', { errors: [{ path: 'since', message }] })

async function eventsSince(app: App, webhook: WebhookRow, since: number): Promise<QueuedEvent[]> {
  const patterns = typesOf(webhook)
  const { orgId } = webhook
  const audit = orgId === null ? [] : await auditEventsSince(app, orgId, since)
  const security = await securityEventsSince(app, orgId, since)
  return [...audit, ...security].filter(({ type }) => matchesTypes(patterns, type))
}

async function auditEventsSince(app: App, orgId: string, since: number): Promise<QueuedEvent[]> {
  const events: QueuedEvent[] = []
  for (let seq = 0; ;) {
    const rows = await listAuditEvents(app, { orgId, seq, since }, PIECE)
    events.push(...rows.map(toAuditEvent))
    const last = rows.at(-1)
    if (!last || rows.length < PIECE) return events
    seq = last.seq
  }
}

async function securityEventsSince(app: App, orgId: string | null, since: number): Promise<QueuedEvent[]> {
  const events: QueuedEvent[] = []
  for (let after: EventPlace = { place: 0, id: null }; ;) {
    const rows = await listSecurityEventsAfter(app, after, PIECE)
    const concerned = rows.filter(row => row.at >= since && (orgId === null || row.orgId === orgId))
    events.push(...concerned.map(toSecurityEvent))
    const last = rows.at(-1)
    if (!last || rows.length < PIECE) return events
    after = { place: last.place, id: last.id }
  }
}

/** The events without a delivery that was accepted or still waits. */
async function undelivered(app: App, webhookId: string, events: QueuedEvent[]): Promise<QueuedEvent[]> {
  const { rows } = await app.db.client.execute({
    sql: `select event_id as id from fw_webhook_deliveries where webhook_id = ? and state <> 'failed'
      and event_id in (select value from json_each(?))`,
    args: [webhookId, JSON.stringify(events.map(({ eventId }) => eventId))],
  })
  const delivered = new Set(rows.map(({ id }) => String(id)))
  return events.filter(({ eventId }) => !delivered.has(eventId))
}
