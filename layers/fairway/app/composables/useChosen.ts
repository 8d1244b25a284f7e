/** The selected rows of a list. Users select one row or all rows. A row that is no longer shown is deselected. */
export function useChosen<Row>(rows: () => readonly Row[], idOf: (row: Row) => string) {
  const ids = ref<ReadonlySet<string>>(new Set())
  const chosen = computed(() => rows().filter(row => isChosen(row)))
  /** The state of the checkbox that selects all rows. */
  const all = computed(() => {
    if (chosen.value.length === 0) return false
    return chosen.value.length === rows().length || ('indeterminate' as const)
  })

  function isChosen(row: Row): boolean {
    return ids.value.has(idOf(row))
  }

  function choose(row: Row, isWanted: boolean): void {
    const others = [...ids.value].filter(id => id !== idOf(row))
    ids.value = new Set(isWanted ? [...others, idOf(row)] : others)
  }

  const chooseAll = (isWanted: boolean) => {
    ids.value = new Set(isWanted ? rows().map(idOf) : [])
  }

  return { chosen, all, isChosen, choose, chooseAll }
}
