/** The selected rows of a list. Users select one row, a range or all rows. A row that is no longer shown is deselected. */
export function useSelection<Item extends { id: string }>(items: () => readonly Item[]) {
  const chosen = shallowRef<ReadonlySet<string>>(new Set())
  const selected = computed(() => items().filter(({ id }) => chosen.value.has(id)))
  const isAll = computed(() => selected.value.length > 0 && selected.value.length === items().length)
  let last: string | undefined

  /** Selects or deselects a row. As a range, it includes every row between this one and the previous one. */
  function toggle({ id }: Item, isSelected: boolean, isRange = false): void {
    const ids = items().map(item => item.id)
    const from = isRange && last !== undefined ? ids.indexOf(last) : -1
    const to = ids.indexOf(id)
    const meant = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
    const others = selected.value.map(item => item.id).filter(each => !meant.includes(each))
    chosen.value = new Set(isSelected ? [...others, ...meant] : others)
    last = id
  }

  /** Selects all shown rows, or none. */
  function toggleAll(isSelected: boolean): void {
    chosen.value = new Set(isSelected ? items().map(({ id }) => id) : [])
    last = undefined
  }

  return { selected, isSelected: ({ id }: Item) => chosen.value.has(id), isAll, toggle, toggleAll }
}
