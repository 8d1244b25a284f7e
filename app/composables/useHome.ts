import type { Note } from '../notes/note'

const RECENT = 5

/** What the start page shows: the newest notes and how many there are. */
export function useHome() {
  const active = useAction('list-notes')
  const archived = useAction('list-notes')

  const recent = computed<readonly Note[] | undefined>(() => active.result.value?.notes)
  const counts = computed(() => {
    if (!active.result.value || !archived.result.value) return undefined
    return { active: active.result.value.totalItems, archived: archived.result.value.totalItems }
  })
  const error = computed(() => active.error.value ?? archived.error.value)

  /** Asks for both; what failed is in `error`. */
  async function load(): Promise<void> {
    await Promise.allSettled([
      active.run({ archived: false, itemsPerPage: RECENT }),
      archived.run({ archived: true, itemsPerPage: 1 }),
    ])
  }

  return { recent, counts, error, load }
}
