/** Things in one sentence, as the language lists them: “a, b and c”, or “a, b or c” for a disjunction. */
export const listOf = (
  things: readonly string[],
  language: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string => new Intl.ListFormat(language, { type }).format(things)

/** Whether a text has the form of an email address; the server decides whether it is one. */
export const looksLikeAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)

const MOST_WORDS = 4
const MOST_CHARACTERS = 40

/** What has to be typed to confirm a loss: the first words of the name, spaces evened out. */
export function toPhrase(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, MOST_WORDS).join(' ')
  return [...words].slice(0, MOST_CHARACTERS).join('').trim()
}

const SCOPES: Partial<Record<string, string>> = {
  'mcp:read': 'read',
  'mcp:write': 'write',
  'mcp:apps': 'apps',
  operator: 'operator',
  offline_access: 'offline',
}

/** The last part of the keys of a scope's texts; `other` for scopes without texts. */
export const scopeName = (scope: string): string => SCOPES[scope] ?? 'other'

const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Macintosh/, 'Mac'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
]

/** A name for a passkey made on this device: the system it runs, or `Passkey`. */
export const suggestPasskeyName = (userAgent: string): string =>
  SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'Passkey'

const DAY = 86_400
/** The seconds of a unit, and from how many on a time ahead is told in it: what expires in 90 days says so in days. */
const STEPS: [unit: Intl.RelativeTimeFormatUnit, size: number, ahead: number][] = [
  ['year', 365 * DAY, 700 * DAY],
  ['month', 30 * DAY, 120 * DAY],
  ['week', 7 * DAY, Infinity],
  ['day', DAY, 1.5 * DAY],
  ['hour', 3600, 5400],
  ['minute', 60, 60],
]

/** How long before or after `now` a time is, in words: “2 hours ago”, “in 3 days”, “now”. */
export function relativeTime(time: Date, now: Date, language: string): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1000)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const isAhead = seconds > 0
  const step = STEPS.find(([, size, ahead]) => Math.abs(seconds) >= (isAhead ? ahead : size))
  if (!step) return format.format(0, 'second')
  const [unit, size] = step
  return format.format((isAhead ? Math.round : Math.trunc)(seconds / size), unit)
}

/** The part of the day that a greeting names. */
export function partOfDay(now: Date): 'morning' | 'afternoon' | 'evening' {
  const hour = now.getHours()
  if (hour >= 5 && hour < 12) return 'morning'
  return hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
}
