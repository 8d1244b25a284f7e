// Builds the content of a mail, before it has a form.
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf, offered } from '#fairway/server/kernel/messages'
import { formatTime, type Language } from '#fairway/shared/languages'
import type { Mail, MailEntry } from './define-mail'
import type { MailText } from './mail-overrides'
import { type MailValues, type PlatformMail, platformMails } from './platform-mails'
import type { MailContent } from './mail-layout'

const registry = (app: Pick<App, 'memo'>) => app.memo('mails', () => new Map<string, Mail>())

/** Sets the application's mails; one with the name of a platform's mail replaces it. */
export function declareMails(app: App, entries: readonly MailEntry[]): void {
  for (const { name, mail } of entries) registry(app).set(name, mail)
}

/** The application's own mails. */
export const declaredMails = (app: Pick<App, 'memo'>): MailEntry[] =>
  [...registry(app)].map(([name, mail]) => ({ name, mail }))

export const findMail = (app: Pick<App, 'memo'>, name: string): Mail | undefined => registry(app).get(name)

/** Returns the data for the preview of a mail. */
export const exampleOf = async (app: App, { example, data }: Mail): Promise<unknown> =>
  data.parse(typeof example === 'function' ? await example({ db: app.db.orm }) : example)

interface PlatformData<Name extends PlatformMail> {
  values: Omit<MailValues[Name], 'product'>
  /** The address of the button. */
  href: string
  /** English when not given, or where it has no text in that language. */
  language?: Language
  /** The code that does the same as the button where the mail was requested. */
  code?: string
}

/** Formats a time for a mail, in the time zone of its reader, or in UTC: “24 November 2026 at 14:05 UTC”. */
export function mailTime(time: Date | number, language: Language, timeZone = 'UTC'): string {
  const parts = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { timeZone, timeZoneName: 'short' })
  const zone = parts.formatToParts(new Date(time)).find(({ type }) => type === 'timeZoneName')
  return `${formatTime(time, language, 'long', timeZone)} ${zone?.value ?? timeZone}`
}

/** Returns the address of a link that is mailed for an organization. */
type Address = (href: string, orgId: string) => Promise<string>

const addressing = (app: Pick<App, 'memo'>) =>
  app.memo('mail-address', (): { of: Address } => ({ of: async href => href }))

/** Sets how the organization gets into the links of its mails. */
export function setMailAddress(app: Pick<App, 'memo'>, address: Address): void {
  addressing(app).of = address
}

/** The content of a mail with a link to the page in this organization. */
export async function withOrgLink(
  app: Pick<App, 'memo'>,
  content: MailContent,
  orgId: string | null | undefined,
): Promise<MailContent> {
  const { action } = content
  return action && orgId
    ? { ...content, action: { ...action, href: await addressing(app).of(action.href, orgId) } }
    : content
}

/** Returns the content of one of the platform's mails in this application. */
export const mailContent = <Name extends PlatformMail>(
  app: ContentApp,
  name: Name,
  { values, href, language, code }: PlatformData<Name>,
): MailContent => {
  const content = contentOf(app, name, { ...values, link: href }, language)
  const label = messagesOf(content.language ?? 'en').mailWords.code
  return code === undefined ? content : { ...content, code: { label, value: code } }
}

type ContentApp = Pick<App, 'config' | 'memo'>

/** Returns the declaration of a mail: the application's, else the platform's. Throws for an unknown name. */
export function requireMail(app: ContentApp, name: string): Mail {
  const mail = findMail(app, name) ?? new Map<string, Mail>(Object.entries(platformMails)).get(name)
  if (!mail) throw new Error(`there is no mail ${name}`)
  return mail
}

/**
 * Returns the content of a mail: the texts of `mails` in fw.config, then those of the catalogs, in the receiver's language where
 * it exists.
 */
export function contentOf(
  app: ContentApp,
  name: string,
  rawData: unknown,
  wanted: Language = offered.defaultLanguage,
): MailContent {
  const { config } = app
  const mail = requireMail(app, name)
  const data = mail.data.parse(rawData) as never
  const language = messagesOf(wanted).mails[name] ? wanted : 'en'
  const texts = messagesOf(language).mails[name]
  if (!texts) throw new Error(`no catalog has the mail ${name}`)
  const values = { ...textsIn(mail.values?.(data, { language }) ?? data), product: config.name }
  const override = (config.mails as OwnMails)[name]?.[language] ?? {}
  const theirs = (text: MailText<never>) => (typeof text === 'function' ? text(values as never) : text)
  const one = (part: 'subject' | 'action') =>
    override[part] === undefined ? fill(texts[part] ?? '', values) : theirs(override[part])
  const several = (part: 'lines' | 'notes') =>
    override[part]?.map(theirs) ?? (texts[part] ?? []).map(text => fill(text, values))
  const href = mail.href?.(data)
  const words = messagesOf(language).mailWords
  const t = (word: string, filled = {}) => fill(texts.words?.[word] ?? word, { ...values, ...filled })
  return {
    name,
    language,
    subject: one('subject'),
    // The subject names the product for lists of mails; here its mark does.
    title: one('subject').replace(` (${config.name})`, ''),
    lines: several('lines'),
    facts: factsOf(mail, values, { ...words.facts, ...texts.facts }),
    body: mail.body?.(data, { language, t }),
    action: href === undefined ? undefined : { label: one('action'), href: new URL(href, config.baseUrl).href },
    notes: several('notes'),
    because: fill(texts.because ?? reasonOf(mail, words.because), values),
    plainLink: words.plainLink,
  }
}

const reasonOf = ({ because = '' }: Mail, reasons: Labels): string => reasons[because] ?? ''

/** The facts of a mail that have a value, with their labels. */
function factsOf({ facts = [] }: Mail, values: Readonly<Record<string, string | number>>, labels: Labels) {
  return facts.flatMap(name => {
    const value = String(values[name] ?? '')
    return value === '' ? [] : { label: labels[name] ?? name, value }
  })
}

type Labels = Partial<Record<string, string>>

interface OwnTexts {
  subject?: MailText<never>
  lines?: readonly MailText<never>[]
  action?: MailText<never>
  notes?: readonly MailText<never>[]
}
type OwnMails = Partial<Record<string, Partial<Record<string, OwnTexts>>>>

/** The parts of the data that can fill placeholders. */
const textsIn = (data: object): Record<string, string | number> =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => typeof value === 'string' || typeof value === 'number'))
