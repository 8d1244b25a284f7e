/** A language of the interface: the name of its folder in app/locales, its own name and its writing direction. */
export interface LanguageInfo {
  code: string
  name: string
  direction: 'ltr' | 'rtl'
}

/** The code of a language of the interface: the name of its folder in app/locales. */
export type Language = LanguageInfo['code']

/**
 * The known language for `de`, for a browser's `de-AT` and for an `Accept-Language`, whose first entry counts: the longest beginning
 * that has a folder. Undefined for others.
 */
export function toLanguage(value: unknown, languages: readonly LanguageInfo[]): Language | undefined {
  const tag = typeof value === 'string' ? /^\s*([a-z]{2,8}(?:-[a-z\d]{1,8})*)(?![\w-])/i.exec(value)?.[1] : undefined
  for (const parts = tag?.toLowerCase().split('-') ?? []; parts.length > 0; parts.pop()) {
    const known = languages.find(({ code }) => code.toLowerCase() === parts.join('-'))
    if (known) return known.code
  }
  return undefined
}
