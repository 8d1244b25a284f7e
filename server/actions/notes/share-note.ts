import { z } from 'zod'
import { defineAction, emailSchema, SHARE_ROLES, shareRow } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSubject } from './_my-note'

export default defineAction({
  description: 'Shares one of your notes with a member of your organization, or changes their permission.',
  input: z.object({
    id: noteIdSchema,
    email: emailSchema.meta({ collection: 'team-members', collectionField: 'email' }),
    role: z
      .enum(SHARE_ROLES)
      .default('viewer')
      .describe('viewer reads, editor changes, admin also shares and deletes.'),
  }),
  audit: { keep: ['id', 'email'], subject: noteSubject },
  output: z.object({ id: z.string(), email: z.string(), role: z.enum(SHARE_ROLES) }),
  async run({ id, email, role }, { db, session, now }) {
    await shareRow(db, notes, session, { id, email, role, now: now() })
    return { id, email, role }
  },
})
