import { byPinnedThenNewest, type Note } from '../notes/note'

export type NotesView = 'active' | 'archived'

interface Question {
  view: NotesView
  query: string
  page: number
}

const ITEMS_PER_PAGE = 30

/** The notes of one view, searched or paged, and how the page keeps them true after a change. */
export function useNotes(view: Ref<NotesView>, query: Ref<string>) {
  const list = useAction('list-notes')
  const search = useAction('search-notes')
  const notes = shallowRef<readonly Note[]>()
  const totalItems = ref(0)
  const page = ref(1)

  const isInView = (note: Note) => note.archived === (view.value === 'archived')

  const { run, pending, error } = useRequest(async (question: Question) => {
    if (!question.query) {
      return list.run({ archived: question.view === 'archived', page: question.page, itemsPerPage: ITEMS_PER_PAGE })
    }
    const found = (await search.run({ query: question.query })).notes.filter(isInView)
    return { notes: found, totalItems: found.length }
  })

  async function ask(nextPage: number): Promise<void> {
    const answer = await run({ view: view.value, query: query.value.trim(), page: nextPage }).catch(() => undefined)
    if (!answer) return
    notes.value = nextPage === 1 ? answer.notes : [...(notes.value ?? []), ...answer.notes]
    totalItems.value = answer.totalItems
    page.value = nextPage
  }

  /** Puts a created or changed note where it belongs, or takes it out when it left this view. */
  function accept(note: Note): void {
    const others = (notes.value ?? []).filter(({ id }) => id !== note.id)
    const wasHere = others.length < (notes.value ?? []).length
    notes.value = isInView(note) ? [note, ...others].toSorted(byPinnedThenNewest) : others
    totalItems.value += Number(isInView(note)) - Number(wasHere)
  }

  /** Takes a deleted note out. */
  function remove(id: string): void {
    notes.value = notes.value?.filter(note => note.id !== id)
    totalItems.value -= 1
  }

  watch(view, () => {
    notes.value = undefined
    void ask(1)
  })
  watchDebounced(query, () => ask(1))

  return {
    notes,
    totalItems,
    pending,
    error,
    load: () => ask(1),
    loadMore: () => ask(page.value + 1),
    accept,
    remove,
  }
}

export type NotesList = ReturnType<typeof useNotes>
