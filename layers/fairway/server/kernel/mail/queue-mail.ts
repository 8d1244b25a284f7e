import { and, eq, isNotNull, lte } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { newId } from '../crypto/random'
import type { SealedColumn } from '../crypto/reseal'
import { seal, unseal } from '../crypto/seal'
import type { MailContent } from './render-mail'
import { mailOutbox } from './tables'
import type { MailText, MailValues } from './mail-overrides'

/**
 * Hands one mail over for delivery and does not wait for the mail server: five tries within about an hour, also after a
 * restart. Without a mail server development writes it to its folder at once. Throws when no mail can be sent at all.
 */
export async function queueMail(app: App, to: string, content: MailContent): Promise<void> {
  // Loaded with the first mail: the build reads this file too, and knows no JSX.
  const { renderMail } = await import('./render-mail')
  const mail = { to, ...(await renderMail(content, app.config)) }
  if (!app.mailer.isRemote) return app.mailer.send(mail)
  const id = newId()
  const now = app.now()
  const sealed = seal(app.config.keys, MAIL_PURPOSE, JSON.stringify(mail), id)
  await app.db.orm.insert(mailOutbox).values({ id, content: sealed, nextTryAt: now, createdAt: now })
  void deliverMails(app)
}

const MAIL_PURPOSE = 'mail-outbox'

/** What of mails that wait is sealed with the application's secret. */
export const mailSealedColumns: SealedColumn[] = [
  { table: 'mail_outbox', column: 'content', purpose: MAIL_PURPOSE, context: ({ id }) => String(id) },
]
const SECOND = 1000
/** How long after each try the next one comes; longer than one try may take, so a mail that is under way is not taken again. */
const DELAYS_IN_SECONDS = [30, 120, 600, 3600]
const MOST_TRIES = DELAYS_IN_SECONDS.length + 1
/** A mail server that is slow with one mail must not hold up the others. */
const AT_ONCE = 4
const STOP_LIMIT_IN_MS = 4 * SECOND
const LOOK_EVERY_IN_MS = 10 * SECOND
const KEEP_FAILED_IN_MS = 7 * 24 * 60 * 60 * SECOND

const mailSchema = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() })

interface TakenMail {
  id: string
  content: string
  tries: number
}

interface DeliveryState {
  running?: Promise<void>
  again: boolean
  isStopping: boolean
}

const stateOf = (app: App): DeliveryState => app.memo('mail-delivery', () => ({ again: false, isStopping: false }))

/** Sends the mails that are due, four at once; a call while one is running changes nothing. Never throws. */
export function deliverMails(app: App): Promise<void> {
  const state = stateOf(app)
  if (state.isStopping) return Promise.resolve()
  if (state.running) {
    state.again = true
    return state.running
  }
  const work = async () => {
    try {
      do {
        state.again = false
        await Promise.all(Array.from({ length: AT_ONCE }, () => deliverAll(app)))
      } while (state.again)
    } catch (error) {
      app.log.error('mail delivery failed', { error })
    } finally {
      // In the same moment as the last look at `again`: whoever comes now begins anew.
      state.running = undefined
    }
  }
  state.running = work()
  return state.running
}

/** Looks for due mails every ten seconds, also those of a process that is gone. Gives a function that stops it and waits a moment for the mails under way; what is not sent by then stays for the next process. */
export function startMailDelivery(app: App): () => Promise<void> {
  if (!app.mailer.isRemote) return async () => {}
  const timer = setInterval(() => void deliverMails(app), LOOK_EVERY_IN_MS)
  timer.unref()
  void deliverMails(app)
  return async () => {
    clearInterval(timer)
    const state = stateOf(app)
    state.isStopping = true
    const moment = new Promise(resolve => setTimeout(resolve, STOP_LIMIT_IN_MS).unref())
    await Promise.race([state.running, moment])
  }
}

/** Deletes what is left of mails that were given up a week ago. */
export async function purgeMails(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - KEEP_FAILED_IN_MS)
  await app.db.orm.delete(mailOutbox).where(and(isNotNull(mailOutbox.failedAt), lte(mailOutbox.failedAt, before)))
}

// One statement takes a mail, so of several instances one sends it; a process that dies leaves it for the next try.
async function take(app: App): Promise<TakenMail | undefined> {
  const now = app.now().getTime()
  const { rows } = await app.db.client.execute({
    sql: `update mail_outbox set tries = tries + 1, next_try_at = ? + 1000 * (case tries ${cases} else ${DELAYS_IN_SECONDS.at(-1)} end)
      where id = (select id from mail_outbox where next_try_at <= ? order by next_try_at limit 1) and next_try_at <= ?
      returning id, content, tries`,
    args: [now, now, now],
  })
  const [row] = rows
  return row && { id: String(row.id), content: String(row.content), tries: Number(row.tries) }
}

const cases = DELAYS_IN_SECONDS.map((seconds, tries) => `when ${tries} then ${seconds}`).join(' ')

async function deliverAll(app: App): Promise<void> {
  const state = stateOf(app)
  const next = async () => (state.isStopping ? undefined : take(app))
  for (let mail = await next(); mail; mail = await next()) await deliver(app, mail)
}

async function deliver(app: App, { id, content, tries }: TakenMail): Promise<void> {
  try {
    const mail = mailSchema.parse(JSON.parse(unseal(app.config.keys, MAIL_PURPOSE, content, id)))
    await app.mailer.send(mail)
    await app.db.orm.delete(mailOutbox).where(eq(mailOutbox.id, id))
  } catch (error) {
    if (tries < MOST_TRIES) return app.log.warn('a mail was not taken; it is tried again', { mailId: id, tries, error })
    app.log.error('a mail was given up', { mailId: id, tries, error })
    const given = { content: '', nextTryAt: null, failedAt: app.now() }
    await app.db.orm.update(mailOutbox).set(given).where(eq(mailOutbox.id, id))
  }
}

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
