import { z } from 'zod'
import { defineAction, ORG_ROLES, team } from '#fw'
import { ORG_PERMISSIONS } from '#fairway/shared/roles'
import { emailSchema } from '#fairway/shared/schemas/email'

export default defineAction({
  description:
    'Changes the role of a member of your organization. Requires the admin or owner role. You can’t change your own role.',
  callers: ORG_PERMISSIONS['change-member-role'],
  input: z.object({
    email: emailSchema.meta({ collection: 'team-members', collectionField: 'email' }),
    role: z.enum(ORG_ROLES),
  }),
  audit: {
    keep: ['email'],
    changes: ['role'],
    async read({ email }) {
      const { members } = await team.members({ search: email, page: 1, itemsPerPage: 10 })
      return members.find(member => member.email === email)
    },
  },
  output: z.object({ email: z.string(), role: z.enum(ORG_ROLES) }),
  run: ({ email, role }) => team.changeRole(email, role),
})
