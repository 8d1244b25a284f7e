import type { NavigationEntry } from '../composables/useNavigation'
import { createKeySequence, type RegisteredShortcut } from './key-sequence'

/** What the keys may do. */
interface PageKeys {
  go: (path: string) => unknown
  pages: Readonly<Ref<readonly NavigationEntry[]>>
  registered: Readonly<Ref<readonly RegisteredShortcut[]>>
  /** Whether the list of shortcuts is open. */
  list: Ref<boolean>
  /** Searches where the page has no search of its own. */
  search: () => unknown
}

/** Does what the keys say that are pressed on a page. */
export function createPageKeys({ go, pages, registered, list, search }: PageKeys) {
  const { press } = createKeySequence(() => performance.now())

  function focusSearch(): void {
    const fields = [...document.querySelectorAll<HTMLInputElement>('main [role=search] input, main input[type=search]')]
    const shown = fields.find(each => each.offsetParent !== null)
    if (!shown) return void search()
    shown.focus()
    shown.select()
  }

  function actOf(keys: string): (() => unknown) | undefined {
    if (keys === '/') return focusSearch
    if (keys === '?') return () => (list.value = true)
    const page = pages.value.find(({ shortcut }) => `g ${shortcut}` === keys)
    if (page) return () => go(page.to)
    // The newest one wins, as a part of the page does over the page.
    return registered.value.findLast(each => each.keys.join(' ') === keys)?.act
  }

  return (event: KeyboardEvent): void => {
    // A dialog that is open has the page's attention, wherever the focus is.
    if (document.querySelector('[role=dialog], [role=alertdialog]')) return
    const keys = press(event)
    const act = keys === undefined ? undefined : actOf(keys)
    if (!act) return
    event.preventDefault()
    void act()
  }
}
