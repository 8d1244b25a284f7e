/** What is remembered when somebody puts the banner off: what it showed, and the day. */
export const toDismissal = (ids: readonly string[], now: Date): string => [dayOf(now), ...ids].join(' ')

/** What was put off today already; whatever came since then is shown. */
export function dismissedToday(kept: string | null, now: Date): ReadonlySet<string> {
  const [day, ...ids] = kept?.split(' ') ?? []
  return new Set(day === dayOf(now) ? ids : [])
}

/** The day on the reader's own calendar. */
const dayOf = (now: Date): string => [now.getFullYear(), now.getMonth() + 1, now.getDate()].join('-')
