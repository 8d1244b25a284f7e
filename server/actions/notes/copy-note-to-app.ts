import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { accessibleTo, AppError, defineAction } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSubject } from './_my-note'

const copySchema = z.object({ note: z.object({ id: z.string(), title: z.string() }) })

export default defineAction({
  description: 'Copies a note you can view to another application, as a private note of yours.',
  // It can do nothing unless an application is configured, so hosts don't see it.
  mcp: false,
  external: true,
  input: z.object({
    id: noteIdSchema,
    app: z.string().max(63).describe('The name of the application, as FW_PEERS has it.'),
  }),
  audit: { keep: ['id', 'app'], subject: noteSubject },
  output: z.object({ app: z.string(), note: copySchema.shape.note }),
  async run({ id, app }, { db, session, peers }) {
    const [original] = await db
      .select({ title: notes.title, text: notes.text })
      .from(notes)
      .where(and(eq(notes.id, id), accessibleTo(notes, session)))
    if (!original) throw new AppError('not-found')
    const { note } = await peers.call(app, 'create-note', original, { output: copySchema })
    return { app, note: { id: note.id, title: note.title } }
  },
})
