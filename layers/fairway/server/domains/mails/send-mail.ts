// Mails of the application. They are queued in the transaction of the author, and a job sends them.
import { and, eq } from 'drizzle-orm'
import type { MailTypes } from '#fw/mail-types'
import { findStoredFile } from '#fairway/server/domains/files'
import { languageOfPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { requireRun } from '#fairway/server/kernel/current-run'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Limit } from '#fairway/server/kernel/limits/limits'
import { rateLimitWithin } from '#fairway/server/kernel/limits/rate-limit'
import { packAttachments } from '#fairway/server/kernel/mail/attachments'
import type { Mail, MailDataOf, MailToSend } from '#fairway/server/kernel/mail/define-mail'
import { contentOf, findMail, mailContent, requireMail } from '#fairway/server/kernel/mail/mail-content'
import type { PlatformMail } from '#fairway/server/kernel/mail/platform-mails'
import { queueMail, writeMail } from '#fairway/server/kernel/mail/queue-mail'
import { messagesOf } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { emailSchema } from '#fairway/shared/schemas/email'
import { addressOf, topicsHref } from './topics'
import { mailOptOuts } from './tables'

/**
 * Queues a mail, in the transaction when `db` is one: a rollback discards it. Returns `switched-off` without queuing when the
 * receiver has switched its topic off. Throws `rate-limited` when the receiver has reached the hourly limit of the mail. Throws
 * `invalid-input` for an invalid address and for attachments beyond the limits, and `mail-unavailable` when the server cannot
 * send mail.
 */
export async function sendMail<Name extends keyof MailTypes & string>(
  db: Pick<Orm, 'insert' | 'run' | 'all' | 'select'>,
  name: Name,
  mail: MailToSend<MailDataOf<MailTypes[Name]>>,
): Promise<'queued' | 'switched-off'> {
  return sendMailOf(requireRun().app, db, name, mail)
}

/** Like `sendMail`, for callers that have the application. */
export async function sendMailOf(
  app: App,
  db: Pick<Orm, 'insert' | 'run' | 'all' | 'select'>,
  name: string,
  { to: recipient, data, language: wanted, attachments = [] }: MailToSend<unknown>,
): Promise<'queued' | 'switched-off'> {
  const declared = findMail(app, name)
  if (!declared) throw new Error(`there is no mail ${name} in server/mails`)
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  const to = emailSchema.safeParse(recipient).data
  if (to === undefined)
    throw new AppError('invalid-input', { errors: [{ path: 'to', message: 'This is no address.' }] })
  if (declared.topic !== undefined && (await isSwitchedOff(db, to, declared.topic))) return 'switched-off'
  await rateLimitWithin(app, db, limitOf(name, declared), to)
  const language = wanted ?? (await languageOfPerson(app, { email: to }))
  const content = contentOf(app, name, data, language)
  const unsubscribe =
    declared.topic === undefined ? undefined : unsubscribeOf(app, to, declared.topic, content.language)
  const packed = await packAttachments(attachments, id => findStoredFile(db, id))
  await writeMail(app, db, { to, content: { ...content, unsubscribe }, isKept: true, attachments: packed })
  return 'queued'
}

/**
 * Queues one of the platform's optional mails to those of these people who have not switched its topic off, in their language.
 * Throws like `queueMail`.
 */
export async function mailByTopic<Name extends PlatformMail>(
  app: App,
  addresses: readonly string[],
  name: Name,
  content: Omit<Parameters<typeof mailContent<Name>>[2], 'language'>,
): Promise<void> {
  const { topic } = requireMail(app, name)
  for (const email of addresses) {
    if (topic !== undefined && (await isSwitchedOff(app.db.orm, email, topic))) continue
    const mail = mailContent(app, name, { ...content, language: await languageOfPerson(app, { email }) })
    const unsubscribe = topic === undefined ? undefined : unsubscribeOf(app, email, topic, mail.language)
    await queueMail(app, email, { ...mail, unsubscribe })
  }
}

const limitOf = (name: string, { mostPerHour }: Mail): Limit => ({
  name: `mail-${name}`,
  per: 'address',
  max: mostPerHour,
  window: 3600,
})

const unsubscribeOf = (app: App, email: string, topic: string, language?: Language) => ({
  label: messagesOf(language ?? 'en').mailTopics.link,
  href: topicsHref(app, { email, topic }),
})

async function isSwitchedOff(db: Pick<Orm, 'select'>, email: string, topic: string): Promise<boolean> {
  const optOuts = await db
    .select({ topic: mailOptOuts.topic })
    .from(mailOptOuts)
    .where(and(eq(mailOptOuts.address, addressOf(email)), eq(mailOptOuts.topic, topic)))
  return optOuts.length > 0
}
