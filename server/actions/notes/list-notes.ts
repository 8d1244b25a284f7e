import { and, desc, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { defineAction } from '#fw'
import { notes, noteSchema, toNote } from '../../database/notes'

export default defineAction({
  description: 'Lists your notes, pinned ones first, then the latest changed.',
  readOnly: true,
  input: z.object({
    archived: z.boolean().default(false).describe('true lists the archive instead.'),
    page: z.int().min(1).max(1_000_000).default(1),
    itemsPerPage: z.int().min(1).max(100).default(30),
  }),
  output: z.object({ notes: z.array(noteSchema), totalItems: z.int() }),
  async run({ archived, page, itemsPerPage }, { db, session }) {
    const mine = and(eq(notes.ownerEmail, session.email), eq(notes.archived, archived))
    const rows = await db
      .select({ note: notes, total: sql<number>`count(*) over ()` })
      .from(notes)
      .where(mine)
      .orderBy(desc(notes.pinned), desc(notes.updatedAt), desc(notes.id))
      .limit(itemsPerPage)
      .offset((page - 1) * itemsPerPage)
    // A page beyond the last one has no row that could carry the total.
    const totalItems = rows[0]?.total ?? (page === 1 ? 0 : await db.$count(notes, mine))
    return { notes: rows.map(row => toNote(row.note)), totalItems }
  },
})
