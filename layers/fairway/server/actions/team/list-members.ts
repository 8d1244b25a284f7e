import { z } from 'zod'
import { defineAction, team } from '#fw'
import { memberPageSchema } from '#fairway/shared/schemas/organization'

export default defineAction({
  description: 'Lists the members of your organization, longest-standing first.',
  readOnly: true,
  input: z.object({
    search: z.string().max(200).default('').describe('A part of the name or the address.'),
    page: z.int().min(1).max(1_000_000).default(1),
    itemsPerPage: z.int().min(1).max(100).default(30),
  }),
  output: memberPageSchema,
  run: input => team.members(input),
})
