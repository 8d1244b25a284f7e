import type { ChangeOptions } from '../collections/collection-list'
import { type ListKeys, type ListState, readListState, writeListState } from '../collections/list-state'

/** The state of one list in the address of the page: what it is, and going to another. */
export function useListState(keys: ListKeys) {
  const route = useRoute()
  const router = useRouter()
  const state = computed(() => readListState(route.query, keys))

  async function goTo(next: Partial<ListState>, { replace, query }: ChangeOptions = {}): Promise<void> {
    const whole = writeListState({ ...route.query, ...query }, { ...state.value, ...next }, keys)
    await router[replace ? 'replace' : 'push']({ query: whole, hash: route.hash })
  }

  return { state, goTo }
}
