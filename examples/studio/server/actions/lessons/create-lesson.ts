import { columnsFor, defineAction, inOrganization, newId, outputOf, requireCreate, requireOrganization } from '#fw'
import { lessonInput, lessons } from '../../database/lessons'

export default defineAction({
  description: 'Creates a lesson of the organization.',
  guard: requireOrganization(),
  input: lessonInput.partial({ description: true, teacher: true, photo: true }),
  output: outputOf(lessons, { omit: ['orgId'] }),
  audit: { subject: { table: lessons, title: lessons.title, path: '/lessons/{id}' } },
  async run(input, { db, session, now }) {
    await requireCreate(db, lessons, session, input)
    const [row] = await db
      .insert(lessons)
      .values({ ...input, id: newId(), ...inOrganization(session), createdAt: now(), updatedAt: now() })
      .returning(columnsFor(lessons, session))
    return row!
  },
})
