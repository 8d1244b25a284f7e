// Sends events of the logs again. Reads the logs in pieces, by time, and lets other requests run between two pieces.
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { auditEventsSince } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { wakeSoon } from '#fairway/server/kernel/jobs'
import { type EventTime, securityEventsSince } from '#fairway/server/kernel/security-events/list-security-events'
import { checkOn, type deliveryInput, type QueuedEvent, queueStatement } from './deliveries'
import { KEPT_IN_MS, type WebhookRow } from './subscriptions'

/** The number of log rows that one statement reads. */
const PIECE = 1000
const MOST_REPLAYED = 10_000

type ReplayInput = z.output<typeof deliveryInput.replay>

/**
 * Queues a webhook's events since a time and returns their number; a dry run only counts them. Throws `webhook-off`, and
 * `webhook-replaying` while a replay of this webhook runs on any instance. Throws `invalid-input` for a time more than 30 days
 * ago and for more than 10,000 events.
 */
export async function replaySince(
  app: App,
  webhook: WebhookRow,
  input: ReplayInput,
  dryRun = false,
): Promise<{ events: number; isDryRun: boolean }> {
  if (!dryRun) checkOn(webhook)
  if (input.since.getTime() < app.now().getTime() - KEPT_IN_MS) throw refusedTime('must be within the last thirty days')
  const lease = await takeLease(app, webhook)
  try {
    let events = 0
    for await (const { sql, args } of piecesOf(app, webhook, input)) {
      await lease.hold()
      const { rows } = await app.db.client.execute({ sql: `select count(*) as n from (${sql})`, args })
      events += Number(rows[0]?.n)
      if (events > MOST_REPLAYED) throw refusedTime(`these are more than ${MOST_REPLAYED} events; choose a later time`)
    }
    if (!dryRun) {
      await queuePieces(app, webhook, input, lease)
      wakeSoon(app)
    }
    return { events, isDryRun: dryRun }
  } finally {
    await lease.end()
  }
}

const refusedTime = (message: string) => new AppError('invalid-input', { errors: [{ path: 'since', message }] })

async function queuePieces(app: App, webhook: WebhookRow, input: ReplayInput, lease: Lease): Promise<void> {
  const again = input.include === 'all' ? 'all' : 'failed'
  for await (const { sql, args, source } of piecesOf(app, webhook, input)) {
    await lease.hold()
    const { rows } = await app.db.client.execute({ sql, args })
    const events = rows.map(row => ({
      eventId: String(row.id),
      source,
      type: String(row.type),
      at: Number(row.at),
    }))
    if (events.length > 0) await app.db.client.execute(queueStatement(app, webhook.id, events, again))
  }
}

interface Log {
  source: QueuedEvent['source']
  since(after: EventTime, most: number): SqlPart
}

const logsOf = ({ orgId }: WebhookRow): Log[] => [
  ...(orgId === null
    ? []
    : [{ source: 'audit' as const, since: (after: EventTime, most: number) => auditEventsSince(orgId, after, most) }]),
  { source: 'security', since: (after, most) => securityEventsSince(orgId, after, most) },
]

/**
 * The selects of the matching events (`id`, `at`, `type`), one for each piece of the logs. A test checks that they use indexes.
 */
export async function* piecesOf(
  app: App,
  webhook: WebhookRow,
  { since, include }: ReplayInput,
): AsyncGenerator<SqlPart & Pick<Log, 'source'>> {
  for (const log of logsOf(webhook)) {
    for (let after: EventTime | undefined = { at: since.getTime(), id: '' }; after;) {
      const piece = log.since(after, PIECE)
      const wanted = wantedOf(webhook, include)
      yield {
        source: log.source,
        sql: `select id, at, type from (${piece.sql}) event where ${wanted.sql}`,
        args: [...piece.args, ...wanted.args],
      }
      after = await endOf(app, piece)
      await setImmediate()
    }
  }
}

/** The final event of a full piece; undefined when fewer events remain. */
async function endOf(app: App, { sql, args }: SqlPart): Promise<EventTime | undefined> {
  const { rows } = await app.db.client.execute({
    sql: `select at, id from (${sql}) order by at, id limit 1 offset ${PIECE - 1}`,
    args,
  })
  return rows[0] && { at: Number(rows[0].at), id: String(rows[0].id) }
}

/**
 * The condition for matching events: types of the webhook (its patterns are GLOB patterns) without a pending or sent delivery.
 * `all` includes those with one.
 */
const wantedOf = ({ id, types }: WebhookRow, include: ReplayInput['include']): SqlPart => ({
  sql: `exists (select 1 from json_each(?) pattern where event.type glob pattern.value) and (? = 'all' or not exists (
    select 1 from fw_webhook_deliveries d where d.webhook_id = ? and d.event_id = event.id and d.state <> 'failed'))`,
  args: [types, include, id],
})

/** Longer than any piece takes. When a process crashes, replays of its webhook are blocked for this long. */
const LEASE_IN_MS = 30_000

interface Lease {
  /** Throws `webhook-replaying` when the lease has expired and another process has taken it. */
  hold(): Promise<void>
  end(): Promise<void>
}

/** Lets one process at a time read the logs for a webhook. Throws `webhook-replaying` while another process does. */
async function takeLease(app: App, { id }: WebhookRow): Promise<Lease> {
  const move = async (to: number | null, condition: string, arg: number) => {
    const sql = `update fw_webhooks set replay_until = ? where id = ? and ${condition}`
    return (await app.db.client.execute({ sql, args: [to, id, arg] })).rowsAffected > 0
  }
  const now = () => app.now().getTime()
  let until = now() + LEASE_IN_MS
  if (!(await move(until, 'coalesce(replay_until, 0) <= ?', now()))) throw new AppError('webhook-replaying')
  return {
    async hold() {
      if (until - now() > LEASE_IN_MS / 2) return
      const next = now() + LEASE_IN_MS
      if (!(await move(next, 'replay_until = ?', until))) throw new AppError('webhook-replaying')
      until = next
    },
    async end() {
      await move(null, 'replay_until = ?', until)
    },
  }
}
