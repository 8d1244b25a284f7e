import { z } from 'zod'
import { defineAction, newId, ownedBy } from '#fw'
import { noteTextSchema, noteTitleSchema } from '#shared/note'
import { notes } from '../../database/notes'
import { noteSchema, noteSubject, shownNote } from './_my-note'

export default defineAction({
  description: 'Creates a note that only you can see.',
  input: z.object({
    title: noteTitleSchema,
    text: z._default(noteTextSchema, ''),
    pinned: z.boolean().default(false).describe('Keep it at the top of the list.'),
  }),
  audit: { subject: { ...noteSubject, id: 'note.id' } },
  output: z.object({ note: noteSchema }),
  async run(input, { db, session, now }) {
    const row = {
      ...input,
      id: newId(),
      ...ownedBy(session),
      visibility: 'private' as const,
      archived: false,
      createdAt: now(),
      updatedAt: now(),
    }
    await db.insert(notes).values(row)
    return { note: await shownNote([{ ...row, access: 'owner' as const }]) }
  },
})
