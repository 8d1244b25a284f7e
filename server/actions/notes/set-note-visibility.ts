import { z } from 'zod'
import { defineAction, setVisibility } from '#fw'
import { noteIdSchema, notes } from '../../database/notes'
import { noteSubject } from './_my-note'

const visibilitySchema = z.enum(notes.visibility.enumValues)

export default defineAction({
  description:
    'Lets every member of your organization read one of your notes, or edit it too, or nobody but those it is shared with.',
  input: z.object({ id: noteIdSchema, visibility: visibilitySchema }),
  audit: { keep: ['id'], subject: noteSubject },
  output: z.object({ id: z.string(), visibility: visibilitySchema }),
  async run({ id, visibility }, { db, session }) {
    await setVisibility(db, notes, session, { id, visibility })
    return { id, visibility }
  },
})
