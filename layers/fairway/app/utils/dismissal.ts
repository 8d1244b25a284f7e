/** The stored dismissal of the banner: the day, then the ids that it showed. */
export const toDismissal = (ids: readonly string[], now: Date): string => [dayOf(now), ...ids].join(' ')

/** The ids dismissed today. Newer ones are shown. */
export function dismissedToday(stored: string | null, now: Date): ReadonlySet<string> {
  const [day, ...ids] = stored?.split(' ') ?? []
  return new Set(day === dayOf(now) ? ids : [])
}

/** The day on the user's own calendar. */
const dayOf = (now: Date): string => [now.getFullYear(), now.getMonth() + 1, now.getDate()].join('-')
