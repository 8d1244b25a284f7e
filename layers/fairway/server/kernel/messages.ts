import type { H3Event } from 'h3'
import { readServerTexts } from '#fw/texts'
import type account from '#fairway/app/locales/en/account.json'
import type approval from '#fairway/app/locales/en/approval.json'
import type claim from '#fairway/app/locales/en/claim.json'
import type consent from '#fairway/app/locales/en/consent.json'
import type desktopSignIn from '#fairway/app/locales/en/desktop-sign-in.json'
import type embedStart from '#fairway/app/locales/en/embed-start.json'
import type hub from '#fairway/app/locales/en/hub.json'
import type mails from '#fairway/app/locales/en/mails.json'
import type outbox from '#fairway/app/locales/en/outbox.json'
import type setup from '#fairway/app/locales/en/setup.json'
import type signIn from '#fairway/app/locales/en/sign-in.json'
import type singleSignOn from '#fairway/app/locales/en/single-sign-on.json'
import {
  type LanguageSettings,
  type OfferedLanguages,
  offeredLanguages,
} from '#fairway/server/kernel/config/languages-config'
import { LANGUAGE_COOKIE } from '#fairway/shared/device'
import { errorCatalog, type ErrorCode } from '#fairway/shared/errors'
import { type Language, type LanguageInfo, toLanguage } from '#fairway/shared/languages'
import { pluralForm } from '#fairway/shared/plural-form'

/** The texts of one mail: its subject, the paragraphs before the button, the button, the paragraphs after it. */
export interface MailTexts {
  subject: string
  lines?: string[]
  action?: string
  notes?: string[]
  /** Why the receiver gets it; the last line. */
  because?: string
  /** The labels of its facts. */
  facts?: Record<string, string>
  /** Texts of its body. */
  words?: Record<string, string>
}

/** The texts of the server's own pages and mails, by feature; English where a language has none. */
export type Messages = typeof account & {
  approval: (typeof approval)['approval'] & {
    /** What a person is asked before a destructive action: “Delete the note “{title}”?”, by its name. */
    questions?: Record<string, string | undefined>
  }
} & typeof claim &
  typeof consent &
  typeof desktopSignIn &
  typeof embedStart &
  typeof hub &
  typeof outbox &
  Pick<typeof mails, 'mailTopics' | 'mailWords'> &
  typeof setup &
  typeof signIn &
  typeof singleSignOn & {
    /** A mail without texts in a language is sent in English. */
    mails: Record<string, MailTexts | undefined>
    /** The titles of error codes; the English ones are in the catalog of codes (shared/errors.ts). */
    errors: Record<string, string | undefined>
  }

const { languages: knownLanguages, texts } = readServerTexts()

/** The languages of the platform and the application, whether people can choose them or not. */
export { knownLanguages }

const withDefaultFirst = (offer: OfferedLanguages) => {
  const isOther = ({ code }: LanguageInfo) => Number(code !== offer.defaultLanguage)
  // `*` in `Accept-Language` selects the first one.
  return { ...offer, defaultFirst: offer.languages.toSorted((a, b) => isOther(a) - isOther(b)) }
}

/** What this process offers: the languages that people can choose, in the order of fw.config.ts, and the default language. */
export const offered = withDefaultFirst(offeredLanguages({}, knownLanguages))

/** Applies `languages` and `defaultLanguage` of fw.config.ts to this process. Throws for a language that does not exist. */
export function offerLanguages(settings: LanguageSettings): void {
  Object.assign(offered, withDefaultFirst(offeredLanguages(settings, knownLanguages)))
}

/** Returns the server's texts in a language: those of app/locales for its pages and mails. */
export function messagesOf(language: Language): Messages {
  const messages = texts[language] ?? texts.en
  if (!messages) throw new Error('there are no English texts')
  return messages
}

/** Returns the title of an error code in a language. */
export const errorTitle = (code: ErrorCode, language: Language): string =>
  messagesOf(language).errors[code] ?? errorCatalog[code].title

/** Replaces the `{name}` placeholders of a text once; placeholders inside of values stay. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))

/** Returns a text about a number, in the plural form of the language: `{count} minute | {count} minutes`. */
export function fillCount(text: string, values: Readonly<Record<string, number>>, language: Language = 'en'): string {
  const forms = text.split(' | ')
  const [count = 0] = Object.values(values)
  return fill(forms[forms.length > 1 ? pluralForm(forms.length, count, language) : 0] ?? text, values)
}

/** Returns the language that a `lang` parameter or an `Accept-Language` header requests; `otherwise` for any other. */
export const languageOf = (value: unknown, otherwise: Language = offered.defaultLanguage): Language =>
  toLanguage(value, offered.defaultFirst) ?? otherwise

const CHOSEN = new RegExp(`(?:^|; *)${LANGUAGE_COOKIE}=([\\w-]+)`)

/**
 * Returns the language of pages and mails for this request: the one chosen on the device, then the browser's preference, else the
 * default language.
 */
export function requestLanguage(event: H3Event): Language {
  const { cookie = '', 'accept-language': preferred } = event.node.req.headers
  return languageOf(CHOSEN.exec(cookie)?.[1], languageOf(preferred))
}

/** Returns the language attributes of `<html>`: `lang`, and `dir` where it is written from right to left. */
export function htmlAttributes(language: Language): string {
  const isRightToLeft = knownLanguages.some(({ code, direction }) => code === language && direction === 'rtl')
  return `lang="${language}"${isRightToLeft ? ' dir="rtl"' : ''}`
}
