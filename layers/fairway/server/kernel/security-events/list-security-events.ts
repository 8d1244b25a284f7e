import { and, count, desc, eq, gte, inArray, lt, type SQL, sql, isNotNull, sum } from 'drizzle-orm'
import { z } from 'zod'
import type { EventCounts, OwnEventPage, SecurityEventPage } from '#fairway/shared/schemas/security-event'
import { inPieces, exportRows, type ExportFormat } from '../export-rows'
import type { App } from '../app-context'
import { isoTime, type SqlPart } from '../dependent-rows'
import { metricLine, metricsText } from '../events/metrics'
import { securityEvents, securityEventCounts } from './tables'
import { EVENT_GROUPS, EVENT_OUTCOMES, eventKinds, findEventKind } from './event-kinds'
import { hourOf } from './record-security-event'

interface EventFilter {
  kind?: string
  /** Kinds of this group, and of this outcome. */
  group?: (typeof EVENT_GROUPS)[number]
  outcome?: (typeof EVENT_OUTCOMES)[number]
  userId?: string
  subject?: string
  clientAddress?: string
  /** From this time on, and before the other. */
  from?: Date
  until?: Date
}

const kindsOf = (fits: (kind: { group: string; outcome: string }) => boolean): string[] =>
  Object.entries(eventKinds).flatMap(([name, kind]) => (fits(kind) ? [name] : []))

const whereOf = ({ kind, group, outcome, userId, subject, clientAddress, from, until }: EventFilter): SQL | undefined =>
  and(
    kind ? eq(securityEvents.kind, kind) : undefined,
    group
      ? inArray(
          securityEvents.kind,
          kindsOf(each => each.group === group),
        )
      : undefined,
    outcome
      ? inArray(
          securityEvents.kind,
          kindsOf(each => each.outcome === outcome),
        )
      : undefined,
    userId === undefined ? undefined : eq(securityEvents.userId, userId),
    subject ? eq(securityEvents.subject, subject) : undefined,
    clientAddress ? eq(securityEvents.clientAddress, clientAddress) : undefined,
    from ? gte(securityEvents.at, from) : undefined,
    until ? lt(securityEvents.at, until) : undefined,
  )

type EventRow = typeof securityEvents.$inferSelect

/** An event as operators see it; the time is ISO 8601 UTC. */
const toEvent = (row: EventRow) => ({
  ...row,
  at: row.at.toISOString(),
  outcome: findEventKind(row.kind)?.outcome ?? 'done',
})

interface Paging {
  page: number
  itemsPerPage: number
}

/**
 * Returns one page of events about a person's account, latest first. Only ordinary events include names and reasons, because
 * others contain details for operators.
 */
export async function listOwnEvents(app: App, userId: string, paging: Paging): Promise<OwnEventPage> {
  const { events, totalItems } = await listSecurityEvents(app, { ...paging, userId })
  return {
    events: events.map(({ id, at, kind, outcome, device, clientAddress, subject, reason }) => ({
      id,
      at,
      kind,
      outcome,
      device,
      clientAddress,
      ...(findEventKind(kind)?.isOrdinary ? { subject, reason } : { subject: null, reason: null }),
    })),
    totalItems,
  }
}

/** Returns one page of the events, latest first. */
export async function listSecurityEvents(
  app: App,
  { page, itemsPerPage, ...filter }: EventFilter & Paging,
): Promise<SecurityEventPage> {
  const where = whereOf(filter)
  const [rows, counted] = await Promise.all([
    app.db.ormApart
      .select()
      .from(securityEvents)
      .where(where)
      .orderBy(desc(securityEvents.at), desc(securityEvents.id))
      .limit(itemsPerPage)
      .offset((page - 1) * itemsPerPage),
    app.db.ormApart.select({ n: count() }).from(securityEvents).where(where),
  ])
  return { events: rows.map(toEvent), totalItems: counted[0]?.n ?? 0 }
}

/** Iterates over all events that match, the oldest first, without a limit. */
async function* eachSecurityEvent(app: App, filter: EventFilter): AsyncGenerator<ReturnType<typeof toEvent>> {
  const read = (after: EventRow | undefined, limit: number) => {
    const rest = after && sql`(${securityEvents.at}, ${securityEvents.id}) > (${after.at.getTime()}, ${after.id})`
    return app.db.ormApart
      .select()
      .from(securityEvents)
      .where(and(whereOf(filter), rest))
      .orderBy(securityEvents.at, securityEvents.id)
      .limit(limit)
  }
  for await (const row of inPieces(read)) yield toEvent(row)
}

const text = z.string().trim().max(200).optional()
const time = z.iso
  .datetime({ offset: true })
  .transform(value => new Date(value))
  .optional()

/** The filters of the operators' view as query parameters; times are ISO 8601, a person is identified by their address. */
export const eventFilterShape = {
  kind: text,
  group: z.enum(EVENT_GROUPS).optional(),
  outcome: z.enum(EVENT_OUTCOMES).optional(),
  person: text,
  subject: text,
  clientAddress: text,
  from: time,
  until: time,
}

