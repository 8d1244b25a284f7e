// Attachments of mails: how authors give them, how the outbox keeps them, and their bytes when the mail is sent.
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '../http/app-error'
import type { CalendarEvent, MailAttachment } from './define-mail'
import type { Attachment } from './mailer'

const MOST = 10
/** The bytes of all attachments of a mail; many mail servers refuse more than 10 MB in all. */
const MOST_BYTES = 7 * 1024 * 1024

const refused = (at: number, message: string) =>
  new AppError('invalid-input', { errors: [{ path: `attachments.${at}`, message }] })

/** The facts of a stored file; undefined for an unknown ID. */
type FindFile = (id: string) => Promise<{ name: string; type: string; size: number } | undefined>

/**
 * Attachments as the outbox keeps them. A stored file stays where it is until the mail is sent. Throws `invalid-input` with the
 * path of an attachment that has no name, is unknown, or goes over the limits: ten, and 7 MiB in all.
 */
export async function packAttachments(
  attachments: readonly MailAttachment[],
  findFile: FindFile,
): Promise<Attachment[]> {
  if (attachments.length > MOST) throw refused(MOST, `A mail has at most ${MOST} attachments.`)
  const packed: Attachment[] = []
  let bytes = 0
  for (const [at, attachment] of attachments.entries()) {
    const { size, ...file } = await packOne(attachment, findFile, at)
    bytes += size
    if (bytes > MOST_BYTES) throw refused(at, 'The attachments of a mail have at most 7 MiB in all.')
    packed.push(file)
  }
  return packed
}

async function packOne(
  attachment: MailAttachment,
  findFile: FindFile,
  at: number,
): Promise<Attachment & { size: number }> {
  if ('event' in attachment) return packEvent(attachment.event, at)
  if ('file' in attachment) {
    const file = await findFile(attachment.file)
    if (!file) throw refused(at, 'There is no such file.')
    return { name: nameOf(attachment.name ?? file.name, at), type: file.type, file: attachment.file, size: file.size }
  }
  const content = Buffer.from(attachment.content)
  const type = attachment.type === undefined ? {} : { type: attachment.type }
  return { name: nameOf(attachment.name, at), ...type, content: content.toString('base64'), size: content.byteLength }
}

function nameOf(name: string, at: number): string {
  // oxlint-disable-next-line no-control-regex -- a name must not break out of its header
  if (!/^[^/\\\u0000-\u001F\u007F]{1,200}$/.test(name))
    throw refused(at, 'Its name has 1 to 200 characters and no slash.')
  return name
}

async function packEvent(event: CalendarEvent, at: number): Promise<Attachment & { size: number }> {
  const { method = 'publish', organizer, start, end, isAllDay, title, sequence = 0, ...rest } = event
  if (method !== 'publish' && !organizer) throw refused(at, `A calendar entry with ${method} needs its organizer.`)
  if (!(end > start)) throw refused(at, 'A calendar entry ends after it starts.')
  const { default: calendar, ICalCalendarMethod, ICalEventStatus } = await import('ical-generator')
  const status = method === 'cancel' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED
  const entry = calendar({ method: ICalCalendarMethod[METHODS[method]] })
  entry.createEvent({ ...rest, start, end, allDay: isAllDay, summary: title, sequence, status, organizer })
  const content = Buffer.from(entry.toString())
  return { name: 'event.ics', method, content: content.toString('base64'), size: content.byteLength }
}

const METHODS = { publish: 'PUBLISH', request: 'REQUEST', cancel: 'CANCEL' } as const

type ReadFile = (id: string) => Promise<Buffer | undefined>
const readerOf = (app: App) => app.memo('mail-file-reader', (): { read: ReadFile } => ({ read: async () => undefined }))

/** Sets how the bytes of stored files are read; the reader returns undefined for a file that is gone. */
export function setMailFiles(app: App, read: ReadFile): void {
  readerOf(app).read = read
}

/** The attachments with their bytes. Throws `not-found` for a stored file that was deleted in the meantime. */
export const withBytes = (app: App, attachments: readonly Attachment[] = []): Promise<Attachment[]> =>
  Promise.all(
    attachments.map(async ({ file, ...attachment }) => {
      if (file === undefined) return attachment
      const bytes = await readerOf(app).read(file)
      if (!bytes) throw new AppError('not-found', { detail: `The attached file ${attachment.name} was deleted.` })
      return { ...attachment, content: bytes.toString('base64') }
    }),
  )
