// The declaration of a mail, and the list of declared mails.
import type { VNodeChild } from 'vue'
import { z } from 'zod'
import type { Language } from '#fairway/shared/languages'
import type { Orm } from '../database/client'
import { isDeclared, mark, parseDeclaration } from '../declaration'

/** The context of a mail's body besides its data. */
export interface MailBodyContext {
  /** The language of the receiver. */
  language: Language
  /** A text of this mail (`words` in the catalog), with its placeholders filled. */
  t(word: string, values?: Readonly<Record<string, string | number>>): string
}

interface MailOptions<Data extends z.ZodObject> {
  /** One sentence that describes its purpose. */
  description: string
  /** The schema of its data. Texts and numbers fill the placeholders of its texts. */
  data?: Data
  /** The data for the preview, or a function that reads some from the database. */
  example: z.input<Data> | ((context: { db: Orm }) => z.input<Data> | Promise<z.input<Data>>)
  /** The values of the placeholders, where they differ from the data: for example a time in the language of the receiver. */
  values?(data: z.output<Data>, context: { language: Language }): Readonly<Record<string, string | number>>
  /** The address of its button: a path of this application, or a full address. Without it there is no button. */
  href?(data: z.output<Data>): string
  /** The data that is shown as a table. The labels are `facts` of the mail’s texts. */
  facts?: readonly (keyof z.output<Data> & string)[]
  /** The content between its paragraphs and its button. The text part is also made from it. */
  body?(data: z.output<Data>, context: MailBodyContext): VNodeChild
  /** For optional mails: receivers can switch a topic off, and each such mail has a link for that. */
  topic?: string
  /** Why receivers get it: the name of a sentence in `mailWords.because`. The mail’s own text `because` comes first. */
  because?: string
  /** The maximum number of mails per receiver and hour; 20 when not given. */
  mostPerHour?: number
}

/** A mail with its parsed declaration. */
export interface Mail {
  description: string
  data: z.ZodObject
  example: unknown
  values?(data: never, context: { language: Language }): Readonly<Record<string, string | number>>
  href?(data: never): string
  facts?: readonly string[]
  body?(data: never, context: MailBodyContext): VNodeChild
  topic?: string
  because?: string
  mostPerHour: number
}

export interface MailEntry {
  name: string
  mail: Mail
}

const work = z.custom<(data: never) => never>(value => typeof value === 'function', 'must be a function')
const optionsSchema = z.strictObject({
  description: z.string().min(1),
  data: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object').default(z.object({})),
  example: z.unknown().refine(value => value !== undefined, 'is needed: it is what the preview shows'),
  values: work.optional(),
  href: work.optional(),
  facts: z.array(z.string()).optional(),
  body: work.optional(),
  topic: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, 'must be kebab-case')
    .optional(),
  because: z.string().optional(),
  mostPerHour: z.int().min(1).default(20),
})

/** Declares a mail: `server/mails/<name>.tsx` exports it by default. Throws at load with each invalid option. */
export const defineMail = <Data extends z.ZodObject = z.ZodObject<Record<never, never>>>(options: MailOptions<Data>) =>
  mark('mail', parseDeclaration('defineMail', optionsSchema, options)) as unknown as Mail & { data: Data }

export const isMail = (value: unknown): value is Mail => isDeclared('mail', value)

/** The data of a mail, as its author types it. */
export type MailDataOf<Declared> = Declared extends { data: infer Data extends z.ZodObject } ? z.input<Data> : never

/** A calendar entry. Times are sent in UTC, and calendars show them in the receiver's time zone. */
export interface CalendarEvent {
  /** Identifies the entry in calendars: a later mail with this `id` and a higher `sequence` changes it. */
  id: string
  title: string
  start: Date
  end: Date
  /** Whether it takes whole days, by the dates in UTC. */
  isAllDay?: boolean
  location?: string
  description?: string
  url?: string
  /** `publish` adds it to the calendar, `request` asks for an answer, `cancel` removes it. `publish` by default. */
  method?: 'publish' | 'request' | 'cancel'
  /** Required for `request` and `cancel`. */
  organizer?: { name: string; email: string }
  /** 0 by default. */
  sequence?: number
}

/** An attachment of a mail: bytes or a text, a stored file by its ID, or a calendar entry. */
export type MailAttachment =
  | { name: string; content: string | Uint8Array; type?: string }
  | { file: string; name?: string }
  | { event: CalendarEvent }

/** The receiver of a mail and its data. */
export interface MailToSend<Data> {
  /** One address. */
  to: string
  data: Data
  /** The language; by default the one that the receiver has chosen here, else the default language. */
  language?: Language
  /** At most ten, with 7 MiB in all: bytes, stored files and calendar entries. */
  attachments?: readonly MailAttachment[]
}
