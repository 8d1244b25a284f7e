import { z } from 'zod'
import { defineAction } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { myNote, noteColumns, noteSubject, noteSchema, shownNote } from './_my-note'

export default defineAction({
  description: 'Archives or restores one of your notes.',
  input: z.object({ id: noteIdSchema, archived: z.boolean().default(true).describe('false takes it out again.') }),
  audit: { keep: ['id'], subject: noteSubject },
  output: z.object({ note: noteSchema }),
  undo: ({ input: { id, archived } }) => ({ action: 'archive-note', input: { id, archived: !archived } }),
  async run({ id, archived }, { db, session, now }) {
    const values = { archived, updatedAt: now() }
    return {
      note: await shownNote(
        await db
          .update(notes)
          .set(values)
          .where(myNote(id, session, 'editor'))
          .returning(noteColumns(session)),
      ),
    }
  },
})
