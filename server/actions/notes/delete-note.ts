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
  // The note comes back as a private one. For the note of somebody else, there is no way back to its owner.
  undo: ({ before: [note], session }) =>
    note?.ownerEmail === session.email ? { action: 'create-note', input: note, ids: [String(note.id)] } : undefined,
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
