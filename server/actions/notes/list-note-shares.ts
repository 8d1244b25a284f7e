import { z } from 'zod'
import { defineAction, listShares, listTeamShares, SHARE_ROLES } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'

export default defineAction({
  description: 'Lists the people and teams one of your notes is shared with.',
  readOnly: true,
  input: z.object({ id: noteIdSchema }),
  output: z.object({
    shares: z.array(
      z.object({
        userId: z.string(),
        email: z.string(),
        name: z.string(),
        image: z.string().nullable(),
        role: z.enum(SHARE_ROLES),
      }),
    ),
    teams: z.array(z.object({ teamId: z.string(), name: z.string(), people: z.int(), role: z.enum(SHARE_ROLES) })),
  }),
  async run({ id }, { db, session }) {
    return {
      shares: await listShares(db, notes, session, id),
      teams: await listTeamShares(db, notes, session, id),
    }
  },
})
