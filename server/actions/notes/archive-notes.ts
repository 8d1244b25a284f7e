import { z } from 'zod'
import { defineAction } from '#fw'
import { notes } from '../../database/notes'
import { myNotes, noteIdsSchema } from './_my-note'

export default defineAction({
  description: 'Archives or restores several of your notes.',
  // For the selection in the list. A host calls archive-note once for each note.
  mcp: false,
  input: z.object({ ids: noteIdsSchema, archived: z.boolean().default(true).describe('false takes them out again.') }),
  output: z.object({
    done: z.array(z.string()),
    refused: z.array(z.string()).describe('The notes that you may not change, or that are gone.'),
  }),
  async run({ ids, archived }, { db, session, now }) {
    const rows = await db
      .update(notes)
      .set({ archived, updatedAt: now() })
      .where(myNotes(ids, session, 'editor'))
      .returning({ id: notes.id })
    const done = rows.map(({ id }) => id)
    return { done, refused: ids.filter(id => !done.includes(id)) }
  },
})
