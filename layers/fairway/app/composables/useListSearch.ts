import { watchDebounced } from '@vueuse/core'
import type { CollectionList } from '../collections/collection-list'

const PAUSE_IN_MS = 250

/**
 * The text of a search field that sets one filter of a list after a short delay. It follows the address when the user goes back.
 */
export function useListSearch<Filter extends string>(
  list: Pick<CollectionList<never, Filter>, 'filters' | 'change'>,
  filter: Filter,
): Ref<string> {
  const inAddress = computed(() => String(list.filters.value[filter] ?? ''))
  const query = ref(inAddress.value)
  let sent = inAddress.value

  watchDebounced(
    query,
    () => {
      const text = query.value.trim()
      if (text === inAddress.value) return
      sent = text
      const filters = { ...list.filters.value, [filter]: text || undefined } as { [key in Filter]?: string }
      return list.change({ filters }, { replace: true })
    },
    { debounce: PAUSE_IN_MS },
  )
  watch(inAddress, text => {
    if (text === sent) return
    sent = text
    query.value = text
  })
  return query
}
