// From the queue to receivers: each try is taken in one statement, so of several instances one makes it; a process that dies leaves it
// for the next one. A slow receiver holds two tries of its own and nobody else's.
import { eq } from 'drizzle-orm'
import { findAuditEvent } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { findSecurityEvent } from '#fairway/server/kernel/security-events/list-security-events'
import { findEventKind } from '#fairway/server/kernel/security-events/event-kinds'
import { followLogs } from './follow-logs'
import { recordAttempt, type TakenDelivery } from './record-attempt'
import { SEND_LIMIT_IN_MS, sendWebhook } from './send-webhook'
import type { WebhookRow } from './subscriptions'
import { webhooks } from './tables'
import { onWake } from './wake'

const LOOK_EVERY_IN_MS = 1000
/** While no webhook is on. */
const LOOK_SELDOM_IN_MS = 10_000
const STOP_LIMIT_IN_MS = 4000
/** Longer than a try may take, so a delivery that is under way is not taken again. */
const LEASE_IN_MS = 4 * SEND_LIMIT_IN_MS
const AT_ONCE_PER_WEBHOOK = 2
const AT_ONCE = 32

interface Delivering {
  /** Tries that this process makes now, by webhook. */
  busy: Map<string, number>
  /** Webhooks for which something is due, each once; who had its turn goes to the end. */
  due: Set<string>
  total: number
  looking?: Promise<void>
  isLookDue: boolean
  isStopping: boolean
  /** When this process looked last, by its own clock, and whether a webhook was on then. */
  lookedAt: number
  hasWebhooks: boolean
  /** Called when no try is under way any more. */
  onIdle: Set<() => void>
}

const deliveringOf = (app: App): Delivering =>
  app.memo('webhook-delivery', () => ({
    busy: new Map(),
    due: new Set(),
    total: 0,
    isLookDue: false,
    isStopping: false,
    lookedAt: Number.NEGATIVE_INFINITY,
    hasWebhooks: true,
    onIdle: new Set(),
  }))

/**
 * Follows the logs and delivers what is due, once a second while a webhook is on and every ten seconds while none is. Gives a function
 * that stops it and waits a moment for the tries under way; what has no answer by then is tried again by the next process.
 */
export function startWebhookDelivery(app: App): () => Promise<void> {
  const state = deliveringOf(app)
  const look = () => void lookAndSend(app)
  const timer = setInterval(() => {
    if (state.hasWebhooks || performance.now() - state.lookedAt >= LOOK_SELDOM_IN_MS) look()
  }, LOOK_EVERY_IN_MS)
  timer.unref()
  onWake(app, look)
  look()
  return async () => {
    clearInterval(timer)
    onWake(app, undefined)
    state.isStopping = true
    const moment = new Promise(resolve => setTimeout(resolve, STOP_LIMIT_IN_MS).unref())
    await Promise.race([Promise.all([state.looking, idle(state)]), moment])
  }
}

/** Queues what has happened, sends all that is due, and resolves when no try is under way; a call while one looks makes it look once more. Never throws. */
export async function deliverWebhooks(app: App): Promise<void> {
  await lookAndSend(app)
  await idle(deliveringOf(app))
}

function lookAndSend(app: App): Promise<void> {
  const state = deliveringOf(app)
  if (state.isStopping) return Promise.resolve()
  state.isLookDue = true
  state.looking ??= lookWhileDue(app, state)
    .catch((error: unknown) => app.log.warn('webhooks could not be looked after, they will be later', { error }))
    .finally(() => {
      state.looking = undefined
      // Asked for while the last look ended.
      if (state.isLookDue) void lookAndSend(app)
    })
  return state.looking
}

async function lookWhileDue(app: App, state: Delivering): Promise<void> {
  while (state.isLookDue && !state.isStopping) {
    state.isLookDue = false
    state.lookedAt = performance.now()
    state.hasWebhooks = (await followLogs(app)) > 0
    if (state.hasWebhooks) for (const id of await findDue(app)) state.due.add(id)
    fill(app, state)
  }
}

const DUE = `select w.id as id from fw_webhooks w where w.state = 'on'
  and exists (select 1 from fw_webhook_deliveries d where d.webhook_id = w.id and d.next_try_at <= ?)`

async function findDue(app: App): Promise<string[]> {
  const find = app.memo('webhooks-due', () => app.db.prepareRead<{ id: string }>(DUE))
  return (await find([app.now().getTime()])).map(({ id }) => id)
}

