/** A list of an operation that grows page by page: `load` restarts it, `more` adds the next page if there is one. */
export function useGrownList<Row>(ask: (cursor?: string) => Promise<{ rows: readonly Row[]; cursor: string | null }>) {
  const rows = shallowRef<readonly Row[]>()
  const next = ref<string | null>(null)
  const { attempt, error, pending } = useRequest(async (cursor?: string) => {
    const answer = await ask(cursor)
    rows.value = cursor ? [...(rows.value ?? []), ...answer.rows] : answer.rows
    next.value = answer.cursor
  })
  return {
    rows,
    hasMore: computed(() => next.value !== null),
    load: () => attempt(),
    more: () => attempt(next.value ?? undefined),
    error,
    pending,
  }
}

export type GrownList = Pick<ReturnType<typeof useGrownList>, 'hasMore' | 'load' | 'more' | 'error' | 'pending'> & {
  rows: Ref<readonly unknown[] | undefined>
}
