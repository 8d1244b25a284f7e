import { and, eq } from 'drizzle-orm'
import { accessDenied, accessibleTo, columnsFor, defineAction, outputOf, requireOrganization } from '#fw'
import { lessonId, lessonInput, lessons } from '../../database/lessons'

export default defineAction({
  description: 'Changes a lesson; what is left out stays.',
  guard: requireOrganization(),
  input: lessonInput.partial().extend({ id: lessonId }),
  output: outputOf(lessons, { omit: ['orgId'] }),
  audit: { keep: ['id'], subject: { table: lessons, title: lessons.title, path: '/lessons/{id}' } },
  async run({ id, ...changes }, { db, session, now }) {
    const [row] = await db
      .update(lessons)
      .set({ ...changes, updatedAt: now() })
      .where(and(eq(lessons.id, id), accessibleTo(lessons, session, 'update', changes)))
      .returning(columnsFor(lessons, session))
    if (!row) throw await accessDenied(db, lessons, session, { id, to: 'update', changes })
    return row
  },
})
