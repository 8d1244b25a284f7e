import { z } from 'zod'
import { defineAction, SHARE_ROLES, shareRow } from '#fw'
import { teamSchema } from 'nuxt-fairway/tables'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSubject } from './_my-note'

export default defineAction({
  description: 'Shares one of your notes with a team of your organization, or changes its permission.',
  input: z.object({
    id: noteIdSchema,
    teamId: teamSchema,
    role: z
      .enum(SHARE_ROLES)
      .default('viewer')
      .describe('viewer reads, editor changes, admin also shares and deletes.'),
  }),
  audit: { keep: ['id', 'teamId'], subject: noteSubject },
  output: z.object({ id: z.string(), teamId: z.string(), role: z.enum(SHARE_ROLES) }),
  async run({ id, teamId, role }, { db, session, now }) {
    await shareRow(db, notes, session, { id, teamId, role, now: now() })
    return { id, teamId, role }
  },
})
