/** One column of a table over a collection; its cells come from the slot `cell-<key>`. */
export interface TableColumn {
  key: string
  /** The heading; a column of buttons has one too, and shows it to screen readers only. */
  label: string
  isLabelHidden?: boolean
  /** The field that the heading sorts by. */
  sort?: string
  /** The direction of the first press; `asc` by default. */
  firstDirection?: 'asc' | 'desc'
  /** Classes of the cells and of the heading. */
  class?: string
}

/** How a heading shows the direction of its column: an arrow down, the same one turned, or both. */
export const sortArrow = (direction: 'asc' | 'desc' | undefined) => ({
  trailingIcon: direction ? 'i-lucide-chevron-down' : 'i-lucide-chevrons-up-down',
  ui: { trailingIcon: direction === 'asc' ? 'rotate-180' : '' },
})
