import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, defineAction } from '#fw'
import { notes, publishedNotes } from '../../database/notes'

export default defineAction({
  description: 'Returns what the public page of a note shows.',
  public: true,
  readOnly: true,
  mcp: false,
  input: z.object({ id: z.string().min(1).max(64) }),
  output: z.object({ title: z.string(), text: z.string() }),
  async run({ id }, { db }) {
    const [note] = await db
      .select({ title: notes.title, text: notes.text })
      .from(publishedNotes)
      .innerJoin(notes, eq(notes.id, publishedNotes.noteId))
      .where(eq(publishedNotes.noteId, id))
    if (!note) throw new AppError('not-found')
    return note
  },
})
