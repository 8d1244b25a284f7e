import accountDe from '#fairway/app/locales/de/account.json'
import claimDe from '#fairway/app/locales/de/claim.json'
import embedStartDe from '#fairway/app/locales/de/embed-start.json'
import mailsDe from '#fairway/app/locales/de/mails.json'
import outboxDe from '#fairway/app/locales/de/outbox.json'
import signInDe from '#fairway/app/locales/de/sign-in.json'
import account from '#fairway/app/locales/en/account.json'
import approval from '#fairway/app/locales/en/approval.json'
import claim from '#fairway/app/locales/en/claim.json'
import consent from '#fairway/app/locales/en/consent.json'
import desktopSignIn from '#fairway/app/locales/en/desktop-sign-in.json'
import embedStart from '#fairway/app/locales/en/embed-start.json'
import hub from '#fairway/app/locales/en/hub.json'
import mails from '#fairway/app/locales/en/mails.json'
import outbox from '#fairway/app/locales/en/outbox.json'
import signIn from '#fairway/app/locales/en/sign-in.json'
import { type Language, toLanguage } from '#fairway/shared/languages'

/** The texts of one mail: its subject, the paragraphs before the button, the button, the paragraphs after it. */
export interface MailTexts {
  subject: string
  lines: string[]
  action: string
  notes: string[]
}

const english = {
  ...account,
  ...approval,
  ...claim,
  ...consent,
  ...desktopSignIn,
  ...embedStart,
  ...hub,
  ...outbox,
  ...signIn,
  mails: { ...mails.mails, ...account.accountMails } as Record<string, MailTexts | undefined>,
  // The title of an error code says it in English (shared/errors.ts).
  signInErrors: {} as Record<string, string | undefined>,
}

/** The texts of the server's own pages and mails, by feature; a page without German texts is shown in English. */
export type Messages = typeof english

const catalogs: Record<Language, Messages> = {
  en: english,
  de: {
    ...english,
    ...accountDe,
    ...claimDe,
    ...embedStartDe,
    ...outboxDe,
    ...signInDe,
    mails: { ...mailsDe.mails, ...accountDe.accountMails },
  },
}

/** The texts that the server itself shows in a language: those of app/locales that belong to its pages and mails. */
export const messagesOf = (language: Language): Messages => catalogs[language]

/** A text with its `{name}` placeholders replaced; what a value contains is not looked at again. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))

/** The language that a `lang` parameter or an `Accept-Language` header asks for; `otherwise` for any other. */
export const languageOf = (value: unknown, otherwise: Language = 'en'): Language => toLanguage(value) ?? otherwise
