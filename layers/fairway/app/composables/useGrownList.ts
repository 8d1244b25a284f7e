/** The answer of an operation that lists the newest rows first; `cursor` requests the rows after them. */
interface NewestPage {
  cursor: string | null
}

/**
 * A list of an operation that grows page by page. It loads when the component is mounted and when `input` changes. `load` restarts
 * it, `more` adds the next page.
 */
export function useGrownList<Answer extends NewestPage, Row extends { id: string }>(
  ask: (cursor?: string) => Promise<Answer>,
  rowsOf: (answer: Answer) => readonly Row[],
  input: () => unknown = () => undefined,
) {
  const rows = shallowRef<readonly Row[]>()
  const next = ref<string | null>(null)
  const { attempt, error, pending } = useRequest(async (cursor?: string) => {
    const answer = await ask(cursor)
    const before = cursor ? (rows.value ?? []) : []
    // New rows may have shifted the others in the meantime, so that pages overlap.
    const ids = new Set(before.map(({ id }) => id))
    rows.value = [...before, ...rowsOf(answer).filter(({ id }) => !ids.has(id))]
    next.value = answer.cursor
  })
  const load = () => attempt()
  watch(input, load)
  onMounted(load)
  return {
    rows,
    hasMore: computed(() => next.value !== null),
    load,
    more: () => attempt(next.value ?? undefined),
    error,
    pending,
  }
}

export type GrownList = Pick<ReturnType<typeof useGrownList>, 'hasMore' | 'load' | 'more' | 'error' | 'pending'> & {
  rows: Ref<readonly unknown[] | undefined>
}
