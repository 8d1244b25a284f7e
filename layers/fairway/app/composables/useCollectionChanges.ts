interface ChangeWatch {
  refresh: () => unknown
  restart: () => unknown
  refreshAfter?: readonly string[]
}

/** Refreshes a list after the named actions and after every changing action of the palette, and restarts it in another organization. */
export function useCollectionChanges({ refresh, restart, refreshAfter = [] }: ChangeWatch): void {
  const { changes } = usePalette()
  const { session } = useSession()
  watch(useDoneAction(), done => done && refreshAfter.includes(done.name) && refresh())
  watch(changes, () => refresh())
  // Another organization has other rows.
  watch(
    () => session.value?.orgId,
    () => restart(),
  )
}
