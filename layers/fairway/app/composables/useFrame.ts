import { useEventListener } from '@vueuse/core'
import type { InjectionKey } from 'vue'
import { readDeviceSetting, writeDeviceSetting } from '../utils/device-setting'

const SETTING = 'sidebar'
const FOLDED = 'icons'

/** Whether the sidebar is folded to its icons on this device; the page's head applies it before the first paint. */
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

/** The sections of the page that is shown, which the sidebar lists under the page's own entry. */
export interface FrameSections {
  /** The address of that entry. */
  base: string
  sections: readonly { id: string; label: string; isShown: boolean; to?: string }[]
}

const FRAME_SECTIONS: InjectionKey<Ref<FrameSections | undefined>> = Symbol('sections of the page')

/** Where a page puts its sections for the sidebar around it; undefined where there is no sidebar. */
export const useFrameSections = () => inject(FRAME_SECTIONS, undefined)

/** For the layout that has the sidebar: makes room for the sections of its pages. */
export const provideFrameSections = (): void => provide(FRAME_SECTIONS, shallowRef())

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

/** Whether the browser believes that it has a connection. */
export function useOnline() {
  const isOnline = ref(true)
  const update = () => {
    isOnline.value = navigator.onLine
  }
  onMounted(update)
  useEventListener(['online', 'offline'], update)
  return readonly(isOnline)
}

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
