import { and, desc, or } from 'drizzle-orm'
import { z } from 'zod'
import { accessibleTo, containsText, defineAction } from '#fw'
import { notes } from '../../database/notes'
import { noteColumns, noteSchema, withOwners } from './_my-note'

const MOST_FOUND = 50

export default defineAction({
  description: 'Searches titles and texts of your notes and notes shared with you, including archived ones.',
  readOnly: true,
  input: z.object({
    query: z.string().trim().min(1).max(200).describe('The text to look for; case and accents do not matter.'),
  }),
  output: z.object({ notes: z.array(noteSchema) }),
  async run({ query }, { db, session }) {
    const contains = or(containsText(notes.title, query), containsText(notes.text, query))
    const rows = await db
      .select(noteColumns(session))
      .from(notes)
      .where(and(accessibleTo(notes, session), contains))
      .orderBy(desc(notes.pinned), desc(notes.updatedAt), desc(notes.id))
      .limit(MOST_FOUND)
    return { notes: await withOwners(rows) }
  },
})
