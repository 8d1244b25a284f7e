import { watchDebounced } from '@vueuse/core'
import { type Hit, searchCollection } from '../palette/collection-search'
import type { SearchableCollection } from '#fairway/shared/schemas/tool-catalog'

const PAUSE_IN_MS = 180
const LEAST_CHARACTERS = 2

/** What was found in one collection. */
interface Found {
  collection: SearchableCollection
  hits: Hit[]
}

/** Asks every collection that may be searched for a text, after a short rest; a newer text gives the older questions up. */
export function usePaletteSearch(text: Ref<string>, collections: () => readonly SearchableCollection[]) {
  const found = shallowRef<Found[]>([])
  const pending = ref(false)
  let running: AbortController | undefined

  const isLongEnough = () => text.value.trim().length >= LEAST_CHARACTERS

  async function search(): Promise<void> {
    running?.abort()
    const { signal } = (running = new AbortController())
    const query = text.value.trim()
    if (!isLongEnough()) return void (found.value = [])
    pending.value = true
    const answers = await Promise.all(
      // One that this person may not read, or that fails, leaves the others in place.
      collections().map(async collection => ({
        collection,
        hits: await searchCollection(collection, query, { signal }).catch(() => []),
      })),
    )
    if (signal.aborted) return
    found.value = answers.filter(({ hits }) => hits.length > 0)
    pending.value = false
  }

  // What is about to be asked is not yet known not to be there.
  watch(text, () => {
    pending.value = isLongEnough() && collections().length > 0
  })
  watchDebounced([text, collections], search, { debounce: PAUSE_IN_MS })
  onScopeDispose(() => running?.abort())

  return { found, pending }
}
