/** Which rows of a list are chosen, one by one or all; a row that is no longer shown is not chosen any more. */
export function useChosen<Row>(rows: () => readonly Row[], idOf: (row: Row) => string) {
  const ids = ref<ReadonlySet<string>>(new Set())
  const chosen = computed(() => rows().filter(row => isChosen(row)))
  /** What the box for all of them shows. */
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
