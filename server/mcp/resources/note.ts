import { and, desc, eq } from 'drizzle-orm'
import { accessibleTo, AppError, defineMcpResource } from '#fw'
import { notes } from '../../database/notes'

const MOST_LISTED = 100
const MOST_OFFERED = 20

export default defineMcpResource({
  uri: 'notes://note/{id}',
  title: 'A note',
  description: 'One of your notes or a note shared with you, as Markdown.',
  mimeType: 'text/markdown',
  async read({ id = '' }, { db, session }) {
    const [note] = await db
      .select({ title: notes.title, text: notes.text })
      .from(notes)
      .where(and(accessibleTo(notes, session), eq(notes.id, id)))
    if (!note) throw new AppError('not-found')
    return `# ${note.title}\n\n${note.text}\n`
  },
  async list({ db, session }) {
    const rows = await db
      .select({ id: notes.id, title: notes.title })
      .from(notes)
      .where(and(accessibleTo(notes, session), eq(notes.archived, false)))
      .orderBy(desc(notes.updatedAt), desc(notes.id))
      .limit(MOST_LISTED)
    return rows.map(({ id, title }) => ({ uri: `notes://note/${id}`, title }))
  },
  complete: {
    async id(typed, { db, session }) {
      const rows = await db
        .select({ id: notes.id })
        .from(notes)
        .where(accessibleTo(notes, session))
        .orderBy(desc(notes.updatedAt), desc(notes.id))
        .limit(MOST_LISTED)
      return rows
        .map(({ id }) => id)
        .filter(id => id.startsWith(typed))
        .slice(0, MOST_OFFERED)
    },
  },
})
