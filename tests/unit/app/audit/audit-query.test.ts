import { describe, expect, it } from 'vitest'
import { auditParameters, readAuditFilters } from '#fairway/app/audit/audit-query'

const now = new Date(2026, 10, 22, 15, 30)
const local = (...day: [number, number, number]) => new Date(...day).toISOString()

describe('the filters in an address', () => {
  it('are those that are known, as texts', () => {
    const filters = { email: 'jon@example.test', action: 'archive-note', outcome: 'denied', caller: 'mcp', range: '7d' }
    expect(readAuditFilters({ ...filters, page: '2', other: 'x' })).toEqual(filters)
  })

  it('are left out where they are none', () => {
    const query = { outcome: 'maybe', caller: '', action: ['a', 'b'], email: 'x'.repeat(201), range: 'ever' }
    expect(readAuditFilters(query)).toEqual({})
  })

  it('have days with a range of days alone', () => {
    const days = { from: '2026-11-01', until: '2026-11-20' }
    expect(readAuditFilters({ ...days, range: 'custom' })).toEqual({ ...days, range: 'custom' })
    expect(readAuditFilters({ ...days, range: '7d' })).toEqual({ range: '7d' })
    expect(readAuditFilters({ from: 'soon', range: 'custom' })).toEqual({ range: 'custom' })
  })
})

describe('what the server is asked for', () => {
  it.each([
    ['today', local(2026, 10, 22)],
    ['7d', local(2026, 10, 16)],
    ['30d', local(2026, 9, 24)],
  ] as const)('begins with %s at the start of a day', (range, from) => {
    expect(auditParameters({ range, action: 'a' }, now)).toEqual({ action: 'a', from })
  })

  it('reaches to the end of the last day of a range', () => {
    expect(auditParameters({ range: 'custom', from: '2026-11-01', until: '2026-11-20' }, now)).toEqual({
      from: local(2026, 10, 1),
      until: local(2026, 10, 21),
    })
    expect(auditParameters({ range: 'custom' }, now)).toEqual({})
  })
})
