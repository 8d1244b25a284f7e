import { z } from 'zod'
import { defineAction } from '#fw'
import { noteIdSchema, notes, noteSchema, noteTextSchema, noteTitleSchema } from '../../database/notes'
import { foundNote, myNote, noteColumns, noteSubject } from './_my-note'

export default defineAction({
  description:
    'Changes the title, the text or the pin of a note of yours, or of somebody who lets you edit it; what is left out stays.',
  input: z.object({
    id: noteIdSchema,
    title: noteTitleSchema.optional(),
    text: noteTextSchema.optional(),
    pinned: z.boolean().optional().describe('Keep it at the top of the list.'),
  }),
  audit: { keep: ['id'], subject: noteSubject },
  output: z.object({ note: noteSchema }),
  async run({ id, ...changes }, { db, session, now }) {
    const values = { ...changes, updatedAt: now() }
    return {
      note: foundNote(
        await db
          .update(notes)
          .set(values)
          .where(myNote(id, session, 'editor'))
          .returning(noteColumns(session)),
      ),
    }
  },
})
