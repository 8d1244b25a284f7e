import type { Total } from '#fairway/shared/schemas/total'
import type { ShownList } from '../collections/collection-list'

interface PagedOptions<Input extends object, Answer, Row> {
  /** The input besides the page. A change reloads the rows; undefined sends no request. */
  input: () => Input | undefined
  /** Calls the operation, for example `input => callOperation('list-deliveries', input)`. */
  ask: (input: Input & { page: number; itemsPerPage: number; total?: 'exact' }) => Promise<Answer>
  rows: (answer: Answer) => readonly Row[]
  /** The requested page number. */
  number: Ref<number>
  itemsPerPage: number
}

/**
 * An operation that lists the newest rows first, page by page, as a list for CollectionTable and CollectionPager. `answer` is its
 * newest response.
 */
export function usePagedOperation<Input extends object, Answer extends Total, Row>({
  input,
  ask,
  rows,
  number,
  itemsPerPage,
}: PagedOptions<Input, Answer, Row>) {
  const { session } = useSession()
  const total = ref<'exact'>()
  // Another organization has other rows.
  const wanted = computed(() => JSON.stringify([input(), number.value, session.value?.orgId, total.value]))
  const { attempt, result, pending, error } = useRequest(async (input: Input) => {
    const mine = { wanted: wanted.value, page: number.value }
    return { ...mine, answer: await ask({ ...input, page: mine.page, itemsPerPage, total: total.value }) }
  })
  const numbers = computed(() => {
    const { page, answer } = result.value ?? { page: 1 }
    return { page, last: Math.max(1, Math.ceil((answer?.totalItems ?? 0) / itemsPerPage)) }
  })
  const page = computed(() => {
    if (!result.value) return undefined
    const { page: here, last } = numbers.value
    const { totalItems, isTotalCapped } = result.value.answer
    const items = rows(result.value.answer)
    // A capped total does not tell which page is the final one.
    const end = isTotalCapped && items.length === itemsPerPage ? Math.max(last, here + 1) : last
    const linkTo = (to: number) => (to >= 1 && to <= end ? `?page=${to}` : undefined)
    const view = { '@id': `?page=${here}`, previous: linkTo(here - 1), next: linkTo(here + 1) }
    return { items, totalItems, isTotalCapped, view }
  })

  async function refresh(): Promise<void> {
    const query = input()
    if (query) await attempt(query)
  }

  async function turn(to: 'first' | 'last' | 'previous' | 'next'): Promise<void> {
    const { page: here, last } = numbers.value
    number.value = { first: 1, last, previous: here - 1, next: here + 1 }[to]
  }

  const list: ShownList<Row> = {
    mode: 'pages',
    page,
    items: computed(() => page.value?.items),
    status: computed(() => (pending.value ? 'pending' : error.value ? 'error' : 'success')),
    error,
    isStale: computed(() => result.value?.wanted !== wanted.value),
    numbers,
    turn,
    countAll: () => void (total.value = 'exact'),
    refresh,
  }
  watch(wanted, refresh)
  onMounted(refresh)

  return { list, answer: computed(() => result.value?.answer) }
}
