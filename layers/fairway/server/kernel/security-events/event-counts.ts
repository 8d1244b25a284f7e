import { and, desc, gte, isNotNull } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { EventCounts } from '#fairway/shared/schemas/security-event'
import { eventKinds, type SecurityEventKind } from './event-kinds'
import { hourOf } from './record-security-event'
import { securityEventCounts } from './tables'

const HOUR_IN_MS = 60 * 60 * 1000

/** How many events of each kind each of the last hours had, for a chart; hours without any are not in it. */
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
    kinds: Object.entries(eventKinds).map(([kind, { title, alertAbove }]) => ({ kind, title, alertAbove })),
    counts: rows.map(({ kind, hour, count }) => ({ kind, hour: hour.toISOString(), count })),
  }
}

/** The alerts of the last thirty days, the latest first: the hours in which a kind went over its threshold. */
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
    alertAbove: eventKinds[kind as SecurityEventKind]?.alertAbove ?? null,
    alertedAt: alertedAt?.toISOString() ?? null,
  }))
}
