// The outbox: a mail is written down with the job that sends it, so what is rolled back is never sent.
import { and, desc, eq, isNotNull, isNull, lt, lte, type SQL } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '../crypto/random'
import type { SealedColumn } from '../crypto/reseal'
import { seal, unseal } from '../crypto/seal'
import { requireRun } from '../current-run'
import type { Orm } from '../database/client'
import { AppError } from '../http/app-error'
import { defineJob, queueJob, type JobContext } from '../jobs'
import { mailSchema } from './mailer'
import type { MailContent } from './render-mail'
import { mailOutbox } from './tables'

/**
 * Queues one mail for delivery without waiting for the mail server. Without a mail server, development writes it to its folder at
 * once. Throws when no mail can be sent.
 */
export async function queueMail(app: App, to: string, content: MailContent): Promise<void> {
  if (app.mailer.isRemote) await writeMail(app, app.db.orm, { to, content })
  else await app.mailer.send({ to, ...(await rendered(app, content)) })
}

export type MailDb = Pick<Orm, 'insert' | 'run' | 'all'>

interface MailToWrite {
  to: string
  content: MailContent
  /** Its text stays for a week after it was given up, so that it can be sent later: nothing in it opens an account. */
  isKept?: boolean
}

/** Stores a mail with the job that sends it, in the transaction where `on` is one. Returns its id. */
export async function writeMail(app: App, on: MailDb, { to, content, isKept }: MailToWrite): Promise<string> {
  const id = newId()
  const sealed = sealMail(app, id, { to, ...(await rendered(app, content)), isKept })
  await on.insert(mailOutbox).values({ id, name: content.name, content: sealed, createdAt: app.now() })
  await queueJob(app, on, SEND_MAIL, { mailId: id })
  return id
}

// Loaded with the first mail: the build reads this file too, and knows no JSX.
const rendered = async (app: App, content: MailContent) =>
  (await import('./render-mail')).renderMail(content, app.config)

const MAIL_PURPOSE = 'mail-outbox'

/** The columns of queued mails that are sealed with the application's secret. */
export const mailSealedColumns: SealedColumn[] = [
  { table: 'mail_outbox', column: 'content', purpose: MAIL_PURPOSE, context: ({ id }) => String(id) },
]

/** Without a text once the mail was given up, unless it may be sent later (`isKept`). */
const writtenSchema = mailSchema.partial({ text: true }).extend({ isKept: z.boolean().optional() })
type WrittenDown = z.output<typeof writtenSchema>

const sealMail = (app: App, id: string, mail: WrittenDown): string =>
  seal(app.config.keys, MAIL_PURPOSE, JSON.stringify(mail), id)

/** Sends the mail of a row. The mail server may get one twice: where a process dies between its answer and the end of the job. */
export const sendMailJob = defineJob({
  description: 'Sends a mail.',
  input: z.object({ mailId: z.string() }),
  // About 45 minutes in all.
  retries: 8,
  timeout: 60,
  concurrency: 8,
  waits: true,
  run: ({ mailId }, context) => deliver(requireRun().app, mailId, context),
})
const SEND_MAIL = { name: 'fw-send-mail', job: sendMailJob }

async function deliver(app: App, id: string, { isLast }: JobContext): Promise<void> {
  const [row] = await app.db.orm.select().from(mailOutbox).where(eq(mailOutbox.id, id))
  if (!row) return
  const mail = writtenSchema.parse(JSON.parse(unseal(app.config.keys, MAIL_PURPOSE, row.content, id)))
  const { to, subject, text, html, headers, isKept } = mail
  if (text === undefined) throw new AppError('not-found', { detail: 'Its text was deleted when it was given up.' })
  try {
    await app.mailer.send({ id, to, subject, text, html, headers })
  } catch (error) {
    const isRefused = isFinal(error)
    const reason = error instanceof Error ? error.message : String(error)
    if (isLast || isRefused)
      await app.db.orm
        .update(mailOutbox)
        .set({
          failedAt: app.now(),
          error: reason,
          ...(!isKept && { content: sealMail(app, id, { to, subject }) }),
        })
        .where(eq(mailOutbox.id, id))
    throw isRefused ? new AppError('invalid-input', { detail: reason, cause: error }) : error
  }
  await app.db.orm.delete(mailOutbox).where(eq(mailOutbox.id, id))
}

/** The latest mails that wait or were given up, 50 at most; `before` is the id of one. Throws nothing for a mail whose secret is gone: its address is empty then. */
export async function listMails(app: App, before?: string) {
  const rows = await app.db.orm
    .select()
    .from(mailOutbox)
    .where(before === undefined ? undefined : lt(mailOutbox.id, before))
    .orderBy(desc(mailOutbox.id))
    .limit(MAILS_PER_PAGE)
  return rows.map(({ id, name, content, createdAt, failedAt, error }) => {
    const { to = '', text } = openMail(app, id, content)
    const times = { createdAt: createdAt.toISOString(), failedAt: failedAt?.toISOString() ?? null }
    return { id, name, to, error, ...times, canBeSent: text !== undefined }
  })
}

/** How many mails wait and were given up. */
export async function countMails(app: App): Promise<{ waiting: number; failed: number }> {
  const countOf = (where: SQL) => app.db.orm.$count(mailOutbox, where)
  return { failed: await countOf(isNotNull(mailOutbox.failedAt)), waiting: await countOf(isNull(mailOutbox.failedAt)) }
}

export const MAILS_PER_PAGE = 50

function openMail(app: App, id: string, content: string): Partial<WrittenDown> {
  try {
    return writtenSchema.parse(JSON.parse(unseal(app.config.keys, MAIL_PURPOSE, content, id)))
  } catch {
    return {}
  }
}

/** Resends a failed email. Throws `not-found` where it is not there, waits, or has no text any more. */
export async function resendMail(app: App, id: string): Promise<void> {
  await app.db.orm.transaction(async tx => {
    const [row] = await tx.select().from(mailOutbox).where(eq(mailOutbox.id, id))
    if (!row?.failedAt || openMail(app, id, row.content).text === undefined) throw new AppError('not-found')
    await tx.update(mailOutbox).set({ failedAt: null, error: null }).where(eq(mailOutbox.id, id))
    await queueJob(app, tx, SEND_MAIL, { mailId: id })
  })
}

/** Returns whether the server refuses the address permanently (RFC 5321 §4.2.1: replies that begin with 5). */
const isFinal = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'EENVELOPE' &&
  'responseCode' in error &&
  Number(error.responseCode) >= 500

const KEEP_FAILED_IN_MS = 7 * 24 * 60 * 60 * 1000

/** Deletes what is left of mails that were given up a week ago. */
export async function purgeMails(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - KEEP_FAILED_IN_MS)
  await app.db.orm.delete(mailOutbox).where(and(isNotNull(mailOutbox.failedAt), lte(mailOutbox.failedAt, before)))
}
