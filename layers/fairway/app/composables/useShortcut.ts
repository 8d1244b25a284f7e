import { createKeySequence } from '../shortcuts/key-sequence'
import { readDeviceSetting, writeDeviceSetting } from '../utils/device-setting'

const SETTING = 'shortcuts'
const OFF = 'off'

/** A shortcut that a page has for as long as it is shown. */
interface RegisteredShortcut {
  /** One key, or two of which the first is `g`. */
  keys: readonly string[]
  /** What it does, for the list and the palette. */
  label: MaybeRefOrGetter<string>
  act: () => unknown
}

/** The shortcuts of the page that is shown, whether there are any on this device, and whether their list is open. */
export function useShortcutState() {
  const registered = useState('shortcuts-registered', () => shallowRef<readonly RegisteredShortcut[]>([]))
  const isOn = useState('shortcuts-on', () => import.meta.server || readDeviceSetting(SETTING) !== OFF)
  const list = useState('shortcuts-list', () => false)

  function turn(on: boolean): void {
    isOn.value = on
    writeDeviceSetting(SETTING, on ? null : OFF)
  }

  return { registered, isOn, list, turn }
}

/**
 * Gives the page a shortcut while this component is shown: `useShortcut('e', () => t('books.edit'), edit)`. One key that is not `g`,
 * and not one of the frame (`/`, `?`). It stands in the list of shortcuts and in the palette.
 */
export function useShortcut(key: string, label: MaybeRefOrGetter<string>, act: () => unknown): void {
  if (!/^[^\sg/?]$/.test(key)) throw new Error(`useShortcut: "${key}" must be one key, and none of g, / and ?`)
  const { registered } = useShortcutState()
  const mine = { keys: [key], label, act }
  onMounted(() => {
    registered.value = [...registered.value, mine]
  })
  onBeforeUnmount(() => {
    registered.value = registered.value.filter(each => each !== mine)
  })
}

/** Gives the page the shortcut `c` for what it creates first of all: `useCreateShortcut(() => t('books.new'), create)`. */
export const useCreateShortcut = (label: MaybeRefOrGetter<string>, act: () => unknown): void =>
  useShortcut('c', label, act)

/** ⌘ K on a Mac, where Ctrl K edits text, and Ctrl K elsewhere; also while somebody types. */
function opensPalette({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
  return key.toLowerCase() === 'k' && metaKey === isMac && ctrlKey === !isMac && !altKey && !shiftKey
}

/** Listens to the keys of the frame and of its pages; for the layout alone. */
export function useShortcutKeys(palette: { open: () => void; toggle: () => void }): void {
  const router = useRouter()
  const { registered, isOn, list } = useShortcutState()
  const { palette: pages } = useNavigation()
  const { press } = createKeySequence(() => performance.now())

  function focusSearch(): void {
    const field = [...document.querySelectorAll<HTMLInputElement>('main [role=search] input, main input[type=search]')]
    const shown = field.find(each => each.offsetParent !== null)
    if (!shown) return palette.open()
    shown.focus()
    shown.select()
  }

  function actOf(keys: string): (() => unknown) | undefined {
    if (keys === '/') return focusSearch
    if (keys === '?') return () => (list.value = true)
    const page = pages.value.find(({ shortcut }) => `g ${shortcut}` === keys)
    if (page) return () => router.push(page.to)
    // The newest one wins, as a part of the page does over the page.
    return registered.value.findLast(each => each.keys.join(' ') === keys)?.act
  }

  function listen(event: KeyboardEvent): void {
    if (opensPalette(event)) {
      event.preventDefault()
      return palette.toggle()
    }
    if (!isOn.value || event.defaultPrevented) return
    // A dialog that is open has the page's attention, wherever the focus is.
    if (document.querySelector('[role=dialog], [role=alertdialog]')) return
    const keys = press(event)
    const act = keys === undefined ? undefined : actOf(keys)
    if (!act) return
    event.preventDefault()
    void act()
  }

  onMounted(() => window.addEventListener('keydown', listen))
  onBeforeUnmount(() => window.removeEventListener('keydown', listen))
}
