import { z } from 'zod'
import { defineAction, ORG_ROLES, team } from '#fw'

export default defineAction({
  description: 'Lists the members of your organization, longest-standing first.',
  readOnly: true,
  input: z.object({
    search: z.string().max(200).default('').describe('A part of the name or the address.'),
    page: z.int().min(1).max(1_000_000).default(1),
    itemsPerPage: z.int().min(1).max(100).default(30),
  }),
  output: z.object({
    members: z.array(
      z.object({
        userId: z.string(),
        email: z.string(),
        name: z.string(),
        image: z.string().nullable(),
        role: z.enum(ORG_ROLES),
        joinedAt: z.string(),
        lastActiveAt: z.string().nullable().describe('Null for whoever may not see it.'),
      }),
    ),
    totalItems: z.int(),
  }),
  run: input => team.members(input),
})
