/** Whether the screen is narrower than this, in pixels; without a number, too narrow for a table. Follows the window. */
export function useIsNarrow(below = 640): Ref<boolean> {
  const isNarrow = ref(false)
  if (import.meta.server) return isNarrow
  const query = window.matchMedia(`(width < ${below}px)`)
  const read = () => {
    isNarrow.value = query.matches
  }
  read()
  query.addEventListener('change', read)
  onScopeDispose(() => query.removeEventListener('change', read))
  return isNarrow
}
