import type { App } from '../app-context'
import { newId } from '../crypto/random'
import type { InStatement } from '../database/client'
import { eventKinds, findEventKind, type SecurityEventKind } from './event-kinds'

const HOUR_IN_MS = 60 * 60 * 1000
const MOST_CHARACTERS = 300

interface SecurityEvent {
  kind: SecurityEventKind
  /** The reason, in words that contain no state, code or token. */
  reason: string
  /** The external provider or the client that it is about. */
  subject?: string
  clientAddress?: string
  userId?: string
  orgId?: string
  requestId?: string
  /** In words, for example “Firefox on Windows”. */
  device?: string
  /** Omits the row when one of the same kind, person and address is newer than this; the event still counts. */
  quietForInMs?: number
}

/** Returns the start of the hour of a point in time. */
export const hourOf = (at: Date): number => at.getTime() - (at.getTime() % HOUR_IN_MS)

/**
 * Stores a security event, writes its log line and counts it. The count that exceeds the threshold of its kind writes one `alert`
 * line for that hour, across all instances. A failure to record is logged and does not affect the caller.
 */
export async function recordSecurityEvent(app: App, event: SecurityEvent): Promise<void> {
  const { device: _device, quietForInMs: _quiet, ...logged } = event
  const { kind } = event
  const hour = hourOf(app.now())
  app.log[findEventKind(kind)?.isOrdinary ? 'info' : 'warn']('security event', logged)
  try {
    const [, counted] = await app.db.client.batch(
      [
        insertStatement(app.now().getTime(), event),
        {
          sql: `insert into security_event_counts (kind, hour, count) values (?, ?, 1)
            on conflict (kind, hour) do update set count = count + 1 returning count`,
          args: [kind, hour],
        },
      ],
      'write',
    )
    await alert(app, kind, hour, Number(counted?.rows[0]?.count))
  } catch (cause) {
    app.log.error('a security event could not be stored', { kind, error: cause })
  }
}

/** The statements that store one event of this kind for each person and count them, for a transaction. They raise no alert. */
export function personEventsStatements(
  app: App,
  { kind, reason, userIds }: { kind: SecurityEventKind; reason: string; userIds: readonly string[] },
): InStatement[] {
  const json = JSON.stringify(userIds.map(userId => [newId(), userId]))
  return [
    {
      sql: `insert into security_events (id, at, kind, user_id, reason)
        select json_extract(value, '$[0]'), ?, ?, json_extract(value, '$[1]'), ? from json_each(?)`,
      args: [app.now().getTime(), kind, reason, json],
    },
    {
      sql: `insert into security_event_counts (kind, hour, count) values (?, ?, ?)
        on conflict (kind, hour) do update set count = count + excluded.count`,
      args: [kind, hourOf(app.now()), userIds.length],
    },
  ]
}

function insertStatement(at: number, event: SecurityEvent): InStatement {
  const { kind, reason, quietForInMs } = event
  const { subject, clientAddress, userId, orgId, requestId, device } = { ...NOTHING, ...defined(event) }
  const youngest = quietForInMs === undefined ? Number.MAX_SAFE_INTEGER : at - quietForInMs
  return {
    sql: `insert into security_events (id, at, kind, subject, client_address, user_id, org_id, reason, request_id, device)
      select ?, ?, ?, ?, ?, ?, ?, ?, ?, ? where not exists (
        select 1 from security_events where kind = ? and at > ? and user_id is ? and client_address is ?)`,
    args: [
      newId(),
      at,
      kind,
      subject,
      clientAddress,
      userId,
      orgId,
      reason.slice(0, MOST_CHARACTERS),
      requestId,
      device,
      kind,
      youngest,
      userId,
      clientAddress,
    ],
  }
}

const NOTHING = { subject: null, clientAddress: null, userId: null, orgId: null, requestId: null, device: null }

/** The members of an event without those that are undefined. */
const defined = (event: SecurityEvent): Partial<Record<keyof SecurityEvent, string>> =>
  Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined))

async function alert(app: App, kind: SecurityEventKind, hour: number, count: number): Promise<void> {
  const { alertAbove } = eventKinds[kind]
  if (alertAbove === null || count <= alertAbove) return
  const { rowsAffected } = await app.db.client.execute({
    sql: 'update security_event_counts set alerted_at = ? where kind = ? and hour = ? and alerted_at is null',
    args: [app.now().getTime(), kind, hour],
  })
  if (rowsAffected > 0) app.log.error('alert', { kind, hour: new Date(hour).toISOString(), count, alertAbove })
}

const DAY_IN_MS = 24 * 60 * 60 * 1000
const EVENT_DAYS = 90
const COUNT_DAYS = 400
/** The maximum number of rows per statement, so that writers do not wait for a large clean-up. */
const MOST_ROWS = 2000

/** Deletes events after ninety days and their counts after four hundred. */
export async function purgeSecurityEvents(app: App): Promise<void> {
  const before = (days: number) => app.now().getTime() - days * DAY_IN_MS
  for (;;) {
    const { rowsAffected } = await app.db.client.execute({
      sql: 'delete from security_events where id in (select id from security_events where at < ? limit ?)',
      args: [before(EVENT_DAYS), MOST_ROWS],
    })
    if (rowsAffected < MOST_ROWS) break
  }
  await app.db.client.execute({ sql: 'delete from security_event_counts where hour < ?', args: [before(COUNT_DAYS)] })
}
