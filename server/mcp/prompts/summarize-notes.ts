import { z } from 'zod'
import { defineMcpPrompt } from '#fw'

const styles = ['one paragraph', 'bullet points', 'a table']

export default defineMcpPrompt({
  title: 'Summarize my notes',
  description: 'Reads the notes about a subject and sums them up.',
  args: z.object({
    subject: z.string().trim().min(1).max(200).describe('What the notes are about.'),
    style: z.string().max(100).default('bullet points').describe('The form of the summary.'),
  }),
  complete: { style: typed => styles.filter(style => style.startsWith(typed)) },
  build: ({ subject, style }) =>
    `Call search-notes with the query ${JSON.stringify(subject)}. Sum up what you find as ${style}. ` +
    'Name the title of the note behind each point, and say so when there is none.',
})
