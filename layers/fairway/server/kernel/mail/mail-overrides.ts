import { z } from 'zod'
import { knownLanguages, type MailTexts, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import type { MailValues } from './platform-mails'

/** A text of a mail, or a function that makes it from the mail's values. */
export type MailText<Values> = string | ((values: Values) => string)

/**
 * An application's replacement for one mail: its subject, the paragraphs before the button, the button, the paragraphs after it.
 */
interface MailParts<Values> {
  subject?: MailText<Values>
  lines?: readonly MailText<Values>[]
  action?: MailText<Values>
  notes?: readonly MailText<Values>[]
}

/** An application's replacements, by mail and language; omitted texts stay as they are. */
export type MailOverrides = {
  [Message in keyof MailValues]?: Partial<Record<Language, MailParts<MailValues[Message]>>>
}

const text = z.union([z.string().min(1), z.custom<(values: unknown) => unknown>(isFunction)], {
  error: 'must be a text, or a function that makes one from the values of the mail',
})
const partsSchema = z.strictObject({
  subject: text.optional(),
  lines: z.array(text).min(1).optional(),
  action: text.optional(),
  notes: z.array(text).optional(),
})
type Part = keyof z.output<typeof partsSchema>
type Texts = Partial<Record<Part, unknown>>

/** Every value of every mail; the values of one mail are those in its texts. */
const VALUES = [
  'askedFrom',
  'invitedBy',
  'organization',
  'role',
  'email',
  'when',
  'device',
  'address',
  'how',
  'token',
  'expires',
]
const PARTS: readonly Part[] = ['subject', 'lines', 'action', 'notes']

/** The `mails` of `defineFwConfig`. An unknown mail or language, and a text that omits a value, are faults. */
export const mailsOption = z
  .custom<MailOverrides>(value => typeof value === 'object' && value !== null, 'must be an object of mails')
  .superRefine((mails, context) => {
    for (const [message, texts] of Object.entries(mails))
      for (const fault of faultsOf(message, texts))
        context.addIssue({ code: 'custom', path: [message], message: fault })
  })
  .default({})

function faultsOf(message: string, override: object): string[] {
  const { mails } = messagesOf('en')
  if (!Object.hasOwn(mails, message)) return [`there is no such mail; there are ${Object.keys(mails).join(', ')}`]
  return Object.entries(override).flatMap(([language, texts]) => {
    const platform = platformTexts(message, language)
    if (!platform) return [`this mail is not sent in “${language}”, but in ${listed(languagesOf(message))}`]
    const parts = partsSchema.safeParse(texts)
    if (!parts.success)
      return parts.error.issues.map(issue => `${[language, ...issue.path].join('.')}: ${issue.message}`)
    return PARTS.flatMap(part =>
      missingIn(part, platform[part] ?? [], parts.data).map(fault => `${language}.${part}: ${fault}`),
    )
  })
}

const platformTexts = (message: string, language: string): MailTexts | undefined =>
  languagesOf(message).includes(language) ? messagesOf(language).mails[message] : undefined

const listed = (names: readonly string[]): string => new Intl.ListFormat('en').format(names)

const languagesOf = (message: string): string[] =>
  knownLanguages.map(({ code }) => code).filter(code => messagesOf(code).mails[message])

/**
 * Returns a fault for each value of the platform's text that the application's text omits; only the product's name may be
 * omitted.
 */
function missingIn(part: Part, platform: string | string[], override: Texts): string[] {
  if (override[part] === undefined) return []
  try {
    const shown = shownIn(override[part])
    return VALUES.filter(value => [platform].flat().some(text => text.includes(`{${value}}`)) && !shown.has(value)).map(
      value => `must say ${value}, which it is given`,
    )
  } catch (error) {
    return [`cannot be made: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function shownIn(texts: unknown): Set<string> {
  const rendered = [texts].flat().map(one => (isFunction(one) ? one(sample) : one))
  const all = z.array(z.string({ error: 'it gives no text' })).safeParse(rendered)
  if (!all.success) throw new Error('it gives no text')
  return new Set(VALUES.filter(value => all.data.some(one => one.includes(mark(value)))))
}

const mark = (value: string): string => `\u{27e6}${value}\u{27e7}`
const sample = { product: 'Product', ...Object.fromEntries(VALUES.map(value => [value, mark(value)])) }

function isFunction(value: unknown): value is (values: unknown) => unknown {
  return typeof value === 'function'
}
