import { z } from 'zod'
import { defineAction, newId } from '#fw'
import { notes, noteSchema, noteTextSchema, noteTitleSchema, toNote } from '../../database/notes'

export default defineAction({
  description: 'Creates a note that only you can see.',
  input: z.object({
    title: noteTitleSchema,
    text: noteTextSchema.default(''),
    pinned: z.boolean().default(false).describe('Keep it at the top of the list.'),
  }),
  output: z.object({ note: noteSchema }),
  async run(input, { db, session, orgId, now }) {
    const row = {
      ...input,
      id: newId(),
      ownerEmail: session.email,
      orgId,
      archived: false,
      createdAt: now(),
      updatedAt: now(),
    }
    await db.insert(notes).values(row)
    return { note: toNote(row) }
  },
})
