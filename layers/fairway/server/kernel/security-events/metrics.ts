import { sum } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { metricLine, metricsText } from '#fairway/server/kernel/metrics/metrics'
import { eventKinds } from './event-kinds'
import { securityEventCounts } from './tables'

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
