import { z } from 'zod'
import type { Language, LanguageInfo } from '#fairway/shared/languages'

/** The options of `defineFwConfig` for the languages of people. */
export const languageOptions = {
  /**
   * The language of people without a preference: of plain addresses, the server's pages, and mails. Default: English, or the first
   * of `languages` without English.
   */
  defaultLanguage: z.string().optional(),
  /** The languages that people can choose, in this order. Default: English and all languages with a folder in `app/locales`. */
  languages: z
    .array(z.string())
    .min(1)
    .refine(codes => new Set(codes).size === codes.length, 'must name each language once')
    .optional(),
}

export interface LanguageSettings {
  defaultLanguage?: Language
  languages?: readonly Language[]
}

/** The languages that people can choose, in their order, and the one of people without a preference. */
export interface OfferedLanguages {
  languages: readonly LanguageInfo[]
  defaultLanguage: Language
}

/**
 * Returns the languages that these settings offer of the known ones. Throws for an unknown language with the known ones, and for
 * a default language that is not offered.
 */
export function offeredLanguages(
  { defaultLanguage, languages: chosen }: LanguageSettings,
  known: readonly LanguageInfo[],
): OfferedLanguages {
  const codes = known.map(({ code }) => code)
  const check = (setting: string, code: Language | undefined) => {
    if (code !== undefined && !codes.includes(code))
      throw new Error(`fw.config.ts: ${setting} has “${code}”; there are ${codes.join(', ')}`)
  }
  for (const code of chosen ?? []) check('languages', code)
  check('defaultLanguage', defaultLanguage)
  if (defaultLanguage !== undefined && chosen && !chosen.includes(defaultLanguage))
    throw new Error(`fw.config.ts: defaultLanguage is “${defaultLanguage}”, which languages lacks`)
  const languages = chosen ? chosen.flatMap(code => known.find(each => each.code === code) ?? []) : known
  const [first = 'en'] = languages.map(({ code }) => code)
  const isEnglish = languages.some(({ code }) => code === 'en')
  return { languages, defaultLanguage: defaultLanguage ?? (isEnglish ? 'en' : first) }
}
