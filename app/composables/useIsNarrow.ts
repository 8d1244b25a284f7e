/** Whether the screen is too narrow for a table (under 640 px); follows the window. */
export function useIsNarrow(): Ref<boolean> {
  const isNarrow = ref(false)
  if (import.meta.server) return isNarrow
  const query = window.matchMedia('(width < 640px)')
  const read = () => {
    isNarrow.value = query.matches
  }
  read()
  query.addEventListener('change', read)
  onScopeDispose(() => query.removeEventListener('change', read))
  return isNarrow
}
