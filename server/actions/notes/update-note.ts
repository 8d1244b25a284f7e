import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { AppError, defineAction } from '#fw'
import { noteTextSchema, noteTitleSchema } from '#shared/note'
import { noteIdSchema, notes } from '../../database/notes'
import { myNote, noteColumns, noteSubject, noteSchema, shownNote } from './_my-note'

export default defineAction({
  description:
    'Changes the title, the text or the pin of a note of yours, or of somebody who lets you edit it; what is left out stays.',
  input: z.object({
    id: noteIdSchema,
    title: z.optional(noteTitleSchema),
    text: z.optional(noteTextSchema),
    pinned: z.boolean().optional().describe('Keep it at the top of the list.'),
    ifUnchangedSince: z.iso
      .datetime()
      .optional()
      .describe('The updatedAt that you have read; when the note has changed since, nothing is written (conflict).'),
  }),
  audit: { keep: ['id'], subject: noteSubject, changes: ['title'] },
  output: z.object({ note: noteSchema }),
  async run({ id, ifUnchangedSince, ...changes }, { db, session, now }) {
    // Pinning creates no new version of the text. Each version must be later than the previous one.
    const isWritten = changes.title !== undefined || changes.text !== undefined
    const updatedAt = isWritten ? sql`max(${now().getTime()}, ${notes.updatedAt} + 1)` : sql`${notes.updatedAt}`
    const isExpected = ifUnchangedSince ? eq(notes.updatedAt, new Date(ifUnchangedSince)) : undefined
    const rows = await db
      .update(notes)
      .set({ ...changes, updatedAt })
      .where(and(myNote(id, session, 'editor'), isExpected))
      .returning(noteColumns(session))
    if (rows.length === 0 && isExpected && (await db.$count(notes, myNote(id, session, 'editor'))) > 0)
      throw new AppError('conflict', { detail: 'The note has changed since you read it. Nothing is written.' })
    return { note: await shownNote(rows) }
  },
})
