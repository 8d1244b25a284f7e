import { describe, expect, it } from 'vitest'
import { createMemo } from '#fairway/server/kernel/app-context'
import { countMetric, metricsText, observeSeconds } from '#fairway/server/kernel/events/metrics'

describe('metrics', () => {
  it('count by labels and escape the label values', () => {
    const app = { memo: createMemo() }
    countMetric(app, 'calls_total', 'Calls.', { name: 'a' })
    countMetric(app, 'calls_total', 'Calls.', { name: 'a' })
    countMetric(app, 'calls_total', 'Calls.', { name: 'b"\\\n' })
    expect(metricsText(app)).toBe(
      '# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total{name="a"} 2\ncalls_total{name="b\\"\\\\\\n"} 1\n',
    )
  })

  it('add durations to every bucket that is large enough', () => {
    const app = { memo: createMemo() }
    observeSeconds(app, 'took_seconds', 'Durations.', 0.02)
    observeSeconds(app, 'took_seconds', 'Durations.', 99)
    const text = metricsText(app)
    expect(text).toContain('took_seconds_bucket{le="0.01"} 0\ntook_seconds_bucket{le="0.025"} 1\n')
    expect(text).toContain(
      'took_seconds_bucket{le="30"} 1\ntook_seconds_bucket{le="+Inf"} 2\ntook_seconds_sum 99.02\ntook_seconds_count 2\n',
    )
  })

  it('keep a limited number of series', () => {
    const app = { memo: createMemo() }
    for (let index = 0; index < 5000; index++) countMetric(app, 'calls_total', 'Calls.', { name: String(index) })
    expect(metricsText(app).split('\n').length).toBeLessThan(2010)
  })
})
