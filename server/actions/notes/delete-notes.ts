import { z } from 'zod'
import { defineAction } from '#fw'
import { notes } from '../../database/notes'
import { myNotes, noteIdsSchema } from './_my-note'

export default defineAction({
  description: 'Permanently deletes several of your notes.',
  // For the selection in the list. A host calls delete-note once for each note.
  mcp: false,
  destructive: true,
  input: z.object({ ids: noteIdsSchema }),
  output: z.object({
    done: z.array(z.string()),
    refused: z.array(z.string()).describe('The notes that you may not delete, or that are gone.'),
  }),
  async run({ ids }, { db, session }) {
    const rows = await db
      .delete(notes)
      .where(myNotes(ids, session, 'admin'))
      .returning({ id: notes.id })
    const done = rows.map(({ id }) => id)
    return { done, refused: ids.filter(id => !done.includes(id)) }
  },
})
