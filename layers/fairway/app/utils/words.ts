/** Things in one sentence, as the language lists them: “a, b and c”, or “a, b or c” for a disjunction. */
export const listOf = (
  things: readonly string[],
  language: string,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string => new Intl.ListFormat(language, { type }).format(things)

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

const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

const DAY = 86_400
/** From how many seconds on a time ahead is told in a unit: what expires in 90 days says so in days. */
const AHEAD: Partial<Record<Intl.RelativeTimeFormatUnit, number>> = {
  year: 700 * DAY,
  month: 120 * DAY,
  week: Infinity,
  day: 1.5 * DAY,
  hour: 5400,
}

/** How long before or after `now` a time is, in words: “2 hours ago”, “in 3 days”, “now”. */
export function relativeTime(time: Date, now: Date, language: string): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1000)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const [unit, size] =
    STEPS.find(([name, least]) => Math.abs(seconds) >= (seconds > 0 ? (AHEAD[name] ?? least) : least)) ?? []
  if (!unit || !size) return format.format(0, 'second')
  return format.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit)
}

/** The part of the day that a greeting names. */
export function partOfDay(now: Date): 'morning' | 'afternoon' | 'evening' {
  const hour = now.getHours()
  if (hour >= 5 && hour < 12) return 'morning'
  return hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
}
