import { and, desc, eq, gte, inArray, lt, type SQL, isNotNull, sum } from 'drizzle-orm'
import { z } from 'zod'
import type {
  EventCounts,
  OwnEventPage,
  SecurityEvent,
  SecurityEventPage,
} from '#fairway/shared/schemas/security-event'
import { matching, type Paging, readPage, rowsByTime, textFilter, timeFilter } from '../database/read-page'
import { type ExportFile, type ExportFormat, exportOf } from '../export-rows'
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

function whereOf({ group, outcome, from, until, ...values }: EventFilter): SQL | undefined {
  const kinds = Object.entries(eventKinds).flatMap(([name, kind]) =>
    kind.group === (group ?? kind.group) && kind.outcome === (outcome ?? kind.outcome) ? [name] : [],
  )
  return and(
    matching(securityEvents, values),
    (group ?? outcome) ? inArray(securityEvents.kind, kinds) : undefined,
    from && gte(securityEvents.at, from),
    until && lt(securityEvents.at, until),
  )
}

type EventRow = typeof securityEvents.$inferSelect

/** An event as operators see it; the time is ISO 8601 UTC. */
const toEvent = (row: EventRow) => ({
  ...row,
  at: row.at.toISOString(),
  outcome: findEventKind(row.kind)?.outcome ?? 'done',
})

const eventsOf = (app: App, filter: EventFilter) =>
  rowsByTime(app.db.ormApart, securityEvents, securityEvents.at, whereOf(filter))

/**
 * Returns one page of events about a person's account, latest first. Only ordinary events include names and reasons, because
 * others contain details for operators.
 */
export async function listOwnEvents(app: App, userId: string, paging: Paging): Promise<OwnEventPage> {
  const { events, ...total } = await listSecurityEvents(app, { ...paging, userId })
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
    ...total,
  }
}

/** Returns one page of the events, latest first. */
export async function listSecurityEvents(
  app: App,
  { page, itemsPerPage, total, ...filter }: EventFilter & Paging,
): Promise<SecurityEventPage> {
  const list = eventsOf(app, filter)
  const { rows, ...counted } = await readPage({ page, itemsPerPage, total }, list.page, list.count)
  return { events: rows.map(toEvent), ...counted }
}

/** The filters of the operators' view as query parameters; times are ISO 8601, a person is identified by their address. */
export const eventFilterShape = {
  kind: textFilter,
  group: z.enum(EVENT_GROUPS).optional(),
  outcome: z.enum(EVENT_OUTCOMES).optional(),
  person: textFilter,
  subject: textFilter,
  clientAddress: textFilter,
  from: timeFilter,
  until: timeFilter,
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
] as const

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
export function exportSecurityEvents(
  app: App,
  { format, ...filter }: EventFilter & { format: ExportFormat },
): ExportFile {
  const { piece } = eventsOf(app, filter)
  const read = async (after: SecurityEvent | undefined, limit: number) => (await piece(after, limit)).map(toEvent)
  return exportOf('security-events', { format, columns: COLUMNS }, read)
}

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
