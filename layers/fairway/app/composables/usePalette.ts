/** The palette over pages and actions: whether it is open, which action it shows, and how often it has changed something. */
export function usePalette() {
  const isOpen = useState('palette-open', () => false)
  const actionName = useState<string | undefined>('palette-action', () => undefined)
  const changes = useState('palette-changes', () => 0)

  /** Opens the palette, or directly the form of one action. */
  function open(name?: string): void {
    actionName.value = name
    isOpen.value = true
  }

  return { isOpen, actionName, changes, open }
}
