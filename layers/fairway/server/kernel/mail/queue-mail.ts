// The outbox stores a mail with the job that sends it, so a rollback also removes the mail.
import { and, eq, getTableColumns, getTableName, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '../crypto/random'
import type { SealedColumn } from '../crypto/reseal'
import { seal, unseal } from '../crypto/seal'
import { requireRun } from '../current-run'
import type { Orm } from '../database/client'
import { isRehearsing, type RehearsedRow } from '../database/rehearsal'
import { readSorted, type SortedQuery } from '../database/read-sorted'
import { AppError } from '../http/app-error'
import { defineJob, queueJob, type JobContext } from '../jobs'
import { withBytes } from './attachments'
import { mailSchema } from './mailer'
import type { MailContent } from './mail-layout'
import { mailOutbox } from './tables'

/**
 * Queues one mail for delivery without waiting for the mail server, and returns its id in the outbox. Without a mail server,
 * development writes it to its folder at once and there is no id. Throws when no mail can be sent.
 */
export async function queueMail(app: App, to: string, content: MailContent): Promise<string | undefined> {
  if (app.mailer.isRemote || isRehearsing()) return writeMail(app, app.db.orm, { to, content })
  await app.mailer.send({ to, ...(await rendered(app, content)) })
  return undefined
}

export type MailDb = Pick<Orm, 'insert' | 'run' | 'all'>

interface MailToWrite {
  to: string
  content: MailContent
  /**
   * Keeps its text for a week after sending was given up, so that it can be sent later: it contains no link that opens an
   * account.
   */
  isKept?: boolean
  attachments?: z.output<typeof mailSchema>['attachments']
}

/** Stores a mail with the job that sends it, in the transaction where `on` is one. Returns its id. */
export async function writeMail(
  app: App,
  on: MailDb,
  { to, content, isKept, attachments }: MailToWrite,
): Promise<string> {
  const id = newId()
  const sealed = sealMail(app, id, { to, ...(await rendered(app, content)), isKept, attachments })
  await on.insert(mailOutbox).values({ id, name: content.name, content: sealed, createdAt: app.now() })
  await queueJob(app, on, SEND_MAIL, { mailId: id })
  return id
}

// Loaded with the first mail, because the build also reads this file and cannot parse JSX.
const rendered = async (app: App, content: MailContent) =>
  (await import('./render-mail')).renderMail(content, app.config)

const MAIL_PURPOSE = 'mail-outbox'

/** The columns of queued mails that are sealed with the application's secret. */
export const mailSealedColumns: SealedColumn[] = [
  { table: 'mail_outbox', column: 'content', purpose: MAIL_PURPOSE, context: ({ id }) => String(id) },
]

/** Has no text after sending was given up, unless it may be sent later (`isKept`). */
const writtenSchema = mailSchema.partial({ text: true }).extend({ isKept: z.boolean().optional() })
type WrittenDown = z.output<typeof writtenSchema>

const sealMail = (app: App, id: string, mail: WrittenDown): string =>
  seal(app.config.keys, MAIL_PURPOSE, JSON.stringify(mail), id)

/**
 * Sends the mail of a row. The mail server may receive one twice: where a process dies between its response and the end of the
 * job.
 */
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
  const { to, subject, text, html, headers, isKept, attachments } = mail
  if (text === undefined) throw new AppError('not-found', { detail: 'Its text was deleted when it was given up.' })
  try {
    await app.mailer.send({ id, to, subject, text, html, headers, attachments: await withBytes(app, attachments) })
  } catch (error) {
    // An attached file that was deleted does not come back.
    const isRefused = isFinal(error) || error instanceof AppError
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

/** What each order compares. Ids are in the order of creation; a mail that waits comes before those that failed. */
const ORDERS = { name: mailOutbox.name, createdAt: mailOutbox.id, failedAt: sql`coalesce(${mailOutbox.failedAt}, 0)` }

/**
 * Returns a page of the mails that wait or that sending was given up for, by default the latest first. Does not
 * throw for a mail whose secret was removed; its address is then empty.
 */
export async function listMails(app: App, query: SortedQuery<keyof typeof ORDERS>) {
  const first = { field: 'createdAt', isDescending: true } as const
  const list = { values: ORDERS, id: mailOutbox.id, from: mailOutbox, first }
  const { rows, cursor } = await readSorted(list, query, ({ sortValue, isOnPage, orderBy }) =>
    app.db.orm
      .select({ ...getTableColumns(mailOutbox), sortValue })
      .from(mailOutbox)
      .where(isOnPage)
      .orderBy(orderBy),
  )
  const mails = rows.map(({ id, name, content, createdAt, failedAt, error }) => {
    const { to = '', text } = openMail(app, id, content)
    const times = { createdAt: createdAt.toISOString(), failedAt: failedAt?.toISOString() ?? null }
    return { id, name, to, error, ...times, canBeSent: text !== undefined }
  })
  return { mails, cursor }
}

/** Counts the mails that wait and those that sending was given up for. */
export async function countMails(app: App): Promise<{ waiting: number; failed: number }> {
  const countOf = (where: SQL) => app.db.orm.$count(mailOutbox, where)
  return { failed: await countOf(isNotNull(mailOutbox.failedAt)), waiting: await countOf(isNull(mailOutbox.failedAt)) }
}

interface UnsentMail {
  mailState: 'waiting' | 'failed'
  /** Why sending was given up, in the words of the mail server. */
  mailFault: string | null
}

/** The mails among these that are still in the outbox, by id. Mails leave it when the mail server has accepted them. */
export async function findUnsent({ db }: App, ids: readonly string[]): Promise<Map<string, UnsentMail>> {
  if (ids.length === 0) return new Map()
  const { id, failedAt, error } = mailOutbox
  const rows = await db.orm
    .select({ id, failedAt, error })
    .from(mailOutbox)
    .where(inArray(id, [...ids]))
  return new Map(rows.map(row => [row.id, { mailState: row.failedAt ? 'failed' : 'waiting', mailFault: row.error }]))
}

function openMail(app: App, id: string, content: string): Partial<WrittenDown> {
  try {
    return writtenSchema.parse(JSON.parse(unseal(app.config.keys, MAIL_PURPOSE, content, id)))
  } catch {
    return {}
  }
}

/** Resends a failed mail. Throws `not-found` when it does not exist, still waits, or no longer has a text. */
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

/** Deletes mails a week after sending was given up. */
export async function purgeMails(app: App): Promise<void> {
  const before = new Date(app.now().getTime() - KEEP_FAILED_IN_MS)
  await app.db.orm.delete(mailOutbox).where(and(isNotNull(mailOutbox.failedAt), lte(mailOutbox.failedAt, before)))
}

/** How many mails a rehearsal queued. */
export const countQueuedMails = (rows: readonly RehearsedRow[]): number =>
  rows.filter(({ table, kind }) => table === getTableName(mailOutbox) && kind === 'created').length
