import { and, eq, inArray, sql } from 'drizzle-orm'
import { z } from 'zod'
import { defineAction, requirePermission } from '#fw'
import { notes } from '../../database/notes'

export default defineAction({
  description: 'Deletes archived notes that are visible to the whole organization. A dry run counts them.',
  destructive: true,
  guard: requirePermission('notes:purge'),
  input: z.object({ dryRun: z.boolean().default(true).describe('false deletes them for good.') }),
  output: z.object({ notes: z.int(), deleted: z.boolean() }),
  async run({ dryRun }, { db, orgId }) {
    const isGoing = and(
      eq(notes.orgId, orgId),
      inArray(notes.visibility, ['org', 'org-edit']),
      eq(notes.archived, true),
    )
    if (dryRun) return { notes: await db.$count(notes, isGoing), deleted: false }
    const gone = await db
      .delete(notes)
      .where(isGoing)
      .returning({ one: sql`1` })
    return { notes: gone.length, deleted: true }
  },
})
