import type { Note } from '../notes/note'

/** What the user may do with a note: edit it, or also share and delete it. */
export function useNoteAccess(note: () => Note) {
  return {
    mayChange: computed(() => note().access !== 'viewer'),
    mayShare: computed(() => note().access === 'owner' || note().access === 'admin'),
  }
}

/** The address of a note, for sharing. `copy` copies it to the clipboard and shows a toast. */
export function useNoteLink(note: () => Pick<Note, 'id' | 'title'>) {
  const { t } = useI18n()
  const toast = useToast()
  const failed = useFailureToast()

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(new URL(`/notes/${note().id}`, location.origin).href)
      toast.add({ title: t('notes.linkCopied', { title: note().title }), icon: 'i-lucide-link' })
    } catch (thrown) {
      failed(t('copy.failed'), thrown, copy)
    }
  }

  return { copy }
}
