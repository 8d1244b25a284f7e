import type { Note } from '../notes/note'

/** What one can do with a note in a list: pin, archive with undo, delete. Each says in a toast how it went; the lists refresh themselves. */
export function useNoteChanges() {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()
  const update = useAction('update-note')
  const move = useAction('archive-note')
  const erase = useAction('delete-note')

  async function pin(note: Note, pinned: boolean): Promise<void> {
    try {
      await update.run({ id: note.id, pinned })
    } catch (thrown) {
      failed(t('notes.notChanged', { title: note.title }), thrown, () => pin(note, pinned))
    }
  }

  async function archive(note: Note, archived: boolean): Promise<void> {
    try {
      await move.run({ id: note.id, archived })
    } catch (thrown) {
      failed(t('notes.notChanged', { title: note.title }), thrown, () => archive(note, archived))
      return
    }
    toast.add({
      title: t(archived ? 'notes.archived' : 'notes.restored', { title: note.title }),
      icon: archived ? 'i-lucide-archive' : 'i-lucide-archive-restore',
      actions: [
        { label: t('notes.undo'), color: 'neutral', variant: 'outline', onClick: () => archive(note, !archived) },
      ],
    })
  }

  /** Throws ActionFailure, so that the dialog stays open and says why. */
  async function destroy(note: Note): Promise<void> {
    await erase.run({ id: note.id })
    toast.add({ title: t('notes.deleted', { title: note.title }), icon: 'i-lucide-trash-2' })
  }

  return { pin, archive, destroy }
}
