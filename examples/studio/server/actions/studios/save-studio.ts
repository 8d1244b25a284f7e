import { and, eq, ne } from 'drizzle-orm'
import { AppError, defineAction, inOrganization, newId, outputOf, requireOrgRole } from '#fw'
import { studioInput, studios } from '../../database/studios'

export default defineAction({
  description: 'Sets the address, name, mail and time zone of your studio.',
  guard: requireOrgRole('admin'),
  input: studioInput,
  output: outputOf(studios, { omit: ['orgId'] }),
  audit: { subject: { table: studios, title: studios.name, path: '/studio', id: 'id' } },
  async run(input, { db, session, orgId }) {
    const taken = and(eq(studios.slug, input.slug), ne(studios.orgId, orgId))
    if (await db.$count(studios, taken)) throw new AppError('conflict', { detail: 'Another studio has this address.' })
    const [row] = await db
      .insert(studios)
      .values({ ...input, id: newId(), ...inOrganization(session) })
      .onConflictDoUpdate({ target: studios.orgId, set: input })
      .returning()
    return row!
  },
})
