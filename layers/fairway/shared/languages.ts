/** The languages of the interface, with their own names and writing directions. */
export const languages = [
  { code: 'en', name: 'English', direction: 'ltr' },
  { code: 'de', name: 'Deutsch', direction: 'ltr' },
] as const

export type Language = (typeof languages)[number]['code']

/** The language for `de`, for a browser's `de-AT` and for an `Accept-Language`, whose first entry counts; undefined for others. */
export function toLanguage(value: unknown): Language | undefined {
  const first = typeof value === 'string' ? /^\s*([a-z]+)\b/i.exec(value)?.[1]?.toLowerCase() : undefined
  return languages.find(({ code }) => code === first)?.code
}
