import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { seal, unseal } from '#fairway/server/kernel/crypto/seal'
import type { Session } from '#fairway/shared/schemas/session'
import { sql } from 'drizzle-orm'
import type { NamedValues } from '#fairway/server/kernel/named-values'
import type { FieldErrorCode } from '#fairway/shared/field-errors'
import { files } from './tables'

const PURPOSE = 'file-ticket'
const LIFE_IN_MS = 24 * 60 * 60 * 1000

const ticketSchema = z.object({
  file: z.string(),
  upload: z.string(),
  userId: z.string(),
  orgId: z.string(),
  until: z.number(),
})

type Ticket = z.output<typeof ticketSchema>

/**
 * Creates a ticket that lets this person, in this organization, attach the file to a row for one day. The file id is no
 * permission, because everyone who can see the row knows it.
 */
export const issueTicket = (app: App, { userId, orgId }: Session, file: { id: string; upload: string }): string =>
  seal(
    app.config.keys,
    PURPOSE,
    JSON.stringify({
      file: file.id,
      upload: file.upload,
      userId,
      orgId,
      until: app.now().getTime() + LIFE_IN_MS,
    } satisfies Omit<Ticket, 'orgId'> & { orgId: string | null }),
    PURPOSE,
  )

/** Reads a ticket; undefined when the text is not one of ours. */
export function readTicket(app: App, text: string): Ticket | undefined {
  try {
    return ticketSchema.safeParse(JSON.parse(unseal(app.config.keys, PURPOSE, text, PURPOSE))).data
  } catch {
    return undefined
  }
}

type FileRow = typeof files.$inferSelect
type Named = ReturnType<NamedValues['file']>

/**
 * Returns, for each of these texts and an upload, the id of the file that this person may use, or the fault. A text is the ticket
 * of an upload, or the id of a file that a row has; `isOfNamedRow` says whether the input changes that row.
 */
export async function checkFiles(
  app: App,
  session: Session | null,
  texts: readonly string[],
  isOfNamedRow: (file: string, row: string) => boolean,
): Promise<NamedValues['file']> {
  const tickets = new Map(texts.map(text => [text, readTicket(app, text)]))
  const ids = JSON.stringify(texts.map(text => tickets.get(text)?.file ?? text))
  const isNamed = sql`${files.id} in (select value from json_each(${ids}))`
  const fileRows = texts.length > 0 ? await app.db.orm.select().from(files).where(isNamed) : []
  const rows = new Map(fileRows.map(row => [row.id, row]))
  return (upload, text): Named => {
    const ticket = tickets.get(text)
    const id = ticket?.file ?? text
    const row = rows.get(id)
    if (!session || (row && row.upload !== upload)) return { fault: 'no-such-file' }
    const isOfRow = row !== undefined && isHeld(row, session.orgId) && isOfNamedRow(text, row.rowId ?? '')
    const fault = ticket ? ticketFault(app, session, ticket, row, isOfRow) : isOfRow ? undefined : 'no-such-file'
    return fault ? { fault } : { id }
  }
}

function ticketFault(
  app: App,
  session: Session,
  ticket: NonNullable<ReturnType<typeof readTicket>>,
  row: FileRow | undefined,
  isOfRow: boolean,
): FieldErrorCode | undefined {
  if (!isFor(ticket, session)) return 'no-such-file'
  if (!row || ticket.until <= app.now().getTime()) return 'upload-expired'
  // A retried call may send the ticket of a file that its row already has.
  return row.state === 'pending' || isOfRow ? undefined : 'no-such-file'
}

const isFor = (ticket: { userId: string; orgId: string }, { userId, orgId }: Session): boolean =>
  ticket.userId === userId && ticket.orgId === orgId

const isHeld = ({ state, orgId }: FileRow, org: string | null): boolean =>
  (state === 'kept' || state === 'unwanted') && orgId === org
