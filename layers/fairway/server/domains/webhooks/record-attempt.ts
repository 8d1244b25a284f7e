// The result of an attempt: delivered, retried or failed. Also decides when a webhook is switched off.
import type { App } from '#fairway/server/kernel/app-context'
import { isInDeleted, listManagers, orgUrl } from '#fairway/server/domains/organizations'
import { findPerson, notifyPeople } from '#fairway/server/domains/people'
import { inBackground } from '#fairway/server/kernel/background'
import { SECURITY_PAGE, WEBHOOKS_PAGE } from '#fairway/shared/paths'
import type { Attempt } from './send-webhook'
import type { WebhookRow } from './subscriptions'

/** A delivery during an attempt. */
export interface TakenDelivery {
  id: string
  eventId: string
  source: string
  type: string
  /** Milliseconds since 1970, like the other times. */
  eventAt: number
  /** Including this one. */
  tries: number
  queuedAt: number
  /** The time for which this attempt was queued. */
  nextTryAt: number
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY_IN_MS = 24 * HOUR * 1000
/** The delay after each attempt. */
export const DELAYS_IN_SECONDS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** A random share of the delay, up to this, is added to it. Deliveries that failed together are then not retried together. */
const JITTER = 0.2
const LONGEST_WAIT_IN_MS = DAY_IN_MS
const MOST_DAYS_OF_FAILURE = 5
const GONE = 410

/** Records the result of an attempt. A delivery that was queued again in the meantime stays queued. */
export async function recordAttempt(
  app: App,
  webhook: WebhookRow,
  taken: TakenDelivery,
  attempt: Attempt,
): Promise<void> {
  const hasAnswer = 'status' in attempt
  if (hasAnswer && attempt.status >= 200 && attempt.status < 300) {
    await writeAttempt(app, taken, attempt, { state: 'sent', nextTryAt: null })
    if (webhook.failingSince !== null)
      await app.db.client.execute({
        sql: 'update fw_webhooks set failing_since = null where id = ? and failing_since is not null',
        args: [webhook.id],
      })
    return
  }
  const isGone = hasAnswer && attempt.status === GONE
  const delay = isGone || isHopeless(attempt) ? undefined : DELAYS_IN_SECONDS[taken.tries - 1]
  const nextTryAt = delay === undefined ? null : app.now().getTime() + waitInMs(delay, attempt)
  await writeAttempt(app, taken, attempt, { state: nextTryAt === null ? 'failed' : 'pending', nextTryAt })
  if (isGone) await switchOffGone(app, webhook)
  else await noteFailure(app, webhook, taken, nextTryAt === null && !isHopeless(attempt))
}

/** A fault that no retry can fix and that is not caused by the receiver. */
const isHopeless = (attempt: Attempt): boolean => 'fault' in attempt && attempt.fault === 'event-gone'

function waitInMs(delayInSeconds: number, attempt: Attempt): number {
  const backoff = delayInSeconds * 1000 * (1 + JITTER * Math.random())
  const retryAfter = 'status' in attempt ? (attempt.retryAfterInMs ?? 0) : 0
  return Math.round(Math.max(backoff, Math.min(retryAfter, LONGEST_WAIT_IN_MS)))
}

interface Outcome {
  state: 'sent' | 'pending' | 'failed'
  nextTryAt: number | null
}

async function writeAttempt(
  app: App,
  { id, nextTryAt }: TakenDelivery,
  attempt: Attempt,
  outcome: Outcome,
): Promise<void> {
  const { status, answer, fault } = { status: null, answer: null, fault: null, ...attempt }
  await app.db.client.execute({
    sql: `update fw_webhook_deliveries set state = ?, next_try_at = ?, status = ?, answer = ?, fault = ?, duration_ms = ?
      where id = ? and next_try_at = ?`,
    args: [outcome.state, outcome.nextTryAt, status, answer, fault, attempt.durationInMs, id, nextTryAt],
  })
}

async function switchOffGone(app: App, { id }: WebhookRow): Promise<void> {
  await app.db.client.execute({
    sql: `update fw_webhooks set state = 'gone' where id = ? and state = 'on'`,
    args: [id],
  })
  app.log.warn('a webhook was switched off: its address answered 410', { webhookId: id })
}

/**
 * Switches off a webhook whose person responsible may no longer manage it, and mails those who may once. Webhooks of a deleted
 * organization only wait, because its members return when it is restored.
 */
export async function switchOffOrphaned(app: App, webhook: WebhookRow): Promise<void> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `update fw_webhooks set state = 'orphaned' where id = ? and state = 'on' and not ${isInDeleted('fw_webhooks')}`,
    args: [webhook.id],
  })
  if (rowsAffected === 0) return
  app.log.warn('a webhook was switched off: its creator may no longer manage it', { webhookId: webhook.id })
  inBackground(app, 'webhook-orphaned', () => tellManagers(app, webhook, 'webhook-orphaned'))
}

/**
 * Records a failed attempt. Switches the webhook off and notifies its managers once in two cases: nothing was delivered for
 * five days, or during all attempts of one delivery.
 */
async function noteFailure(app: App, webhook: WebhookRow, taken: TakenDelivery, wasLast: boolean): Promise<void> {
  const now = app.now().getTime()
  const { id } = webhook
  const [, switchedOff] = await app.db.client.batch(
    [
      { sql: 'update fw_webhooks set failing_since = ? where id = ? and failing_since is null', args: [now, id] },
      {
        sql: `update fw_webhooks set state = 'failing' where id = ? and state = 'on' and (failing_since <= ? or (? = 1 and not exists (
          select 1 from fw_webhook_deliveries d where d.webhook_id = fw_webhooks.id and d.state = 'sent' and d.last_try_at >= ?)))`,
        args: [id, now - MOST_DAYS_OF_FAILURE * DAY_IN_MS, wasLast ? 1 : 0, taken.queuedAt],
      },
    ],
    'write',
  )
  if (switchedOff?.rowsAffected !== 1) return
  app.log.warn('a webhook was switched off: nothing was accepted for too long', { webhookId: id })
  inBackground(app, 'webhook-failing', () => tellManagers(app, webhook, 'webhook-failing'))
}

async function tellManagers(
  app: App,
  { orgId, url }: WebhookRow,
  mail: 'webhook-failing' | 'webhook-orphaned',
): Promise<void> {
  const addresses = orgId === null ? await operatorsOf(app) : await listManagers(app, orgId)
  const href = orgId === null ? app.config.baseUrl + SECURITY_PAGE : await orgUrl(app, orgId, WEBHOOKS_PAGE)
  // The path and query may contain a secret.
  const values = { address: new URL(url).host }
  await notifyPeople(app, { orgId, addresses }, mail, { values, href })
}

/** Operators with an account and a confirmed address. */
async function operatorsOf(app: App): Promise<string[]> {
  const operators = await Promise.all(app.config.operators.map(email => findPerson(app, { email })))
  return operators.flatMap(person => (person?.emailVerified ? person.email : []))
}
