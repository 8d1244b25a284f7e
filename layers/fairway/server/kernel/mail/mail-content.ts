import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import type { MailText, MailValues } from './mail-overrides'
import type { MailContent } from './render-mail'

interface Mail<Message extends keyof MailValues> {
  values: Omit<MailValues[Message], 'product'>
  /** Where the button leads. */
  href: string
  /** English when not given, or where there is no text in it. */
  language?: Language
}

/** What one of the known mails says here: the application's own texts (`mails` of fw.config), then the platform's. */
export function mailContent<Message extends keyof MailValues>(
  { config }: Pick<App, 'config'>,
  message: Message,
  { values: given, href, language: wanted = 'en' }: Mail<Message>,
): MailContent {
  const language = messagesOf(wanted).mails[message] ? wanted : 'en'
  const platform = messagesOf(language).mails[message]
  if (!platform) throw new Error(`no catalog has the mail ${message}`)
  const own = config.mails[message]?.[language] ?? {}
  const values = { ...given, product: config.name } as MailValues[Message]
  const ours = (text: string) => fill(text, values)
  const theirs = (text: MailText<MailValues[Message]>) => (typeof text === 'function' ? text(values) : text)
  const one = (part: 'subject' | 'action') => (own[part] === undefined ? ours(platform[part]) : theirs(own[part]))
  const several = (part: 'lines' | 'notes') => own[part]?.map(theirs) ?? platform[part].map(ours)
  return {
    language,
    subject: one('subject'),
    lines: several('lines'),
    action: { label: one('action'), href },
    notes: several('notes'),
  }
}
