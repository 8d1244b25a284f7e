import { z } from 'zod'
import { defineAction, emailSchema, unshareRow } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSubject } from './_my-note'

export default defineAction({
  description: 'Stops sharing one of your notes with a person, or leaves a note shared with you.',
  input: z.object({
    id: noteIdSchema,
    email: emailSchema.meta({ collection: 'team-members', collectionField: 'email' }),
  }),
  audit: { keep: ['id', 'email'], subject: noteSubject },
  output: z.object({ id: z.string(), email: z.string() }),
  async run({ id, email }, { db, session }) {
    await unshareRow(db, notes, session, { id, email })
    return { id, email }
  },
})
