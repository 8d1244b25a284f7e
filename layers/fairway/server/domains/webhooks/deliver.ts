// Attempts of deliveries, each of which is a job. Triggers queue one job for each time of a next attempt
// (drizzle/0008_webhook_jobs.sql). The delivery's row is authoritative: a job for a time that the row no longer has does
// nothing.
import { z } from 'zod'
import { findAuditEvent } from '#fairway/server/domains/actions'
import { isInDeleted } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { requireRun } from '#fairway/server/kernel/current-run'
import { defineJob } from '#fairway/server/kernel/jobs'
import { findSecurityEvent } from '#fairway/server/kernel/security-events/list-security-events'
import { findEventKind } from '#fairway/server/kernel/security-events/event-kinds'
import type { OcsfEvent, WebhookPayload } from '#fairway/shared/schemas/webhook'
import { toOcsf } from './ocsf'
import { recordAttempt, switchOffOrphaned, type TakenDelivery } from './record-attempt'
import { isInside, SEND_LIMIT_IN_MS, sendWebhook } from './send-webhook'
import { findWebhook, isKeptByManager, isKeptByOperator, type WebhookRow } from './subscriptions'

const trySchema = z.object({
  deliveryId: z.string(),
  webhookId: z.string(),
  /** The time for which the attempt was queued, in milliseconds since 1970. */
  at: z.number(),
})
type Try = z.output<typeof trySchema>

/** Sends an event to a webhook, once. The organization with the fewest due deliveries goes first; failed deliveries go last. */
export const webhookJob = defineJob({
  description: 'Sends an event to a webhook.',
  input: trySchema,
  timeout: (2 * SEND_LIMIT_IN_MS) / 1000,
  concurrency: { most: 2, per: ({ webhookId }) => webhookId },
  waits: true,
  run: input => deliver(requireRun().app, input),
})

async function deliver(app: App, due: Try): Promise<void> {
  const webhook = await findWebhook(app, due.webhookId)
  if (webhook?.state !== 'on') return
  // Checked for each attempt: `FW_OPERATORS`, members and accounts may change after a webhook is created.
  const isOperator = (webhook.orgId === null || isInside(app, webhook)) && (await isKeptByOperator(app, webhook))
  const isKept = webhook.orgId === null ? isOperator : await isKeptByManager(app, webhook)
  if (!isKept) return switchOffOrphaned(app, webhook)
  const taken = await take(app, due)
  if (!taken) return
  const payload = await payloadOf(app, webhook, taken)
  const message = { id: messageId(taken.eventId), body: JSON.stringify(payload) }
  const attempt =
    payload === undefined
      ? { fault: 'event-gone' as const, durationInMs: 0 }
      : await sendWebhook(app, webhook, { message, isOperator })
  await recordAttempt(app, webhook, taken, attempt)
}

/** The `webhook-id` of an event: the same for every attempt, so that receivers can detect duplicates. */
export const messageId = (eventId: string): string => `evt_${eventId}`

const TAKE = `update fw_webhook_deliveries set tries = tries + 1, last_try_at = ? where id = ? and next_try_at = ?
  and exists (select 1 from fw_webhooks w where w.id = webhook_id and w.state = 'on' and not ${isInDeleted('w')})
  returning id, event_id as eventId, source, type, event_at as eventAt, tries, queued_at as queuedAt, next_try_at as nextTryAt`

const takenSchema: z.ZodType<TakenDelivery> = z.object({
  id: z.string(),
  eventId: z.string(),
  source: z.string(),
  type: z.string(),
  eventAt: z.number(),
  tries: z.number(),
  queuedAt: z.number(),
  nextTryAt: z.number(),
})

async function take(app: App, { deliveryId, at }: Try): Promise<TakenDelivery | undefined> {
  const { rows } = await app.db.client.execute({ sql: TAKE, args: [app.now().getTime(), deliveryId, at] })
  return rows[0] && takenSchema.parse(rows[0])
}

type SentEvent = Pick<TakenDelivery, 'source' | 'eventId' | 'type' | 'eventAt'>

/**
 * The payload of an event in the webhook's format. It contains only what the event's log shows to the webhook's managers.
 * Undefined for an event that no longer exists.
 */
export async function payloadOf(
  app: App,
  webhook: WebhookRow,
  event: SentEvent,
): Promise<WebhookPayload | OcsfEvent | undefined> {
  const data = await dataOf(app, webhook, event)
  if (!data) return undefined
  const payload = { type: event.type, timestamp: new Date(event.eventAt).toISOString(), data }
  return webhook.format === 'ocsf' ? toOcsf(payload, { orgId: webhook.orgId, service: app.config.name }) : payload
}

async function dataOf(
  app: App,
  { id, orgId }: WebhookRow,
  { source, eventId }: SentEvent,
): Promise<Record<string, unknown> | undefined> {
  if (source === 'test') return { id: eventId, webhook: id }
  if (source === 'audit') return orgId === null ? undefined : findAuditEvent(app, orgId, eventId)
  const event = await findSecurityEvent(app, eventId)
  if (!event || orgId === null) return event
  return event.orgId === orgId ? forOrganization(event) : undefined
}

// Locations and devices are visible only to the person and to operators, and so are details that only operators need.
function forOrganization(event: Record<string, unknown>): Record<string, unknown> {
  const { clientAddress: _address, device: _device, subject, reason, ...rest } = event
  const isOrdinary = findEventKind(String(event.kind))?.isOrdinary === true
  return { ...rest, subject: isOrdinary ? subject : null, reason: isOrdinary ? reason : null }
}
