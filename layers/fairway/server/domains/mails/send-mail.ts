// Mails of the application. They are queued in the transaction of the author, and a job sends them.
import { and, eq } from 'drizzle-orm'
import type { MailTypes } from '#fw/mail-types'
import { findStoredFile } from '#fairway/server/domains/files'
import { findMembership } from '#fairway/server/domains/organizations'
import {
  findPerson,
  inboxTopicsOff,
  languageOfPerson,
  mailsOfAccounts,
  writeNotification,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { findRun, requireRun, sessionOfRun } from '#fairway/server/kernel/current-run'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Limit } from '#fairway/server/kernel/limits/limits'
import { rateLimitWithin } from '#fairway/server/kernel/limits/rate-limit'
import { packAttachments } from '#fairway/server/kernel/mail/attachments'
import type { Mail, MailDataOf, MailToSend } from '#fairway/server/kernel/mail/define-mail'
import {
  contentOf,
  findMail,
  type mailContent,
  requireMail,
  withOrgLink,
} from '#fairway/server/kernel/mail/mail-content'
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
  { to: recipient, data, language: wanted, attachments = [], orgId }: MailToSend<unknown> & { orgId?: string | null },
): Promise<'queued' | 'switched-off'> {
  const declared = findMail(app, name)
  if (!declared) throw new Error(`there is no mail ${name} in server/mails`)
  if (!app.mailer.isReady) throw new AppError('mail-unavailable')
  const to = requireAddress(recipient)
  if (declared.topic !== undefined && (await isSwitchedOff(db, to, declared.topic))) return 'switched-off'
  await rateLimitWithin(app, db, limitOf(name, declared), to)
  const language = wanted ?? (await languageOfPerson(app, { email: to }))
  const content = await withOrgLink(app, contentOf(app, name, data, language), await orgOf(orgId))
  const unsubscribe =
    declared.topic === undefined ? undefined : unsubscribeOf(app, to, declared.topic, content.language)
  const packed = await packAttachments(attachments, id => findStoredFile(db, id))
  await writeMail(app, db, { to, content: { ...content, unsubscribe }, isKept: true, attachments: packed })
  return 'queued'
}

/** What a person gets: the mail and the notification, each as they chose for its topic. */
interface Notified {
  /** `unavailable`: no mail server is set up. */
  mail: 'queued' | 'switched-off' | 'unavailable'
  /** `no-account`: the address has no account, so there is no inbox. */
  inbox: 'written' | 'switched-off' | 'no-account'
}

/** The organization of a message: the given one, else that of the job or session that sends it. */
async function orgOf(orgId: string | null | undefined): Promise<string | null> {
  if (orgId !== undefined) return orgId
  const run = findRun()
  return run?.orgId ?? (run && (await sessionOfRun(run))?.orgId) ?? null
}

/**
 * Tells a person by a mail, in their inbox, or by both, as they chose for the topic of the mail; without a topic by both. Writes
 * in the transaction when `db` is one. Members see it in the inbox while they are in `orgId`, by default the organization of the
 * caller. Throws like `sendMail`, except for a missing mail server.
 */
export async function notify<Name extends keyof MailTypes & string>(
  db: Pick<Orm, 'insert' | 'run' | 'all' | 'select'>,
  name: Name,
  message: MailToSend<MailDataOf<MailTypes[Name]>> & { orgId?: string | null },
): Promise<Notified> {
  const { app } = requireRun()
  const declared = findMail(app, name)
  if (!declared) throw new Error(`there is no mail ${name} in server/mails`)
  const email = requireAddress(message.to)
  const language = message.language ?? (await languageOfPerson(app, { email }))
  const mail = app.mailer.isReady ? await sendMailOf(app, db, name, { ...message, language }) : 'unavailable'
  const person = await findPerson(app, { email })
  if (!person) return { mail, inbox: 'no-account' }
  const { userId } = person
  if (declared.topic !== undefined && (await inboxTopicsOff(app, userId)).includes(declared.topic))
    return { mail, inbox: 'switched-off' }
  if (mail !== 'queued') await rateLimitWithin(app, db, limitOf(name, declared), email)
  const orgId = await sharedOrg(userId, message.orgId)
  const content = await withOrgLink(app, contentOf(app, name, message.data, language), orgId)
  await writeNotification(app, db, { userId, orgId, content })
  return { mail, inbox: 'written' }
}

/**
 * The organization of a notification: the given one, else the caller's. Null where the receiver is no member: they see it
 * everywhere.
 */
async function sharedOrg(userId: string, namedOrgId: string | null | undefined): Promise<string | null> {
  const orgId = await orgOf(namedOrgId)
  return orgId !== null && (await findMembership(requireRun().app, userId, orgId)) ? orgId : null
}

/** An organization's message to people, by one of the platform's optional mails. */
interface ToPeople {
  orgId: string
  addresses: readonly string[]
}

/**
 * Tells these people by one of the platform's optional mails, each in their language and as they chose for its topic. Throws like
 * `queueMail`.
 */
export async function notifyByTopic<Name extends PlatformMail>(
  app: App,
  { orgId, addresses }: ToPeople,
  name: Name,
  content: Omit<Parameters<typeof mailContent<Name>>[2], 'language'>,
): Promise<void> {
  const { topic } = requireMail(app, name)
  if (topic === undefined) return
  for await (const { email, userId, mail } of mailsOfAccounts(app, addresses, name, content)) {
    if (!(await inboxTopicsOff(app, userId)).includes(topic))
      await writeNotification(app, app.db.orm, { userId, orgId, content: mail })
    if (!app.mailer.isReady || (await isSwitchedOff(app.db.orm, email, topic))) continue
    await queueMail(app, email, { ...mail, unsubscribe: unsubscribeOf(app, email, topic, mail.language) })
  }
}

function requireAddress(address: string): string {
  const email = emailSchema.safeParse(address).data
  if (email !== undefined) return email
  throw new AppError('invalid-input', { errors: [{ path: 'to', message: 'This is no address.' }] })
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
