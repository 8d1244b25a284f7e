import type { ShownList } from '../collections/collection-list'

interface PagedOptions<Input extends object, Answer, Row> {
  /** The input besides the page. A change reloads the rows; undefined sends no request. */
  input: () => Input | undefined
  /** Calls the operation, for example `input => callOperation('list-deliveries', input)`. */
  ask: (input: Input & { page: number; itemsPerPage: number }) => Promise<Answer>
  rows: (answer: Answer) => readonly Row[]
  /** The requested page number. */
  number: Ref<number>
  itemsPerPage: number
}

/**
 * An operation that lists the newest rows first, page by page, as a list for CollectionTable and CollectionPager. `answer` is its
 * newest response.
 */
export function usePagedOperation<Input extends object, Answer extends { totalItems: number }, Row>({
  input,
  ask,
  rows,
  number,
  itemsPerPage,
}: PagedOptions<Input, Answer, Row>) {
  const { session } = useSession()
  // Another organization has other rows.
  const wanted = computed(() => JSON.stringify([input(), number.value, session.value?.orgId]))
  const { attempt, result, pending, error } = useRequest(async (input: Input) => {
    const mine = { wanted: wanted.value, page: number.value }
    return { ...mine, answer: await ask({ ...input, page: mine.page, itemsPerPage }) }
  })
  const numbers = computed(() => {
    const { page, answer } = result.value ?? { page: 1 }
    const total = answer?.totalItems ?? 0
    return { page, last: Math.max(1, Math.ceil(total / itemsPerPage)), total }
  })
  const page = computed(() => {
    const { page: here, last, total } = numbers.value
    const linkTo = (to: number) => (to >= 1 && to <= last ? `?page=${to}` : undefined)
    const view = { '@id': `?page=${here}`, previous: linkTo(here - 1), next: linkTo(here + 1) }
    return result.value && { items: rows(result.value.answer), totalItems: total, view }
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
    refresh,
  }
  watch(wanted, refresh)
  onMounted(refresh)

  return { list, answer: computed(() => result.value?.answer) }
}
