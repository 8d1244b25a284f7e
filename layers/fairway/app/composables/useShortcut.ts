import type { RegisteredShortcut } from '../shortcuts/page-keys'
import type * as PageKeys from '../shortcuts/page-keys'
import { readDeviceSetting, SHORTCUTS_SETTING } from '../utils/device-setting'

/** The shortcuts of the shown page, whether they are on for this device, and whether their list is open. */
export function useShortcutState() {
  const registered = useState('shortcuts', () => shallowRef<readonly RegisteredShortcut[]>([]))
  const isOn = useState('shortcuts-on', () => import.meta.server || readDeviceSetting(SHORTCUTS_SETTING) !== 'off')
  const list = useState('shortcuts-list', () => false)

  return { registered, isOn, list }
}

/**
 * Registers a shortcut of the page while this component is shown: `useShortcut('e', () => t('books.edit'), edit)`. Takes one key
 * that is not `g` and not used by the frame (`/`, `?`). The list of shortcuts and the palette show it, except while `isOffered`
 * is false.
 */
export function useShortcut(
  key: string,
  label: MaybeRefOrGetter<string>,
  act: () => unknown,
  isOffered?: MaybeRefOrGetter<boolean>,
): void {
  const { registered } = useShortcutState()
  const mine = { keys: [key], label, act, isOffered }
  onMounted(() => {
    registered.value = [...registered.value, mine]
  })
  onBeforeUnmount(() => {
    registered.value = registered.value.filter(each => each !== mine)
  })
}

/** Registers the shortcut `c` for the page's main create action: `useCreateShortcut(() => t('books.new'), create)`. */
export const useCreateShortcut = (
  label: MaybeRefOrGetter<string>,
  act: () => unknown,
  isOffered?: MaybeRefOrGetter<boolean>,
): void => useShortcut('c', label, act, isOffered)

/** Whether the keyboard has ⌘. */
export const isApple = (): boolean => /Mac|iP/.test(navigator.platform)

/** ⌘ K on a Mac, where Ctrl K edits text, and Ctrl K elsewhere. It also works while the user types. */
const opensPalette = ({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && !altKey && !shiftKey && (isApple() ? metaKey : ctrlKey)

/**
 * Listens to the keys of the frame and of its pages; for the layout only. The handlers load with the first key pressed outside of
 * a field, so the first page does not load them.
 */
export function useShortcutKeys(palette: { open: () => void; toggle: () => void }): void {
  const router = useRouter()
  const { registered, isOn, list } = useShortcutState()
  const { palette: pages } = useNavigation()
  let handle: ((event: KeyboardEvent) => void) | undefined
  let loading: Promise<typeof PageKeys> | undefined

  function listen(event: KeyboardEvent): void {
    if (opensPalette(event)) {
      event.preventDefault()
      palette.toggle()
    } else if (isOn.value && !event.defaultPrevented && event.key.length === 1) {
      if (handle) handle(event)
      else void load(event)
    }
  }

  async function load(event: KeyboardEvent): Promise<void> {
    // One promise for all keys, because the keys of a sequence must stay in order. After a network failure, the next key tries
    // again.
    loading ??= import('../shortcuts/page-keys')
    const keys = await loading.catch(() => (loading = undefined))
    handle ??= keys?.createPageKeys({ go: router.push, pages, registered, list, search: palette.open })
    handle?.(event)
  }

  onMounted(() => window.addEventListener('keydown', listen))
  onBeforeUnmount(() => window.removeEventListener('keydown', listen))
}
