import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { defineAction } from '#fw'
import { noteIdSchema, notes, publishedNotes } from '../../database/notes'
import { foundNote, myNote, noteSubject } from './_my-note'

export default defineAction({
  description: 'Gives one of your notes a public page, which everyone can read, or takes the page away.',
  input: z.object({ id: noteIdSchema, published: z.boolean().default(true) }),
  audit: { keep: ['id', 'published'], subject: noteSubject },
  output: z.object({ path: z.string().nullable() }),
  async run({ id, published }, { db, session, now }) {
    foundNote(
      await db
        .select({ id: notes.id })
        .from(notes)
        .where(myNote(id, session, 'admin')),
    )
    await (published
      ? db.insert(publishedNotes).values({ noteId: id, publishedAt: now() }).onConflictDoNothing()
      : db.delete(publishedNotes).where(eq(publishedNotes.noteId, id)))
    return { path: published ? `/p/${id}` : null }
  },
})
