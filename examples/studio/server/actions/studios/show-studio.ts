import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { defineAction, outputOf, requireOrganization } from '#fw'
import { studios } from '../../database/studios'

export default defineAction({
  description: 'Shows how your studio appears to visitors; null before it is set up.',
  guard: requireOrganization(),
  readOnly: true,
  input: z.object({}),
  output: z.object({ studio: outputOf(studios, { omit: ['orgId'] }).nullable() }),
  async run(_input, { db, orgId }) {
    const [studio] = await db.select().from(studios).where(eq(studios.orgId, orgId))
    return { studio: studio ?? null }
  },
})
