import { z } from 'zod'
import { defineAction, ORG_ROLES, team } from '#fw'
import { emailSchema } from '#fairway/shared/schemas/email'

export default defineAction({
  description: 'Gives a member of your organization another role. Owners and admins may; nobody changes their own.',
  input: z.object({ email: emailSchema, role: z.enum(ORG_ROLES) }),
  audit: ['email'],
  output: z.object({ email: z.string(), role: z.enum(ORG_ROLES) }),
  async run({ email, role }) {
    const member = await team.changeRole(email, role)
    return { email: member.email, role: member.role }
  },
})
