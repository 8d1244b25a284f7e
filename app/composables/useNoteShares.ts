import type { ActionTypes } from '#fw/action-types'
import type { Note } from '../notes/note'

export type NoteShare = ActionTypes['list-note-shares']['output']['shares'][number]
export const SHARE_ROLES = ['viewer', 'editor', 'admin'] as const
export type ShareRole = (typeof SHARE_ROLES)[number]

/** The people one note is shared with, and how to change that. */
export function useNoteShares(note: Pick<Note, 'id' | 'title' | 'visibility'>) {
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

  /** Shares the note, or changes a person's access to it. Returns whether it worked. */
  async function share({ email, name }: Pick<NoteShare, 'email' | 'name'>, role: ShareRole): Promise<boolean> {
    const isThere = shares.value?.some(person => person.email === email)
    const answer = await add.run({ id: note.id, email, role }).catch(() => undefined)
    if (!answer) return false
    const said = isThere ? 'sharing.changed' : 'sharing.shared'
    toast.add({ title: t(said, { title: note.title, name }), icon: 'i-lucide-check' })
    await load()
    return true
  }

  async function unshare(person: NoteShare): Promise<void> {
    const { email, name, role } = person
    const answer = await take.run({ id: note.id, email }).catch(() => undefined)
    if (!answer) return
    toast.add({
      title: t('sharing.unshared', { title: note.title, name }),
      icon: 'i-lucide-check',
      actions: [{ label: t('notes.undo'), onClick: () => void share(person, role) }],
    })
    await load()
  }

  return { visibility, shares, loadFailure: list.error, failure, pending, load, setVisibility, share, unshare }
}
