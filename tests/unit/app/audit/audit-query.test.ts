import { describe, expect, it } from 'vitest'
import { auditParameters, readAuditFilters } from '#fairway/app/audit/audit-query'

const now = new Date(2026, 10, 22, 15, 30)
const local = (...day: [number, number, number]) => new Date(...day).toISOString()

describe('readAuditFilters', () => {
  it('returns the known filters of the query as strings', () => {
    const filters = { email: 'jon@example.test', action: 'archive-note', outcome: 'denied', caller: 'mcp', range: '7d' }
    expect(readAuditFilters({ ...filters, page: '2', other: 'x' })).toEqual(filters)
  })

  it('omits filters with invalid values', () => {
    const query = { outcome: 'maybe', caller: '', action: ['a', 'b'], email: 'x'.repeat(201), range: 'ever' }
    expect(readAuditFilters(query)).toEqual({})
  })

  it('returns valid from and until days only for the custom range', () => {
    const days = { from: '2026-11-01', until: '2026-11-20' }
    expect(readAuditFilters({ ...days, range: 'custom' })).toEqual({ ...days, range: 'custom' })
    expect(readAuditFilters({ ...days, range: '7d' })).toEqual({ range: '7d' })
    expect(readAuditFilters({ from: 'soon', range: 'custom' })).toEqual({ range: 'custom' })
  })
})

describe('auditParameters', () => {
  it.each([
    ['today', local(2026, 10, 22)],
    ['7d', local(2026, 10, 16)],
    ['30d', local(2026, 9, 24)],
  ] as const)('starts the range %s at the beginning of its first day', (range, from) => {
    expect(auditParameters({ range, action: 'a' }, now)).toEqual({ action: 'a', from })
  })

  it('ends a custom range at the end of its last day', () => {
    expect(auditParameters({ range: 'custom', from: '2026-11-01', until: '2026-11-20' }, now)).toEqual({
      from: local(2026, 10, 1),
      until: local(2026, 10, 21),
    })
    expect(auditParameters({ range: 'custom' }, now)).toEqual({})
  })
})
