import { defineAction, importInput, importOutput, importRows, inOrganization, newId, requireOrganization } from '#fw'
import { lessonInput, lessons } from '../../database/lessons'

export default defineAction({
  description: 'Creates many lessons at once, or none where one of them is not valid.',
  guard: requireOrganization(),
  input: importInput,
  output: importOutput,
  audit: { subject: { table: lessons, title: lessons.title, id: 'ids', path: '/lessons/{id}' } },
  maxBodyBytes: 8 * 1024 * 1024,
  timeout: 60,
  run: ({ rows, dryRun }, context) => {
    const { session, now } = context
    return importRows(lessons, context, {
      rows,
      dryRun,
      input: lessonInput.partial({ description: true, teacher: true, photo: true }),
      values: input => ({ ...input, id: newId(), ...inOrganization(session), createdAt: now(), updatedAt: now() }),
    })
  },
})