/** Begins as many tries as there may be at once, webhook by webhook. */
function fill(app: App, state: Delivering): void {
  for (const id of state.due) {
    while (!state.isStopping && state.total < AT_ONCE && state.due.has(id) && busyOf(state, id) < AT_ONCE_PER_WEBHOOK)
      begin(app, state, id)
  }
}

const busyOf = (state: Delivering, id: string): number => state.busy.get(id) ?? 0

function begin(app: App, state: Delivering, id: string): void {
  state.total += 1
  state.busy.set(id, busyOf(state, id) + 1)
  void tryOne(app, state, id)
}

async function tryOne(app: App, state: Delivering, id: string): Promise<void> {
  const hadOne = await deliverOne(app, id).catch((error: unknown) => {
    app.log.warn('a webhook could not be delivered, it will be tried again', { webhookId: id, error })
    return false
  })
  state.total -= 1
  const left = busyOf(state, id) - 1
  if (left > 0) state.busy.set(id, left)
  else state.busy.delete(id)
  // To the end of the line, or out of it: nothing of it is due.
  const wasDue = state.due.delete(id)
  if (hadOne && wasDue) state.due.add(id)
  fill(app, state)
  if (state.total > 0) return
  for (const resolve of state.onIdle) resolve()
  state.onIdle.clear()
}

const idle = (state: Delivering): Promise<void> =>
  state.total === 0 ? Promise.resolve() : new Promise(resolve => state.onIdle.add(resolve))

async function deliverOne(app: App, webhookId: string): Promise<boolean> {
  const taken = await take(app, webhookId)
  if (!taken) return false
  const [webhook] = await app.db.orm.select().from(webhooks).where(eq(webhooks.id, webhookId))
  if (!webhook) return false
  const body = await bodyOf(app, webhook, taken)
  const attempt =
    body === undefined
      ? { fault: 'event-gone' as const, durationInMs: 0 }
      : await sendWebhook(app, webhook, { id: messageId(taken.eventId), body })
  await recordAttempt(app, webhook, taken, attempt)
  return true
}

/** The `webhook-id` of an event: the same for every try, so that receivers know what they have. */
export const messageId = (eventId: string): string => `evt_${eventId}`

const TAKE = `update fw_webhook_deliveries set tries = tries + 1, last_try_at = ?, next_try_at = ?
  where id = (select id from fw_webhook_deliveries where webhook_id = ? and next_try_at <= ? order by next_try_at, id limit 1)
    and next_try_at <= ? and exists (select 1 from fw_webhooks w where w.id = webhook_id and w.state = 'on')
  returning id, event_id as eventId, source, type, event_at as eventAt, tries, queued_at as queuedAt`

async function take(app: App, webhookId: string): Promise<TakenDelivery | undefined> {
  const now = app.now().getTime()
  const { rows } = await app.db.client.execute({ sql: TAKE, args: [now, now + LEASE_IN_MS, webhookId, now, now] })
  const [row] = rows
  return (
    row && {
      id: String(row.id),
      eventId: String(row.eventId),
      source: String(row.source),
      type: String(row.type),
      eventAt: Number(row.eventAt),
      tries: Number(row.tries),
      queuedAt: Number(row.queuedAt),
    }
  )
}

/** What is sent of an event: what its log shows to those who manage the webhook, and nothing else; undefined for one that is gone. */
async function bodyOf(app: App, webhook: WebhookRow, taken: TakenDelivery): Promise<string | undefined> {
  const data = await dataOf(app, webhook, taken)
  return data && JSON.stringify({ type: taken.type, timestamp: new Date(taken.eventAt).toISOString(), data })
}

async function dataOf(
  app: App,
  { id, orgId }: WebhookRow,
  { source, eventId }: TakenDelivery,
): Promise<Record<string, unknown> | undefined> {
  if (source === 'test') return { id: eventId, webhook: id }
  if (source === 'audit') return orgId === null ? undefined : findAuditEvent(app, orgId, eventId)
  const event = await findSecurityEvent(app, eventId)
  if (!event || orgId === null) return event
  return event.orgId === orgId ? forOrganization(event) : undefined
}

// Where somebody was and what they used is theirs and the operators' to know; so is what only operators need.
function forOrganization(event: Record<string, unknown>): Record<string, unknown> {
  const { clientAddress: _address, device: _device, subject, reason, ...rest } = event
  const isOrdinary = findEventKind(String(event.kind))?.isOrdinary === true
  return { ...rest, subject: isOrdinary ? subject : null, reason: isOrdinary ? reason : null }
}
