// The languages of the interface, and the format of times in each.

/** A language of the interface: the name of its folder in app/locales, its native name and its writing direction. */
export interface LanguageInfo {
  code: string
  name: string
  direction: 'ltr' | 'rtl'
}

/** The code of a language of the interface: the name of its folder in app/locales. */
export type Language = LanguageInfo['code']

const RANGE = /^\s*([a-z]{1,8}(?:-[a-z\d]{1,8})*|\*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i

/**
 * Returns the known language that a list prefers: `de`, a browser's `de-AT`, or an `Accept-Language` (RFC 9110 §12.5.4) such as
 * `fr-CH, de;q=0.8`. For each language range the longest prefix that has a folder counts (RFC 4647 §3.4), `*` is the first language
 * that is not refused with `q=0`. Undefined when none is known.
 */
export function toLanguage(value: unknown, languages: readonly LanguageInfo[]): Language | undefined {
  const ranges = (typeof value === 'string' ? value : '').split(',').flatMap(part => {
    const [, range, weight = '1'] = RANGE.exec(part) ?? []
    return range === undefined ? [] : [{ range: range.toLowerCase(), weight: Number(weight) }]
  })
  const refused = new Set(ranges.filter(({ weight }) => weight === 0).map(({ range }) => range))
  const offered = languages.filter(({ code }) => !refused.has(code.toLowerCase()))
  for (const { range } of ranges.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)) {
    const known = range === '*' ? offered[0] : longestPrefix(range, offered)
    if (known) return known.code
  }
  return undefined
}

function longestPrefix(range: string, languages: readonly LanguageInfo[]): LanguageInfo | undefined {
  for (const parts = range.split('-'); parts.length > 0; parts.pop()) {
    const known = languages.find(({ code }) => code.toLowerCase() === parts.join('-'))
    if (known) return known
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
  timeZone?: string,
): string {
  const key = `${language} ${style} ${timeZone}`
  let formatter = formatters.get(key)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat(localeOf(language), { ...STYLES[style], timeZone })
    formatters.set(key, formatter)
  }
  return formatter.format(new Date(time))
}
