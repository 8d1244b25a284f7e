export type NotesView = 'active' | 'archived'

/** Whose notes a list shows: all that the user may see, their own, or those of others. */
export const WHOSE = ['all', 'mine', 'shared'] as const
export type Whose = (typeof WHOSE)[number]

const CHANGING = [
  'create-note',
  'update-note',
  'archive-note',
  'archive-notes',
  'delete-note',
  'delete-notes',
  'set-note-visibility',
  'share-note',
  'unshare-note',
] as const

/** The notes of one view, active or archived. View, whose, owner, search, order and page are kept in the address. */
export function useNotes() {
  const route = useRoute()
  const { session } = useSession()
  const archived = computed(() => route.query.view === 'archived')
  const isWhose = computed<Whose>(() => WHOSE.find(each => each === route.query.whose) ?? 'all')
  const list = useCollection('note-list', {
    filters: ['content', 'ownerEmail'],
    where: () => ({
      archived: archived.value,
      ...(isWhose.value === 'mine' && { ownerEmail: session.value?.email }),
      ...(isWhose.value === 'shared' && { access: ['admin', 'editor', 'viewer'] }),
    }),
    refreshAfter: CHANGING,
  })
  const query = useListSearch(list, 'content')
  const view = computed<NotesView>({
    get: () => (archived.value ? 'archived' : 'active'),
    set: next => void list.change({}, { query: { view: next === 'archived' ? next : undefined } }),
  })
  const whose = computed<Whose>({
    get: () => isWhose.value,
    set: next => void list.change({}, { query: { whose: next === 'all' ? undefined : next } }),
  })
  const owner = computed<string | undefined>({
    get: () => (list.filters.value.ownerEmail ? String(list.filters.value.ownerEmail) : undefined),
    set: ownerEmail => void list.change({ filters: { ...list.filters.value, ownerEmail } }),
  })

  return { list, query, view, whose, owner }
}

export type NotesList = ReturnType<typeof useNotes>['list']

/** The address of the list as the user left it. A note links back there. */
export const useNotesPlace = () => useState('notes-place', () => '/notes')
