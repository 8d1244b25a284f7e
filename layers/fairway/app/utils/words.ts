/** A list of things in the language's format: “a, b and c”, or “a, b or c” for a disjunction. */
export const listOf = (
  things: readonly string[],
  language: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string => new Intl.ListFormat(language, { type }).format(things)

/** Whether a text looks like an email address. The server validates it. */
export const looksLikeAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)

const MOST_WORDS = 4
const MOST_CHARACTERS = 40

/** The text that the user must type to confirm a deletion: the first words of the name, with normalized spaces. */
export function toPhrase(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, MOST_WORDS).join(' ')
  return [...words].slice(0, MOST_CHARACTERS).join('').trim()
}

/** Whether the user has typed the phrase of a name. Case is ignored. */
export const isPhraseOf = (typed: string, name: string): boolean =>
  toPhrase(typed).toLowerCase() === toPhrase(name).toLowerCase()

const SCOPES: Partial<Record<string, string>> = {
  'mcp:read': 'read',
  'mcp:write': 'write',
  'mcp:apps': 'apps',
  operator: 'operator',
  offline_access: 'offline',
}

/** The final part of the keys of a scope's texts; `other` for scopes without texts. */
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

/** A name for a passkey created on this device: its operating system, or `Passkey`. */
export const suggestPasskeyName = (userAgent: string): string =>
  SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'Passkey'

const DAY = 86_400
/** The seconds of a unit, and the smallest future time shown in it: an expiry in 90 days is shown in days. */
const STEPS: [unit: Intl.RelativeTimeFormatUnit, size: number, ahead: number][] = [
  ['year', 365 * DAY, 700 * DAY],
  ['month', 30 * DAY, 120 * DAY],
  ['week', 7 * DAY, Infinity],
  ['day', DAY, 1.5 * DAY],
  ['hour', 3600, 5400],
  ['minute', 60, 60],
]

/** The time relative to `now` in words: “2 hours ago”, “in 3 days”, “now”. */
export function relativeTime(time: Date, now: Date, language: string): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1000)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const isAhead = seconds > 0
  const step = STEPS.find(([, size, ahead]) => Math.abs(seconds) >= (isAhead ? ahead : size))
  if (!step) return format.format(0, 'second')
  const [unit, size] = step
  return format.format((isAhead ? Math.round : Math.trunc)(seconds / size), unit)
}

/** The part of the day for a greeting. */
export function partOfDay(now: Date): 'morning' | 'afternoon' | 'evening' {
  const hour = now.getHours()
  if (hour >= 5 && hour < 12) return 'morning'
  return hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
}
