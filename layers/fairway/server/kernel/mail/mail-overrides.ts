import { z } from 'zod'
import type { MailOverrides } from './mail-texts'
import { germanMails } from './mail-texts-de'
import { englishMails } from './mail-texts-en'

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

/** Every value of every mail; a mail's own are those that its texts show. */
const VALUES = ['askedFrom', 'invitedBy', 'organization', 'role', 'email', 'when', 'device', 'address', 'how']
const PARTS: readonly Part[] = ['subject', 'lines', 'action', 'notes']

/** The `mails` of `defineFwConfig`: a mail or language that there is not, and a text that leaves a fact out, are faults. */
export const mailsOption = z
  .custom<MailOverrides>(value => typeof value === 'object' && value !== null, 'must be an object of mails')
  .superRefine((mails, context) => {
    for (const [message, languages] of Object.entries(mails))
      for (const fault of faultsOf(message, languages))
        context.addIssue({ code: 'custom', path: [message], message: fault })
  })
  .default({})

function faultsOf(message: string, languages: object): string[] {
  if (!(message in mailCatalogs.en))
    return [`there is no such mail; there are ${Object.keys(mailCatalogs.en).join(', ')}`]
  return Object.entries(languages).flatMap(([language, texts]) => {
    const own = ownTexts(message, language)
    if (!own) return [`this mail is not sent in “${language}”, but in ${languagesOf(message).join(' and ')}`]
    const parts = partsSchema.safeParse(texts)
    if (!parts.success)
      return parts.error.issues.map(issue => `${[language, ...issue.path].join('.')}: ${issue.message}`)
    return PARTS.flatMap(part => missingIn(part, own, parts.data).map(fault => `${language}.${part}: ${fault}`))
  })
}

const ownTexts = (message: string, language: string): Texts | undefined =>
  new Map<string, Texts>(Object.entries(new Map<string, object>(Object.entries(mailCatalogs)).get(language) ?? {})).get(
    message,
  )

const languagesOf = (message: string): string[] =>
  Object.keys(mailCatalogs).filter(language => ownTexts(message, language))

/** What the platform's text tells people there, the application's must tell too; only the product's name is free. */
function missingIn(part: Part, own: Texts, given: Texts): string[] {
  if (given[part] === undefined) return []
  try {
    const shown = shownIn(given[part])
    return [...shownIn(own[part])]
      .filter(value => !shown.has(value))
      .map(value => `must say ${value}, which it is given`)
  } catch (error) {
    return [`cannot be made: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function shownIn(texts: unknown): Set<string> {
  const made = (Array.isArray(texts) ? texts : [texts]).map(one => (isFunction(one) ? one(sample) : one))
  const all = z.array(z.string({ error: 'it gives no text' })).safeParse(made)
  if (!all.success) throw new Error('it gives no text')
  return new Set(VALUES.filter(value => all.data.some(one => one.includes(mark(value)))))
}

const mark = (value: string): string => `\u{27e6}${value}\u{27e7}`
const sample = { product: 'Product', ...Object.fromEntries(VALUES.map(value => [value, mark(value)])) }

function isFunction(value: unknown): value is (values: unknown) => unknown {
  return typeof value === 'function'
}

/** The platform's own texts. Mails that answer a page speak its language; the others have no page to ask. */
export const mailCatalogs = { en: englishMails, de: germanMails }
