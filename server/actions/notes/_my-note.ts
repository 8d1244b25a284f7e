import { and, eq, type SQL } from 'drizzle-orm'
import { AppError, type Session } from '#fw'
import { notes, toNote } from '../../database/notes'

/** The condition that finds one note of this person and nobody else's. */
export const myNote = (id: string, session: Session): SQL | undefined =>
  and(eq(notes.id, id), eq(notes.ownerEmail, session.email))

/** The changed note; throws `not-found` when there was none of this person. */
export function foundNote(rows: (typeof notes.$inferSelect)[]) {
  const [row] = rows
  if (!row) throw new AppError('not-found', { detail: 'You have no note with this id.' })
  return toNote(row)
}
