import { z } from 'zod'
import { defineMcpPrompt } from '#fw'

const styles = ['one paragraph', 'bullet points', 'a table']

const MOST_SUBJECTS = 10
const LAST_SUBJECTS = 'notes.summary-subjects'
const LAST_STYLE = 'notes.summary-style'
const subjectsSchema = z.array(z.string())

export default defineMcpPrompt({
  title: 'Summarize my notes',
  description: 'Summarizes the notes about a subject.',
  args: z.object({
    subject: z.string().trim().min(1).max(200).describe('What the notes are about.'),
    style: z.string().max(100).optional().describe('The form of the summary; the last one you chose if left out.'),
  }),
  complete: {
    subject: async (typed, { state }) =>
      ((await state.get(LAST_SUBJECTS, subjectsSchema)) ?? []).filter(subject => subject.startsWith(typed)),
    style: typed => styles.filter(style => style.startsWith(typed)),
  },
  async build({ subject, style }, { state, settings }) {
    // The subject of the summary belongs to the organization. The preferred style follows the user.
    await state.update(
      LAST_SUBJECTS,
      before => [...new Set([subject, ...(before ?? [])])].slice(0, MOST_SUBJECTS),
      subjectsSchema,
    )
    if (style) await settings.set(LAST_STYLE, style)
    const form = style ?? (await settings.get(LAST_STYLE, z.string())) ?? 'bullet points'
    return (
      `Call search-notes with the query ${JSON.stringify(subject)}. Sum up what you find as ${form}. ` +
      'Name the title of the note behind each point, and say so when there is none.'
    )
  },
})
