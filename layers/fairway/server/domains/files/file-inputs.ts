// Files in the input of an action: the ticket of an upload, or a file that the row already has. People cannot attach files that
// others uploaded.
import { inArray } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldError } from '#fairway/server/kernel/http/field-errors'
import type { FieldErrorCode } from '#fairway/shared/field-errors'
import type { FieldError } from '#fairway/shared/schemas/problem'
import type { Session } from '#fairway/shared/schemas/session'
import { files } from './tables'
import { readTicket } from './ticket'

type Input = Readonly<Record<string, unknown>>

interface Asked {
  session: Session | null
  /** The fields that take files, each with the name of its upload. */
  fields: ReadonlyMap<string, string>
  /** The ID of the row that is changed; undefined for a new row. */
  rowId: unknown
}

type FileRow = typeof files.$inferSelect

/**
 * Replaces the tickets in the input with the ids of their files. Throws `invalid-input` with each field that names a file it may
 * not use.
 */
export async function resolveFiles<T extends Input>(app: App, input: T, asked: Asked): Promise<T> {
  const given = [...asked.fields].flatMap(([field, upload]) =>
    textsOf(input[field]).map(text => ({
      path: field,
      upload,
      text,
      ticket: readTicket(app, text),
    })),
  )
  if (given.length === 0) return input
  const ids = given.map(({ text, ticket }) => ticket?.file ?? text)
  const rows = new Map((await app.db.orm.select().from(files).where(inArray(files.id, ids))).map(row => [row.id, row]))
  const errors = given.flatMap((each, at): FieldError[] => {
    const fault = faultOf(app, each, rows.get(ids[at] ?? ''), asked)
    return fault ? [fieldError(each.path, fault)] : []
  })
  if (errors.length > 0) throw new AppError('invalid-input', { errors })
  const known = new Map(given.map(({ text }, at) => [text, ids[at]]))
  const toId = (text: string) => known.get(text) ?? text
  const resolved = [...asked.fields.keys()].flatMap(field => {
    const value = input[field]
    if (typeof value === 'string') return [[field, toId(value)]]
    return Array.isArray(value) ? [[field, [...new Set(textsOf(value).map(toId))]]] : []
  })
  return { ...input, ...Object.fromEntries(resolved) }
}

const textsOf = (value: unknown): string[] => [value].flat().filter(each => typeof each === 'string')

interface Given {
  upload: string
  ticket: ReturnType<typeof readTicket>
}

function faultOf(
  app: App,
  { upload, ticket }: Given,
  row: FileRow | undefined,
  { session, rowId }: Asked,
): FieldErrorCode | undefined {
  if (!session || (row && row.upload !== upload)) return 'no-such-file'
  const isOfRow = row !== undefined && isHeld(row, session.orgId, rowId)
  if (!ticket) return isOfRow ? undefined : 'no-such-file'
  if (!isFor(ticket, session)) return 'no-such-file'
  if (!row || ticket.until <= app.now().getTime()) return 'upload-expired'
  // A retried call may send the ticket of a file that its row already has.
  return row.state === 'pending' || isOfRow ? undefined : 'no-such-file'
}

const isFor = (ticket: { userId: string; orgId: string }, { userId, orgId }: Session): boolean =>
  ticket.userId === userId && ticket.orgId === orgId

const isHeld = (row: FileRow, orgId: string | null, rowId: unknown): boolean =>
  (row.state === 'kept' || row.state === 'unwanted') && row.orgId === orgId && row.rowId === rowId
