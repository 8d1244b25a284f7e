import type { ActionTypes } from '#fw/action-types'
import type { Note } from '../notes/note'

export type NoteShare = ActionTypes['list-note-shares']['output']['shares'][number]
export type ShareRole = NoteShare['role']

/** With whom one note is shared, and changing that. */
export function useNoteShares(note: Note) {
  const { t } = useI18n()
  const toast = useToast()
  const list = useAction('list-note-shares')
  const add = useAction('share-note')
  const take = useAction('unshare-note')
  const show = useAction('set-note-visibility')
  const shares = shallowRef<readonly NoteShare[]>()
  const visibility = ref(note.visibility)
  const pending = computed(() => add.pending.value || take.pending.value || show.pending.value)
  const failure = computed(() => add.error.value ?? take.error.value ?? show.error.value)

  async function load(): Promise<void> {
    const answer = await list.run({ id: note.id }).catch(() => undefined)
    if (answer) shares.value = answer.shares
  }

  async function setVisibility(wanted: Note['visibility']): Promise<void> {
    const answer = await show.run({ id: note.id, visibility: wanted }).catch(() => undefined)
    if (answer) visibility.value = answer.visibility
  }

  async function share(email: string, role: ShareRole): Promise<boolean> {
    const answer = await add.run({ id: note.id, email, role }).catch(() => undefined)
    if (!answer) return false
    toast.add({ title: t('sharing.shared', { title: note.title, email: answer.email }), icon: 'i-lucide-check' })
    await load()
    return true
  }

  async function unshare(email: string): Promise<void> {
    const answer = await take.run({ id: note.id, email }).catch(() => undefined)
    if (!answer) return
    toast.add({ title: t('sharing.unshared', { title: note.title, email }), icon: 'i-lucide-check' })
    await load()
  }

  return {
    visibility,
    shares,
    loading: list.pending,
    loadFailure: list.error,
    failure,
    pending,
    load,
    setVisibility,
    share,
    unshare,
  }
}
