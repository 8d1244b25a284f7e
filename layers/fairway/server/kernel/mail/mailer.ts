import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { MailConfig } from '../config/config'
import type { Log } from '../events/log'
import { newId } from '../crypto/random'

export interface Mailer {
  /** True when mails reach people, so that flows which require mail can be offered. */
  isReady: boolean
  /** True when mails go to a mail server, which may be slow or unreachable. */
  isRemote: boolean
  /** Sends one mail; throws when the mail server refuses it. */
  send(mail: Mail): Promise<void>
}

const SEND_LIMIT_IN_MS = 15_000

/**
 * Creates the mailer: by SMTP when a server is configured; otherwise development writes mails to a folder, and production sends
 * none.
 */
export function createMailer({ smtp, outbox }: Pick<MailConfig, 'smtp' | 'outbox'>, log: Log): Mailer {
  if (smtp) return smtpMailer(smtp, log)
  if (outbox) return outboxMailer(outbox, log)
  return { isReady: false, isRemote: false, send: () => Promise.reject(new Error('no mail server is configured')) }
}

const limits = {
  connectionTimeout: SEND_LIMIT_IN_MS,
  greetingTimeout: SEND_LIMIT_IN_MS,
  socketTimeout: SEND_LIMIT_IN_MS,
}

const smtpMailer = ({ url, from }: { url: string; from: string }, log: Log): Mailer => ({
  isReady: true,
  isRemote: true,
  async send({ id = newId(), to, attachments, ...content }) {
    // Loaded with the first mail: starting the server does not need it.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ url, ...limits })
    // The same for every attempt, so that a receiver can recognize a duplicate.
    const messageId = `<${id}@${from.slice(from.lastIndexOf('@') + 1).replace(/[>\s]/g, '')}>`
    await withinLimit(
      transport.sendMail({ ...content, from, to: { name: '', address: to }, messageId, ...partsOf(attachments) }),
      () => transport.close(),
    )
    log.info('mail sent', { subject: content.subject })
  },
})

/** A calendar entry is a form of the mail, so that mail programs show its buttons. Everything else is attached. */
function partsOf(attachments: readonly Attachment[] = []) {
  const event = attachments.find(({ method }) => method !== undefined)
  const files = attachments.filter(each => each !== event)
  return {
    attachments: files.map(({ name: filename, type: contentType, content = '' }) => {
      return { filename, contentType, content, encoding: 'base64' }
    }),
    ...(event && {
      icalEvent: { filename: event.name, method: event.method, content: event.content, encoding: 'base64' },
    }),
  }
}

/** Connects to a mail server and signs in there without sending a mail; throws with the reason within 15 seconds. */
export async function verifyMailServer({ url }: { url: string }): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ url, ...limits })
  await withinLimit(transport.verify(), () => transport.close())
  transport.close()
}

// The library's limits are for silence, so a server that keeps talking slowly needs a further limit.
async function withinLimit<T>(sending: Promise<T>, stop: () => void): Promise<T> {
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    stop()
    over.reject(new Error('the mail server took too long'))
  }, SEND_LIMIT_IN_MS)
  try {
    return await Promise.race([sending, over.promise])
  } finally {
    clearTimeout(timer)
  }
}

const outboxMailer = (folder: string, log: Log): Mailer => ({
  isReady: true,
  isRemote: false,
  async send(mail) {
    const path = await writeToOutbox(folder, mail)
    log.info('mail written to the outbox', { path, subject: mail.subject })
  },
})

/** An attachment as the outbox keeps it. */
const attachmentSchema = z.object({
  name: z.string(),
  type: z.string().optional(),
  /** Base64; missing for a stored file until the mail is sent. */
  content: z.string().optional(),
  /** The ID of a stored file. */
  file: z.string().optional(),
  /** The method of a calendar entry. */
  method: z.enum(['publish', 'request', 'cancel']).optional(),
})
export type Attachment = z.output<typeof attachmentSchema>

/** A mail that is ready to send. */
export const mailSchema = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  attachments: z.array(attachmentSchema).optional(),
})

/** `id` identifies it at the mail server. */
type Mail = z.output<typeof mailSchema> & { id?: string }

/** A mail that was written instead of sent. */
export interface WrittenMail extends z.output<typeof mailSchema> {
  id: string
  writtenAt: Date
}

const MOST_LISTED = 100
const SUFFIX = '.json'
const idSchema = z.uuidv7()

/** Writes one mail into the folder, readable only by its owner, and returns the file. */
async function writeToOutbox(folder: string, { id: _id, ...mail }: Mail): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, newId() + SUFFIX)
  await writeFile(path, `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600 })
  return path
}

/** Returns the hundred newest mails of the folder, latest first; none for a missing folder. */
export async function listOutbox(folder: string): Promise<WrittenMail[]> {
  const names = await readdir(folder).catch(() => [])
  // The ids begin with the time, so sorting by name is sorting by time.
  const ids = names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length))
  const latest = ids.toSorted().toReversed().slice(0, MOST_LISTED)
  const mails = await Promise.all(latest.map(id => findInOutbox(folder, id)))
  return mails.filter(mail => mail !== undefined)
}

/** Returns one mail of the folder; undefined for an unknown id. */
export async function findInOutbox(folder: string, id: unknown): Promise<WrittenMail | undefined> {
  const { data: known } = idSchema.safeParse(id)
  if (!known) return undefined
  const path = join(folder, known + SUFFIX)
  try {
    const [text, { mtime: writtenAt }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { ...mailSchema.parse(JSON.parse(text)), id: known, writtenAt }
  } catch {
    return undefined
  }
}
