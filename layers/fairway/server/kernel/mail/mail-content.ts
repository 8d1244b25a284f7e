import type { App } from '#fairway/server/kernel/app-context'
import { mailCatalogs } from '#fairway/server/kernel/mail/mail-catalogs'
import {
  type MailLanguage,
  type MailMessage,
  mailText,
  type MailTexts,
  type MailValues,
} from '#fairway/server/kernel/mail/mail-texts'
import type { MailContent } from './render-mail'

interface Mail<Message extends MailMessage> {
  values: Omit<MailValues[Message], 'product'>
  /** Where the button leads. */
  href: string
  /** English when not given, or where there is no text in it. */
  language?: MailLanguage
}

/** What one of the known mails says here: the application's own texts (`mails` of fw.config), then the platform's. */
export function mailContent<Message extends MailMessage>(
  { config }: Pick<App, 'config'>,
  message: Message,
  { values: given, href, language: wanted = 'en' }: Mail<Message>,
): MailContent {
  const german: Partial<typeof mailCatalogs.en> = mailCatalogs.de
  const language = wanted === 'de' && german[message] ? 'de' : 'en'
  const platform = (language === 'de' ? german[message] : undefined) ?? mailCatalogs.en[message]
  const texts: MailTexts<MailValues[Message]> = { ...platform, ...config.mails[message]?.[language] }
  const values = { ...given, product: config.name } as MailValues[Message]
  const all = (list: MailTexts<MailValues[Message]>['lines']) => list.map(text => mailText(text, values))
  return {
    language,
    subject: mailText(texts.subject, values),
    lines: all(texts.lines),
    action: { label: mailText(texts.action, values), href },
    notes: all(texts.notes),
  }
}
