import type { Note } from '../notes/note'

interface NoteChanges {
  /** Called with the changed note when the page shows that note. */
  changed?: (note: Note) => void
}

const DELETED = 'i-lucide-trash-2'
const asNotes = (ids: readonly string[], values: Partial<Note>) =>
  ids.map(id => ({ collection: 'note-list' as const, id, values }))
const iconOf = (archived: boolean) => (archived ? 'i-lucide-archive' : 'i-lucide-archive-restore')

/**
 * Changes to notes: pin, archive with undo, delete. Lists and notes show a change before the server answers, and revert it on
 * failure. A toast reports each outcome.
 */
export function useNoteChanges({ changed }: NoteChanges = {}) {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const update = useAction('update-note', { optimistic: ({ id, pinned }) => asNotes([id], { pinned }) })
  const move = useAction('archive-note', { optimistic: ({ id, archived }) => asNotes([id], { archived }) })
  const moveMany = useAction('archive-notes', { optimistic: ({ ids, archived }) => asNotes(ids, { archived }) })
  const erase = useAction('delete-note')
  const eraseMany = useAction('delete-notes')

  const undo = (onClick: () => unknown) => [{ label: t('notes.undo'), onClick: () => void onClick() }]

  async function pin(note: Note, pinned: boolean): Promise<void> {
    try {
      const answer = await update.run({ id: note.id, pinned })
      changed?.(answer.note)
    } catch (thrown) {
      failed(t('notes.notChanged', { title: note.title }), thrown, () => pin(note, pinned))
    }
  }

  async function archive(note: Note, archived: boolean): Promise<void> {
    try {
      const answer = await move.run({ id: note.id, archived })
      changed?.(answer.note)
    } catch (thrown) {
      failed(t('notes.notChanged', { title: note.title }), thrown, () => archive(note, archived))
      return
    }
    toast.add({
      title: t(archived ? 'notes.archived' : 'notes.restored', { title: note.title }),
      icon: iconOf(archived),
      actions: undo(() => archive(note, !archived)),
    })
  }

  /** Archives or restores several notes, and reports how many succeeded and failed. */
  async function archiveMany(ids: readonly string[], archived: boolean): Promise<void> {
    try {
      const { done, refused } = await moveMany.run({ ids: [...ids], archived })
      toast.add({
        title: t(archived ? 'notes.bulk.archived' : 'notes.bulk.restored', done.length),
        description: refused.length > 0 ? t('notes.bulk.refused', refused.length) : undefined,
        icon: iconOf(archived),
        actions: done.length > 0 ? undo(() => archiveMany(done, !archived)) : [],
      })
    } catch (thrown) {
      failed(t('notes.bulk.failed', ids.length), thrown, () => archiveMany(ids, archived))
    }
  }

  /** Throws ActionFailure, which keeps the dialog open and shows the reason. */
  async function destroy(notes: readonly Note[]): Promise<void> {
    const [only] = notes
    if (only && notes.length === 1) {
      await erase.run({ id: only.id })
      toast.add({ title: t('notes.deleted', { title: only.title }), icon: DELETED })
      return
    }
    const { done, refused } = await eraseMany.run({ ids: notes.map(({ id }) => id) })
    const description = refused.length > 0 ? t('notes.bulk.refused', refused.length) : undefined
    toast.add({ title: t('notes.bulk.deleted', done.length), description, icon: DELETED })
  }

  return { pin, archive, archiveMany, destroy }
}
