const STYLES = {
  /** “14:05” */
  clock: { timeStyle: 'short' },
  /** “24 Nov 2026” */
  day: { dateStyle: 'medium' },
  /** “Tuesday 24 November” */
  weekday: { weekday: 'long', day: 'numeric', month: 'long' },
  /** “24 Nov 2026, 14:05” */
  short: { dateStyle: 'medium', timeStyle: 'short' },
  /** “24 November 2026 at 14:05” */
  long: { dateStyle: 'long', timeStyle: 'short' },
  /** “Tuesday 24 November 2026 at 14:05” */
  exact: { dateStyle: 'full', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

// English as most of its readers write days and hours.
const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** A time (milliseconds, ISO 8601 or Date) as readers of a language write it; in their own time zone where none is given. */
export const formatTime = (
  time: Date | number | string,
  language: string,
  style: keyof typeof STYLES,
  timeZone?: 'UTC',
): string => new Intl.DateTimeFormat(localeOf(language), { ...STYLES[style], timeZone }).format(new Date(time))
