import { beforeEach, describe, expect, it } from 'vitest'
import type { App } from '#fairway/server/kernel/app-context'
import {
  eventCounts,
  listAlerts,
  exportSecurityEvents,
  listSecurityEvents,
  readMetrics,
} from '../../../../layers/fairway/server/kernel/security-events/list-security-events'
import type { SecurityEventKind } from '../../../../layers/fairway/server/kernel/security-events/event-kinds'
import {
  recordSecurityEvent,
  purgeSecurityEvents,
} from '../../../../layers/fairway/server/kernel/security-events/record-security-event'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { query } from '../../../support/query'

const test = useTestApp()
let app: App

beforeEach(() => {
  app = test.app
})

const record = (kind: SecurityEventKind, times = 1, from: App = app) =>
  Promise.all(
    Array.from({ length: times }, () => recordSecurityEvent(from, { kind, reason: 'a test', subject: 'corp' })),
  )
const alertLines = () => test.lines().filter(({ message }) => message === 'alert')

describe('security events', () => {
  it('are stored, logged and counted by kind and hour', async () => {
    await record('callback-failed', 3)
    expect(await listSecurityEvents(app, { page: 1, itemsPerPage: 2 })).toMatchObject({
      totalItems: 3,
      events: [{}, {}],
    })
    expect(test.lines().filter(({ message }) => message === 'security event')).toHaveLength(3)
    const { counts } = await eventCounts(app, 1)
    expect(counts).toMatchObject([{ kind: 'callback-failed', count: 3 }])
  })

  it.each([
    ['callback-failed', 50],
    ['state-validation-failed', 10],
    ['token-refresh-failed', 20],
    ['invalid-provider-response', 5],
  ] satisfies [SecurityEventKind, number][])('raise one alert when %s goes over %i in an hour', async (kind, most) => {
    await record(kind, most)
    expect([alertLines().length, (await listAlerts(app)).length]).toEqual([0, 0])
    const instances = [withLatency(app), withLatency(app)]
    await Promise.all(instances.map(instance => record(kind, 4, instance)))
    expect(alertLines()).toMatchObject([{ kind, alertAbove: most }])
    expect(await listAlerts(app)).toMatchObject([{ kind, count: most + 8, alertAbove: most }])
  })

  it('are counted separately in the next hour', async () => {
    await record('invalid-provider-response', 5)
    const later = { ...app, now: () => new Date(app.now().getTime() + 3_600_000) }
    await record('invalid-provider-response', 1, later)
    expect(await listAlerts(later)).toEqual([])
  })

  it('can be filtered and exported, oldest first', async () => {
    await record('callback-failed', 2)
    await recordSecurityEvent(app, { kind: 'account-refused', reason: '=1+1, "quoted"' })
    const { events } = await listSecurityEvents(app, { kind: 'account-refused', page: 1, itemsPerPage: 10 })
    expect(events).toMatchObject([{ reason: '=1+1, "quoted"' }])
    const csv = (await Array.fromAsync(exportSecurityEvents(app, { format: 'csv' }).text)).join('')
    expect(csv.split('\r\n')).toHaveLength(5)
    expect(csv).toContain(`"'=1+1, ""quoted"""`)
    const lines = await Array.fromAsync(exportSecurityEvents(app, { kind: 'account-refused', format: 'jsonl' }).text)
    expect(lines.map(line => JSON.parse(line))).toMatchObject([{ kind: 'account-refused', subject: null }])
  })

  it('are deleted after ninety days, before their counts', async () => {
    await record('callback-failed', 2)
    const later = { ...app, now: () => new Date(app.now().getTime() + 91 * 86_400_000) }
    await purgeSecurityEvents(later)
    const rows = await query(
      app,
      'select (select count(*) from security_events) as events, (select count(*) from security_event_counts) as counts',
    )
    expect(rows[0]).toMatchObject({ events: 0, counts: 1 })
  })

  it('appear in the metrics by kind, including kinds that never occurred', async () => {
    await record('callback-failed', 2)
    const text = await readMetrics(app)
    expect(text).toContain('fairway_security_events_total{kind="callback-failed"} 2\n')
    expect(text).toContain('fairway_security_events_total{kind="token-refresh-failed"} 0\n')
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[\d.e+-]+)$/i)
    }
  })

  it('are logged without an error when they cannot be stored', async () => {
    const broken = {
      ...app,
      db: { ...app.db, client: { ...app.db.client, batch: () => Promise.reject(new Error('gone')) } },
    }
    await recordSecurityEvent(broken as unknown as App, { kind: 'callback-failed', reason: 'a test' })
    expect(test.lines()).toContainEqual(expect.objectContaining({ message: 'a security event could not be stored' }))
  })
})
