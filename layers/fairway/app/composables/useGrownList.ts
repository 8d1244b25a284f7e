import type { Total } from '#fairway/shared/schemas/total'
import type { ShownList } from '../collections/collection-list'
import type { SortBy } from '../collections/list-state'
import type { ActionFailure } from '../request/action-failure'

/** The answer of an operation that lists the newest rows first; `cursor` requests the rows after them. */
interface NewestPage extends Partial<Total> {
  cursor: string | null
}

/**
 * A list of an operation that grows page by page, for CollectionTable. It loads when the component is mounted and when `input` or
 * the order changes. `sort` is the order as the operation takes it: a field, with a leading hyphen for descending.
 */
export function useGrownList<Answer extends NewestPage, Row extends { id: string }, Sort extends string = string>(
  ask: (cursor?: string, sort?: Sort, total?: 'exact') => Promise<Answer>,
  rowsOf: (answer: Answer) => readonly Row[],
  input: () => unknown = () => undefined,
) {
  const order = shallowRef<readonly SortBy[]>([])
  const sort = computed(() => {
    const [first] = order.value
    return first && (`${first.direction === 'desc' ? '-' : ''}${first.field}` as Sort)
  })
  const total = ref<'exact'>()
  const wanted = computed(() => JSON.stringify([input(), sort.value, total.value]))
  const { attempt, result, error, pending } = useRequest(async (cursor?: string) => {
    const mine = wanted.value
    const answer = await ask(cursor, sort.value, total.value)
    const before = cursor ? (result.value?.items ?? []) : []
    // New rows may have shifted the others in the meantime, so that pages overlap.
    const ids = new Set(before.map(({ id }) => id))
    const items: readonly Row[] = [...before, ...rowsOf(answer).filter(({ id }) => !ids.has(id))]
    const { totalItems, isTotalCapped } = answer
    return { wanted: mine, items, next: answer.cursor ?? undefined, totalItems, isTotalCapped }
  })
  const refresh = async () => void (await attempt())
  watch(wanted, refresh)
  onMounted(refresh)

  const list: ShownList<Row> = {
    ...growing(() => attempt(result.value?.next)),
    page: computed(() => {
      if (!result.value) return undefined
      const { items, next, totalItems, isTotalCapped } = result.value
      return { items, totalItems, isTotalCapped, view: { '@id': '', next } }
    }),
    items: computed(() => result.value?.items),
    status: statusOf(pending, error),
    error,
    isStale: computed(() => result.value !== undefined && result.value.wanted !== wanted.value),
    order,
    change: async ({ order: chosen = [] }) => void (order.value = chosen),
    countAll: () => void (total.value = 'exact'),
    refresh,
  }
  return { list }
}

interface WholeList<Row> {
  /** All rows that match the filters; undefined before they have arrived. */
  rows: () => readonly Row[] | undefined
  pending: Readonly<Ref<boolean>>
  error: Readonly<Ref<ActionFailure | undefined>>
  load: () => Promise<unknown>
  /** The values that columns sort by, by the name in `sort` of a column. */
  sorts?: Record<string, (row: Row) => string | number>
}

const SHOWN_AT_FIRST = 20

/** A list that the server sends completely, for CollectionTable. It is sorted in the browser and shows 20 rows at first. */
export function useWholeList<Row>({ rows, pending, error, load, sorts = {} }: WholeList<Row>): ShownList<Row> {
  const { language } = useLanguage()
  const most = ref(SHOWN_AT_FIRST)
  const order = shallowRef<readonly SortBy[]>([])
  const sorted = computed(() => {
    const [first] = order.value
    const valueOf = first && sorts[first.field]
    if (!valueOf) return rows()
    const { compare } = new Intl.Collator(language.value, { numeric: true })
    const sign = first.direction === 'asc' ? 1 : -1
    return rows()?.toSorted((a, b) => sign * compareValues(valueOf(a), valueOf(b), compare))
  })
  const items = computed(() => sorted.value?.slice(0, most.value))

  return {
    ...growing(async () => (most.value += SHOWN_AT_FIRST)),
    page: computed(() => {
      if (!items.value) return undefined
      const totalItems = sorted.value?.length ?? 0
      return { items: items.value, totalItems, view: { '@id': '', next: totalItems > most.value ? '?' : undefined } }
    }),
    items,
    status: statusOf(pending, error),
    error,
    isStale: ref(false),
    order,
    change: async ({ order: wanted = [] }) => void (order.value = wanted),
    refresh: async () => void (await load()),
  }
}

const growing = (loadMore: () => Promise<unknown>) => ({
  mode: 'infinite' as const,
  turn: async () => {},
  loadMore: async () => void (await loadMore()),
})

const statusOf = (pending: Readonly<Ref<boolean>>, error: Readonly<Ref<ActionFailure | undefined>>) =>
  computed(() => (pending.value ? 'pending' : error.value ? 'error' : 'success'))

const compareValues = (a: string | number, b: string | number, compare: (a: string, b: string) => number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b))
