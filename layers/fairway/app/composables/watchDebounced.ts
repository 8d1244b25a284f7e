const PAUSE_IN_MS = 250

/** Calls `then` after `source` has changed and then rested for a quarter of a second. */
export function watchDebounced<T>(source: Ref<T>, then: () => unknown): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(source, () => {
    clearTimeout(timer)
    timer = setTimeout(then, PAUSE_IN_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
}
