// The languages of the interface, and the format of times in each.

/** A language of the interface: the name of its folder in app/locales, its native name and its writing direction. */
export interface LanguageInfo {
  code: string
  name: string
  direction: 'ltr' | 'rtl'
}

/** The code of a language of the interface: the name of its folder in app/locales. */
export type Language = LanguageInfo['code']

/**
 * Returns the known language for `de`, for a browser's `de-AT`, and for the first entry of an `Accept-Language`. Takes the
 * longest prefix that has a folder; undefined for others.
 */
export function toLanguage(value: unknown, languages: readonly LanguageInfo[]): Language | undefined {
  const tag = typeof value === 'string' ? /^\s*([a-z]{2,8}(?:-[a-z\d]{1,8})*)(?![\w-])/i.exec(value)?.[1] : undefined
  for (const parts = tag?.toLowerCase().split('-') ?? []; parts.length > 0; parts.pop()) {
    const known = languages.find(({ code }) => code.toLowerCase() === parts.join('-'))
    if (known) return known.code
  }
  return undefined
}

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

// English with the date and time format of most of its readers.
const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** Creating a formatter costs a hundred times as much as using one. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** Formats a time (milliseconds, ISO 8601 or Date) in a language; in the reader's time zone where none is given. */
export function formatTime(
  time: Date | number | string,
  language: string,
  style: keyof typeof STYLES,
  timeZone?: 'UTC',
): string {
  const key = `${language} ${style} ${timeZone}`
  let formatter = formatters.get(key)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat(localeOf(language), { ...STYLES[style], timeZone })
    formatters.set(key, formatter)
  }
  return formatter.format(new Date(time))
}
