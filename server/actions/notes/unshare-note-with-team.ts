import { z } from 'zod'
import { defineAction, unshareRow } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSubject } from './_my-note'

export default defineAction({
  description: 'Stops sharing one of your notes with a team.',
  input: z.object({ id: noteIdSchema, teamId: z.string().max(64).meta({ collection: 'organization-teams' }) }),
  audit: { keep: ['id', 'teamId'], subject: noteSubject },
  output: z.object({ id: z.string(), teamId: z.string() }),
  async run({ id, teamId }, { db, session }) {
    await unshareRow(db, notes, session, { id, teamId })
    return { id, teamId }
  },
})
