export type NotesView = 'active' | 'archived'

const CHANGING = [
  'create-note',
  'update-note',
  'archive-note',
  'delete-note',
  'set-note-visibility',
  'share-note',
  'unshare-note',
] as const

/** The notes of one view, active or archived; view, search, order and page are kept in the address. */
export function useNotes() {
  const route = useRoute()
  const archived = computed(() => route.query.view === 'archived')
  const list = useCollection('note-list', {
    filters: ['content'],
    where: () => ({ archived: archived.value }),
    refreshAfter: CHANGING,
  })
  const query = useListSearch(list, 'content')
  const view = computed<NotesView>({
    get: () => (archived.value ? 'archived' : 'active'),
    set: next => void list.change({}, { query: { view: next === 'archived' ? next : undefined } }),
  })

  return { list, query, view }
}

export type NotesList = ReturnType<typeof useNotes>['list']
