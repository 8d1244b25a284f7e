import { eq, and, getTableColumns, sql } from 'drizzle-orm'
import { z } from 'zod'
import { accessibleTo, accessOf, callerOf, callerPlaceholders, defineAction, preparedQuery } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSchema, shownNote } from './_my-note'

const findNote = preparedQuery(db =>
  db
    .select({ ...getTableColumns(notes), access: accessOf(notes, callerPlaceholders) })
    .from(notes)
    .where(and(eq(notes.id, sql.placeholder('id')), accessibleTo(notes, callerPlaceholders)))
    .prepare(),
)

export default defineAction({
  description: 'Returns one note that you can view.',
  method: 'GET',
  path: '/api/notes/:id',
  readOnly: true,
  input: z.object({ id: noteIdSchema }),
  output: z.object({ note: noteSchema }),
  async run({ id }, { db, session }) {
    return { note: await shownNote(await findNote(db).all({ ...callerOf(session), id })) }
  },
})
