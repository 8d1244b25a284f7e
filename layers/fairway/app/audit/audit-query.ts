import { AUDIT_CALLERS, AUDIT_OUTCOMES, type AuditCaller, type AuditOutcome } from '#fairway/shared/schemas/audit'

/** The time ranges that have a name. `custom` is from one day to another. */
export const AUDIT_RANGES = ['today', '7d', '30d', 'custom'] as const
export type AuditRange = (typeof AUDIT_RANGES)[number]

/** The filters of the audit log as the address stores them: strings only, days as `2026-11-22`. */
export interface AuditFilters {
  email?: string
  action?: string
  outcome?: AuditOutcome
  caller?: AuditCaller
  subject?: string
  search?: string
  range?: AuditRange
  from?: string
  until?: string
}

const DAY = /^\d{4}-\d\d-\d\d$/
const MOST_CHARACTERS = 200
const DAYS = { today: 1, '7d': 7, '30d': 30 } as const

/** Reads the filters from the query of an address. Ignores invalid values. */
export function readAuditFilters(query: Readonly<Record<string, unknown>>): AuditFilters {
  const text = (name: string) => {
    const value = query[name]
    return typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS ? value : undefined
  }
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find(value => value === text(name))
  const day = (name: string) => (DAY.test(text(name) ?? '') ? text(name) : undefined)
  const range = oneOf('range', AUDIT_RANGES)
  return withoutGaps({
    email: text('email'),
    action: text('action'),
    outcome: oneOf('outcome', AUDIT_OUTCOMES),
    caller: oneOf('caller', AUDIT_CALLERS),
    subject: text('subject'),
    search: text('search'),
    range,
    ...(range === 'custom' ? { from: day('from'), until: day('until') } : {}),
  })
}

/** The query parameters for these filters: ranges become timestamps in the reader's time zone. */
export function auditParameters(filters: AuditFilters, now: Date): Omit<AuditFilters, 'range'> {
  const { range, from, until, ...rest } = filters
  if (range === undefined) return withoutGaps(rest)
  if (range === 'custom')
    return withoutGaps({ ...rest, from: startOf(from, 0)?.toISOString(), until: startOf(until, 1)?.toISOString() })
  const begin = new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS[range] + 1)
  return { ...withoutGaps(rest), from: begin.toISOString() }
}

/** The start of the day, or of a day after it. Undefined for an invalid day. */
function startOf(day: string | undefined, later: number): Date | undefined {
  const [year, month, date] = day?.split('-').map(Number) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  const start = new Date(year, month - 1, date + later)
  return Number.isNaN(start.getTime()) ? undefined : start
}

const withoutGaps = <Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never
