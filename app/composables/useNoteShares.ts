import type { ActionTypes } from '#fw/action-types'
import type { Note } from '../notes/note'

type Shares = ActionTypes['list-note-shares']['output']
export type NoteShare = Shares['shares'][number]
export type NoteTeam = Shares['teams'][number]
export const SHARE_ROLES = ['viewer', 'editor', 'admin'] as const
export type ShareRole = (typeof SHARE_ROLES)[number]

/** A person by the address, or a team. */
export type Holder = { name: string } & ({ email: string; teamId?: undefined } | { teamId: string })

/** The people and teams one note is shared with, and how to change that. */
export function useNoteShares(note: Pick<Note, 'id' | 'title' | 'visibility'>) {
  const { t } = useI18n()
  const toast = useToast()
  const list = useAction('list-note-shares')
  const add = useAction('share-note')
  const take = useAction('unshare-note')
  const addTeam = useAction('share-note-with-team')
  const takeTeam = useAction('unshare-note-with-team')
  const show = useAction('set-note-visibility')
  const changing = [add, take, addTeam, takeTeam, show]
  const shares = shallowRef<Shares>()
  const visibility = ref(note.visibility)
  const pending = computed(() => changing.some(each => each.pending.value))
  const failure = computed(() => changing.find(each => each.error.value)?.error.value)

  async function load(): Promise<void> {
    const answer = await list.run({ id: note.id }).catch(() => undefined)
    if (answer) shares.value = answer
  }

  async function setVisibility(wanted: Note['visibility']): Promise<void> {
    const answer = await show.run({ id: note.id, visibility: wanted }).catch(() => undefined)
    if (answer) visibility.value = answer.visibility
  }

  const isListed = (holder: Holder): boolean =>
    holder.teamId === undefined
      ? shares.value?.shares.some(({ email }) => email === holder.email) === true
      : shares.value?.teams.some(({ teamId }) => teamId === holder.teamId) === true

  /** Shares the note, or changes the access of a person or team. Returns whether it worked. */
  async function share(holder: Holder, role: ShareRole): Promise<boolean> {
    const said = isListed(holder) ? 'sharing.changed' : 'sharing.shared'
    const { id, title } = note
    const sent =
      holder.teamId === undefined
        ? add.run({ id, email: holder.email, role })
        : addTeam.run({ id, teamId: holder.teamId, role })
    const answer = await sent.catch(() => undefined)
    if (!answer) return false
    toast.add({ title: t(said, { title, name: holder.name }), icon: 'i-lucide-check' })
    await load()
    return true
  }

  async function unshare(holder: Holder & { role: ShareRole }): Promise<void> {
    const { id, title } = note
    const sent =
      holder.teamId === undefined ? take.run({ id, email: holder.email }) : takeTeam.run({ id, teamId: holder.teamId })
    const answer = await sent.catch(() => undefined)
    if (!answer) return
    toast.add({
      title: t('sharing.unshared', { title, name: holder.name }),
      icon: 'i-lucide-check',
      actions: [{ label: t('notes.undo'), onClick: () => void share(holder, holder.role) }],
    })
    await load()
  }

  return { visibility, shares, loadFailure: list.error, failure, pending, load, setVisibility, share, unshare }
}
