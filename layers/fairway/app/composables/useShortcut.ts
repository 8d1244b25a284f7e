import type { RegisteredShortcut } from '../shortcuts/page-keys'
import type * as PageKeys from '../shortcuts/page-keys'
import { readDeviceSetting, SHORTCUTS_SETTING } from '../utils/device-setting'

/** The shortcuts of the page that is shown, whether there are any on this device, and whether their list is open. */
export function useShortcutState() {
  const registered = useState('shortcuts', () => shallowRef<readonly RegisteredShortcut[]>([]))
  const isOn = useState('shortcuts-on', () => import.meta.server || readDeviceSetting(SHORTCUTS_SETTING) !== 'off')
  const list = useState('shortcuts-list', () => false)

  return { registered, isOn, list }
}

/**
 * Gives the page a shortcut while this component is shown: `useShortcut('e', () => t('books.edit'), edit)`. One key that is not `g`,
 * and not one of the frame (`/`, `?`). It is in the list of shortcuts and in the palette, except while `isOffered` is false.
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

/** Gives the page the shortcut `c` for what it creates first of all: `useCreateShortcut(() => t('books.new'), create)`. */
export const useCreateShortcut = (
  label: MaybeRefOrGetter<string>,
  act: () => unknown,
  isOffered?: MaybeRefOrGetter<boolean>,
): void => useShortcut('c', label, act, isOffered)

/** Whether the keyboard has ⌘. */
export const isApple = (): boolean => /Mac|iP/.test(navigator.platform)

/** ⌘ K on a Mac, where Ctrl K edits text, and Ctrl K elsewhere; also while somebody types. */
const opensPalette = ({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && !altKey && !shiftKey && (isApple() ? metaKey : ctrlKey)

/**
 * Listens to the keys of the frame and of its pages; for the layout alone. What they do is fetched with the first key that is
 * pressed outside of a field, so that the first page loads nothing of it.
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
    // One promise for all, as the keys of a sequence must stay in their order; without a connection the next key asks again.
    loading ??= import('../shortcuts/page-keys')
    const keys = await loading.catch(() => (loading = undefined))
    handle ??= keys?.createPageKeys({ go: router.push, pages, registered, list, search: palette.open })
    handle?.(event)
  }

  onMounted(() => window.addEventListener('keydown', listen))
  onBeforeUnmount(() => window.removeEventListener('keydown', listen))
}
