import { useEventListener } from '@vueuse/core'
import { readDeviceSetting, writeDeviceSetting } from '../utils/device-setting'

const SETTING = 'sidebar'
const FOLDED = 'icons'

/** Whether the sidebar is collapsed to icons on this device. The page's head applies it before the first paint. */
export function useSidebar() {
  const isFolded = useState('sidebar-folded', () => import.meta.client && readDeviceSetting(SETTING) === FOLDED)

  function toggle(): void {
    isFolded.value = !isFolded.value
    writeDeviceSetting(SETTING, isFolded.value ? FOLDED : null)
    if (isFolded.value) document.documentElement.dataset.sidebar = FOLDED
    else delete document.documentElement.dataset.sidebar
  }

  return { isFolded, toggle }
}

/** Whether the screen is narrower than this, in pixels; by default, too narrow for a table. Follows the window. */
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

/** Whether the browser reports a connection. */
export function useOnline() {
  const isOnline = ref(true)
  const update = () => {
    isOnline.value = navigator.onLine
  }
  onMounted(update)
  useEventListener(['online', 'offline'], update)
  return readonly(isOnline)
}

/** The palette of pages and actions: whether it is open, which action it shows, and the number of changes it has made. */
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
