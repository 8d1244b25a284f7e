import { z } from 'zod'
import { defineAction, requireOrgRole, setPlan } from '#fw'

export default defineAction({
  description: 'Moves your studio to another plan.',
  guard: requireOrgRole('owner'),
  mcp: false,
  input: z.object({ plan: z.enum(['free', 'studio']) }),
  // A product takes a payment first: docs/recipes/stripe.md.
  async run({ plan }, { db, orgId }) {
    await setPlan(db, orgId, plan)
  },
})
