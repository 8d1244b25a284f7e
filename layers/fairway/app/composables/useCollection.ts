import type { ActionTypes } from '#fw/action-types'
import type { CollectionTypes } from '#fw/collection-types'
import type { ChangeOptions, CollectionList, CollectionName, ItemOf } from '../collections/collection-list'
import { rowsWithPatches, unseen, useOptimistic } from '../collections/optimistic'
import { useChangeWatch, useFreshness } from '../live/use-freshness'
import {
  exportPath,
  type Filters,
  type ListKeys,
  type ListState,
  readListState,
  useListPlace,
  writeListState,
} from '../collections/list-state'

type Operator = 'lt' | 'lte' | 'gt' | 'gte'
type FilterKey<Field extends string> = Field | `${Field}[${Operator}]`

export interface UseCollectionOptions<Filter extends string = string> {
  /** `pages` (the default) shows one page at a time; `infinite` appends. */
  mode?: 'pages' | 'infinite'
  /** Prefix of the keys in the address, so that several lists can share one page. */
  prefix?: string
  /** The filters that users set. They are kept in the address. */
  filters?: readonly Filter[]
  /** Filters that the page itself sets. They are not in the address. */
  where?: MaybeRefOrGetter<{ readonly [key in Filter]?: Filters[string] }>
  /** Actions that may change the rows. */
  refreshAfter?: readonly (keyof ActionTypes & string)[]
}

/**
 * One declared collection, typed by its declaration. Filters, order, page size and position are kept in the address of the page.
 * Paging follows the links of the response. Sends no request before the component is mounted.
 */
export function useCollection<Name extends CollectionName>(
  name: Name,
  options: UseCollectionOptions<FilterKey<CollectionTypes[Name]['filters']>> = {},
): CollectionList<ItemOf<Name>, FilterKey<CollectionTypes[Name]['filters']>, CollectionTypes[Name]['order']> {
  const { mode = 'pages', prefix = '', filters = [], refreshAfter = [], where } = options
  const isInfinite = mode === 'infinite'
  const route = useRoute()
  const { state, goTo } = useListState({ prefix, filters })
  const wanted = computed(() => ({
    ...state.value,
    filters: { ...state.value.filters, ...(toValue(where) as Filters | undefined) },
    ...(isInfinite ? { position: '' } : {}),
  }))
  const path = `/${encodeURIComponent(name)}`
  const pages = useCollectionPages<ItemOf<Name>>({ path, wanted, isInfinite, goTo })
  const { page, status, error, isStale, readAt, askedAt, wantedPath, ask, turn, append, refresh, restart } = pages
  const { patches } = useOptimistic()
  const open = computed(() => unseen(patches.value, name, readAt.value))
  const items = computed(() => page.value && rowsWithPatches(page.value.items, open.value, wanted.value.filters))

  const { refreshFor } = useFreshness({
    isConcerned: ({ action, collections }) => collections.includes(name) || refreshAfter.some(each => each === action),
    askedAt,
    isBusy: () => status.value === 'pending',
    refresh: () => refresh(true),
  })
  useChangeWatch({ open, refreshFor, refresh: () => refresh(), restart, refreshAfter })
  watch([wantedPath, () => route.fullPath], ([next, address], [last, lastAddress]) => {
    if (next !== last) void (address === lastAddress ? restart() : ask())
  })
  const { returnTo } = useListPlace(`${name} ${prefix}`, () => (isInfinite ? (page.value?.items.length ?? 0) : 0))
  onMounted(() => returnTo(rows => ask({ rows })))

  return {
    mode,
    page,
    items,
    totalItems: computed(() => page.value?.totalItems),
    view: computed(() => page.value?.view),
    canCreate: computed(() => page.value?.can?.create),
    membersCan: computed(() => page.value?.can?.members),
    status,
    error,
    isStale,
    filters: computed(() => state.value.filters),
    order: computed(() => state.value.order),
    pageSize: computed(() => state.value.pageSize),
    exportUrl: format => exportPath(path, format, wanted.value),
    change: (settings, how) => goTo({ ...(settings as object), position: '' }, how),
    turn,
    first: () => turn('first'),
    last: () => turn('last'),
    previous: () => turn('previous'),
    next: () => turn('next'),
    loadMore: async () => void (await append()),
    refresh: () => refresh(),
  }
}

/** The state of one list in the address of the page, with a function that changes it. */
function useListState(keys: ListKeys) {
  const route = useRoute()
  const router = useRouter()
  const state = computed(() => readListState(route.query, keys))

  async function goTo(next: Partial<ListState>, { replace, query }: ChangeOptions = {}): Promise<void> {
    const whole = writeListState({ ...route.query, ...query }, { ...state.value, ...next }, keys)
    await router[replace ? 'replace' : 'push']({ query: whole, hash: route.hash })
  }

  return { state, goTo }
}
