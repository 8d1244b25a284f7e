import { z } from 'zod'
import { defineAction } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { foundNote, myNote, noteColumns, noteSubject } from './_my-note'

export default defineAction({
  description: 'Permanently deletes one of your notes.',
  destructive: true,
  input: z.object({ id: noteIdSchema }),
  audit: { keep: ['id'], subject: noteSubject },
  output: z.object({ id: z.string() }),
  async run({ id }, { db, session }) {
    return {
      id: foundNote(
        await db
          .delete(notes)
          .where(myNote(id, session, 'admin'))
          .returning(noteColumns(session)),
      ).id,
    }
  },
})