const HOUR_IN_MS = 60 * 60 * 1000

/** Returns how many events of each kind happened in each of the recent hours, for a chart; hours without events are omitted. */
export async function eventCounts(app: App, hours: number): Promise<EventCounts> {
  const from = new Date(hourOf(app.now()) - (hours - 1) * HOUR_IN_MS)
  const rows = await app.db.orm
    .select()
    .from(securityEventCounts)
    .where(gte(securityEventCounts.hour, from))
    .orderBy(securityEventCounts.hour)
  return {
    from: from.toISOString(),
    hours,
    kinds: Object.entries(eventKinds).map(([kind, { title, group, alertAbove }]) => ({
      kind,
      title,
      group,
      alertAbove,
    })),
    counts: rows.map(({ kind, hour, count }) => ({ kind, hour: hour.toISOString(), count })),
  }
}

/** Returns the alerts of the last thirty days, latest first: the hours in which a kind exceeded its threshold. */
export async function listAlerts(app: App) {
  const from = new Date(app.now().getTime() - 30 * 24 * HOUR_IN_MS)
  const rows = await app.db.orm
    .select()
    .from(securityEventCounts)
    .where(and(gte(securityEventCounts.hour, from), isNotNull(securityEventCounts.alertedAt)))
    .orderBy(desc(securityEventCounts.hour))
    .limit(500)
  return rows.map(({ kind, hour, count, alertedAt }) => ({
    kind,
    hour: hour.toISOString(),
    count,
    alertAbove: findEventKind(kind)?.alertAbove ?? null,
    alertedAt: alertedAt?.toISOString() ?? null,
  }))
}

const COLUMNS = [
  'at',
  'kind',
  'subject',
  'clientAddress',
  'userId',
  'orgId',
  'reason',
  'device',
  'outcome',
  'requestId',
  'id',
]

/** Selects the events about a person for the data that they download. */
export const eventsOfPerson = (userId: string): SqlPart => ({
  sql: `select ${isoTime('at')} as at, kind, reason, subject, client_address as address from security_events
    where user_id = ? order by security_events.at`,
  args: [userId],
})

/** The position of an event in the order of time: milliseconds since 1970, and its id. */
export interface EventTime {
  at: number
  id: string
}

/**
 * Selects the events after a time, of one organization or of all (null), oldest first: `id`, `at`, and `type` with the webhooks'
 * names.
 */
export const securityEventsSince = (orgId: string | null, { at, id }: EventTime, most: number): SqlPart => ({
  sql: `select id, at, 'security.' || kind as type from security_events
    where ${orgId === null ? '' : 'org_id = ? and '}(at, id) > (?, ?) order by at, id limit ?`,
  args: [...(orgId === null ? [] : [orgId]), at, id, most],
})

/** Returns one event in the form of the operators' export; undefined for a deleted one. */
export async function findSecurityEvent(app: App, id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await app.db.orm.select().from(securityEvents).where(eq(securityEvents.id, id))
  if (!row) return undefined
  const event: Record<string, unknown> = toEvent(row)
  return Object.fromEntries(COLUMNS.map(column => [column, event[column] ?? null]))
}

/** All events that match as a file, the oldest first. */
export const exportSecurityEvents = (app: App, filter: EventFilter, format: ExportFormat): AsyncGenerator<string> =>
  exportRows(eachSecurityEvent(app, filter), COLUMNS, format)

/** The metrics of this process and the security events of the installation, in the Prometheus text format 0.0.4. */
export async function readMetrics(app: App): Promise<string> {
  const rows = await app.db.orm
    .select({ kind: securityEventCounts.kind, total: sum(securityEventCounts.count) })
    .from(securityEventCounts)
    .groupBy(securityEventCounts.kind)
  const totals = new Map(rows.map(({ kind, total }) => [kind, Number(total)]))
  const events = Object.keys(eventKinds).map(kind =>
    metricLine('fairway_security_events_total', { kind }, totals.get(kind) ?? 0),
  )
  const { heapUsed, rss } = process.memoryUsage()
  return [
    metricsText(app),
    '# HELP fairway_security_events_total Security events by kind, of all instances.\n# TYPE fairway_security_events_total counter\n',
    ...events,
    '# HELP process_resident_memory_bytes Memory of this process.\n# TYPE process_resident_memory_bytes gauge\n',
    metricLine('process_resident_memory_bytes', {}, rss),
    '# HELP nodejs_heap_used_bytes JavaScript heap of this process.\n# TYPE nodejs_heap_used_bytes gauge\n',
    metricLine('nodejs_heap_used_bytes', {}, heapUsed),
    '# HELP process_uptime_seconds How long this process runs.\n# TYPE process_uptime_seconds gauge\n',
    metricLine('process_uptime_seconds', {}, Math.round(process.uptime())),
  ].join('')
}
