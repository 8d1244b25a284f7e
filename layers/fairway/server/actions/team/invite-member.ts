import { z } from 'zod'
import { AppError, defineAction, ORG_ROLES, team } from '#fw'
import { ORG_PERMISSIONS } from '#fairway/shared/roles'
import { emailSchema } from '#fairway/shared/schemas/email'

export default defineAction({
  description: 'Invites a person to your organization by email. Requires the admin or owner role.',
  callers: ORG_PERMISSIONS['invite-member'],
  input: z.object({ email: emailSchema, role: z.enum(ORG_ROLES).default('member') }),
  audit: ['email'],
  output: z.object({
    id: z.string(),
    email: z.string(),
    role: z.enum(ORG_ROLES),
    expiresAt: z.string(),
    emailSent: z.boolean(),
  }),
  async run(input) {
    const { invited, failed } = await team.invite([input])
    if (failed[0]) throw new AppError(failed[0].code)
    if (!invited[0]) throw new AppError('conflict')
    return invited[0]
  },
})
