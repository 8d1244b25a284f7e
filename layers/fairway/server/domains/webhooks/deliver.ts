// From the queue to receivers: each try is taken in one statement, so of several instances one makes it; a process that dies leaves it
// for the next one. Organizations and hosts share places fairly, and a try holds its place for one second at most.
import { eq } from 'drizzle-orm'
import { findAuditEvent } from '#fairway/server/domains/actions'
import { isInDeleted } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { findSecurityEvent } from '#fairway/server/kernel/security-events/list-security-events'
import { findEventKind } from '#fairway/server/kernel/security-events/event-kinds'
import { followLogs } from './follow-logs'
import { recordAttempt, switchOffOrphaned, type TakenDelivery } from './record-attempt'
import { isInside, SEND_LIMIT_IN_MS, sendWebhook } from './send-webhook'
import { isKeptByOperator, onWake, type WebhookRow } from './subscriptions'
import { webhooks } from './tables'

const LOOK_EVERY_IN_MS = 1000
/** While no webhook is on. */
const LOOK_SELDOM_IN_MS = 10_000
const STOP_LIMIT_IN_MS = 4000
/** Longer than a try may take, so a delivery that is under way is not taken again. */
const LEASE_IN_MS = 4 * SEND_LIMIT_IN_MS
/** Tries of a webhook that are under way at once. */
const MOST_PER_WEBHOOK = 2
/** Places of this process in all, of an organization, and for a receiving host. */
const PLACES = 64
const PLACES_PER_OWNER = 8
const PLACES_PER_HOST = 8
/** A slower try keeps waiting without a place, so a silent receiver delays others by no more than this. */
const HOLDS_PLACE_FOR_IN_MS = 1000

/** A webhook for which something is due. */
interface DueWebhook {
  id: string
  /** The organization or the installation, and the receiving host, as keys of the counts below. */
  owner: string
  host: string
}

interface Delivering {
  /** Tries that this process makes now, by webhook and by owner. */
  running: Map<string, number>
  /** Those of them that hold a place: all, by owner and by host. */
  placed: Map<string, number>
  /** Each once; who had its turn goes to the end. */
  due: Map<string, DueWebhook>
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
    running: new Map(),
    placed: new Map(),
    due: new Map(),
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
    if (state.hasWebhooks) for (const webhook of await findDue(app)) state.due.set(webhook.id, webhook)
    fill(app, state)
  }
}

const DUE = `select w.id as id, coalesce(w.org_id, 'installation') as owner, w.url as url from fw_webhooks w where w.state = 'on' and not ${isInDeleted('w')}
  and exists (select 1 from fw_webhook_deliveries d where d.webhook_id = w.id and d.next_try_at <= ?)`

async function findDue(app: App): Promise<DueWebhook[]> {
  const find = app.memo('webhooks-due', () => app.db.prepareRead<{ id: string; owner: string; url: string }>(DUE))
  return (await find([app.now().getTime()])).map(({ id, owner, url }) => ({
    id,
    owner: `owner ${owner}`,
    host: `host ${new URL(url).host}`,
  }))
}

/** Begins as many tries as there are places for. */
function fill(app: App, state: Delivering): void {
  for (let next = nextOf(state); next; next = nextOf(state)) begin(app, state, next)
}

const countOf = (counts: Map<string, number>, key: string): number => counts.get(key) ?? 0

function add(counts: Map<string, number>, keys: readonly string[], change: 1 | -1): void {
  for (const key of keys) {
    const count = countOf(counts, key) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }
}

/** The next webhook that may have a place: of the owner with the fewest tries under way, the one that has waited longest. */
function nextOf(state: Delivering): DueWebhook | undefined {
  if (state.isStopping || countOf(state.placed, 'all') >= PLACES) return undefined
  let next: DueWebhook | undefined
  for (const webhook of state.due.values()) {
    const isFull =
      countOf(state.running, webhook.id) >= MOST_PER_WEBHOOK ||
      countOf(state.placed, webhook.owner) >= PLACES_PER_OWNER ||
      countOf(state.placed, webhook.host) >= PLACES_PER_HOST
    if (isFull) continue
    if (!next || countOf(state.running, webhook.owner) < countOf(state.running, next.owner)) next = webhook
  }
  return next
}

function begin(app: App, state: Delivering, webhook: DueWebhook): void {
  const running = [webhook.id, webhook.owner]
  const placed = ['all', webhook.owner, webhook.host]
  // To the end of the line.
  state.due.delete(webhook.id)
  state.due.set(webhook.id, webhook)
  state.total += 1
  add(state.running, running, 1)
  add(state.placed, placed, 1)
  let holdsPlace = true
  const release = () => {
    if (holdsPlace) add(state.placed, placed, -1)
    holdsPlace = false
  }
  const timer = setTimeout(() => {
    release()
    fill(app, state)
  }, HOLDS_PLACE_FOR_IN_MS).unref()
  void tryOne(app, state, webhook).finally(() => {
    clearTimeout(timer)
    release()
    state.total -= 1
    add(state.running, running, -1)
    fill(app, state)
    if (state.total > 0) return
    for (const resolve of state.onIdle) resolve()
    state.onIdle.clear()
  })
}

/** Never throws; where nothing of the webhook was due, it leaves the line. */
async function tryOne(app: App, state: Delivering, { id }: DueWebhook): Promise<void> {
  const hadOne = await deliverOne(app, id).catch((error: unknown) => {
    app.log.warn('a webhook could not be delivered, it will be tried again', { webhookId: id, error })
    return false
  })
  if (!hadOne) state.due.delete(id)
}

const idle = (state: Delivering): Promise<void> =>
  state.total === 0 ? Promise.resolve() : new Promise(resolve => state.onIdle.add(resolve))

async function deliverOne(app: App, webhookId: string): Promise<boolean> {
  const [webhook] = await app.db.orm.select().from(webhooks).where(eq(webhooks.id, webhookId))
  if (!webhook) return false
  // Looked up for each try: `FW_OPERATORS` and accounts change after a webhook was made.
  const isOperator = (webhook.orgId === null || isInside(app, webhook)) && (await isKeptByOperator(app, webhook))
  if (webhook.orgId === null && !isOperator) return switchOffOrphaned(app, webhook)
  const taken = await take(app, webhookId)
  if (!taken) return false
  const body = await bodyOf(app, webhook, taken)
  const attempt =
    body === undefined
      ? { fault: 'event-gone' as const, durationInMs: 0 }
      : await sendWebhook(app, webhook, { message: { id: messageId(taken.eventId), body }, isOperator })
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
