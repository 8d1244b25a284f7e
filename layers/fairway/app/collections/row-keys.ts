/** A row may contain an open menu or dialog, which has keys of its own. */
const LAYERS = '[role=menu], [role=dialog], [role=listbox]'
const CONTROLS = 'a[href], button:not(:disabled), input:not([type=hidden], :disabled), [tabindex]'
/** Controls in which arrow keys already have a meaning. */
const KEEPS_ARROWS = 'input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=slider], [role=radio]'
/** The control that has the focus first: what opens the row. */
const OPENS = 'a[href], [aria-haspopup=dialog]'
const STEPS: Partial<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }

/** The controls that have lost their tab stop here, not by their component. */
const taken = new WeakSet<HTMLElement>()

const controlsOf = (inside: Element): HTMLElement[] =>
  [...inside.querySelectorAll<HTMLElement>(CONTROLS)].filter(
    each => !each.closest(LAYERS) && (each.tabIndex >= 0 || taken.has(each)) && each.checkVisibility(),
  )

const entranceOf = (controls: readonly HTMLElement[]) => controls.find(each => each.matches(OPENS)) ?? controls[0]

/** The control that a key moves to from another one, in the rows of a table's body. */
function neighbour(from: HTMLElement, key: string, body: Element): HTMLElement | undefined {
  const row = from.closest('tr')
  if (!row) return undefined
  const controls = controlsOf(row)
  if (key === 'Home' || key === 'End') return controls.at(key === 'Home' ? 0 : -1)
  const step = STEPS[key]
  if (step === undefined) return undefined
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const isMirrored = getComputedStyle(row).direction === 'rtl'
    return controls[controls.indexOf(from) + (isMirrored ? -step : step)]
  }
  const rows = [...body.children].filter(each => controlsOf(each).length > 0)
  const to = rows[rows.indexOf(row) + step]
  return to && counterpart(from, row, to)
}

/** The control of another row in the same column, else what opens that row. */
function counterpart(from: HTMLElement, row: Element, to: Element): HTMLElement | undefined {
  const cell = from.closest('td')
  const other = cell && to.children[[...row.children].indexOf(cell)]
  if (!other) return entranceOf(controlsOf(to))
  const inCell = controlsOf(other)
  return inCell[controlsOf(cell).indexOf(from)] ?? inCell[0] ?? entranceOf(controlsOf(to))
}

/**
 * Makes the rows of a table one tab stop. Up and down arrow move between rows, left and right between the controls of a row, Home
 * and End to its ends. Returns the listeners of the table's body.
 */
export function useRowKeys(body: Readonly<Ref<HTMLElement | null>>) {
  let stop: HTMLElement | undefined
  let observer: MutationObserver | undefined

  /** Leaves one control in the tab order: the current one, else what opens the first row. */
  function arrange(): void {
    if (!body.value) return
    const all = controlsOf(body.value)
    if (!stop || !all.includes(stop)) stop = entranceOf(all)
    for (const each of all) {
      const index = each === stop ? 0 : -1
      if (index === -1) taken.add(each)
      if (each.tabIndex !== index) each.tabIndex = index
    }
  }

  function focusin({ target }: FocusEvent): void {
    if (!(target instanceof HTMLElement) || target === stop || !body.value) return
    if (!controlsOf(body.value).includes(target)) return
    stop = target
    arrange()
  }

  function keydown(event: KeyboardEvent): void {
    const { target, key } = event
    if (!(target instanceof HTMLElement) || !body.value || target.closest(LAYERS) || target.matches(KEEPS_ARROWS))
      return
    if (event.altKey || event.metaKey || event.shiftKey || event.ctrlKey) return
    const next = neighbour(target, key, body.value)
    if (!next) return
    // The button of a menu would open it on the down arrow.
    event.preventDefault()
    event.stopPropagation()
    next.focus()
  }

  watch(
    body,
    element => {
      observer?.disconnect()
      if (!element) return
      observer = new MutationObserver(arrange)
      observer.observe(element, { childList: true, subtree: true })
      arrange()
    },
    { flush: 'post' },
  )
  onScopeDispose(() => observer?.disconnect())

  return { focusin, keydown }
}
