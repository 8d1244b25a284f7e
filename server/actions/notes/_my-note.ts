import { and, eq, getTableColumns, inArray, type SQL } from 'drizzle-orm'
import { z } from 'zod'
import {
  accessibleTo,
  accessOf,
  AppError,
  outputOf,
  type Session,
  SHARE_ROLES,
  type ShareRole,
  shownPersonSchema,
  withPeople,
} from '#fw'
import { noteIdSchema, notes } from '../../database/notes'

/** A note as every surface shows it: the row without its organization, plus its owner and what the caller may do with it. */
export const noteSchema = outputOf(notes, {
  omit: ['orgId'],
  extend: {
    owner: shownPersonSchema,
    access: z
      .enum(['owner', ...SHARE_ROLES])
      .describe('viewer reads, editor changes, admin and owner also share and delete.'),
  },
})

/** How the audit log and the home page name a note: for people who may read it, with a link. */
export const noteSubject = { table: notes, title: notes.title, path: '/notes/{id}' } as const

/** The condition that finds one note for which this user has at least this role. */
export const myNote = (id: string, session: Session, role: ShareRole): SQL | undefined =>
  and(eq(notes.id, id), accessibleTo(notes, session, role))

/** As `myNote`, for several notes. */
export const myNotes = (ids: readonly string[], session: Session, role: ShareRole): SQL | undefined =>
  and(inArray(notes.id, [...ids]), accessibleTo(notes, session, role))

export const noteIdsSchema = z.array(noteIdSchema).min(1).max(100).describe('The ids of the notes.')

/** The columns that actions read of a note. */
export const noteColumns = (session: Session) => ({ ...getTableColumns(notes), access: accessOf(notes, session) })

/** The notes with their owners. */
export const withOwners = <Row extends { ownerEmail: string }>(rows: readonly Row[]) =>
  withPeople(rows, { owner: 'ownerEmail' })

/** Returns the note with its owner. Throws `not-found` when the user has no note with the required role. */
export const shownNote = async <Row extends { ownerEmail: string }>(rows: readonly Row[]) =>
  foundNote(await withOwners(rows))

/** Returns the note. Throws `not-found` when the user has no note with the required role. */
export function foundNote<Note>([note]: Note[]): Note {
  if (!note) throw new AppError('not-found', { detail: 'You have no note with this id that you may change.' })
  return note
}
