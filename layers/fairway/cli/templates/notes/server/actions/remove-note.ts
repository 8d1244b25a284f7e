import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { accessibleTo, AppError, defineAction } from '#fw'
import { notes } from '../database/notes'

export default defineAction({
  description: 'Removes one of your notes for good.',
  destructive: true,
  input: z.object({ id: z.string().min(1).max(64).describe('The id of the note.') }),
  output: z.object({ id: z.string() }),
  async run({ id }, { db, session }) {
    const mine = and(eq(notes.id, id), accessibleTo(notes, session, 'admin'))
    const [removed] = await db.delete(notes).where(mine).returning({ id: notes.id })
    if (!removed) throw new AppError('not-found')
    return removed
  },
})
