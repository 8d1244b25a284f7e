export const languages = [
  { code: 'en', name: 'English', direction: 'ltr' },
  { code: 'de', name: 'Deutsch', direction: 'ltr' },
] as const

export type Language = (typeof languages)[number]['code']

/** The language for a stored or browser value such as `de-AT`, or undefined. */
export const toLanguage = (value: string | null | undefined): Language | undefined =>
  languages.find(({ code }) => value?.toLowerCase().split('-', 1)[0] === code)?.code
