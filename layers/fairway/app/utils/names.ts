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
