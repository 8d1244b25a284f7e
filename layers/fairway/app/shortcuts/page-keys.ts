import { type MaybeRefOrGetter, toValue } from 'vue'
import type { NavigationEntry } from '../composables/useNavigation'

/** A shortcut that is active while its page is shown. */
export interface RegisteredShortcut {
  /** One key, or two keys that begin with `g`. */
  keys: readonly string[]
  /** Its label in the list and the palette. */
  label: MaybeRefOrGetter<string>
  act: () => unknown
  /** Whether it is active now; true by default. */
  isOffered?: MaybeRefOrGetter<boolean>
}

/** The active shortcuts. */
export const offeredOf = (registered: readonly RegisteredShortcut[]): RegisteredShortcut[] =>
  registered.filter(({ isOffered = true }) => toValue(isOffered))

/** The relevant properties of a pressed key. */
export interface PressedKey {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  isComposing: boolean
  repeat: boolean
  target: EventTarget | null
}

const PAUSE_IN_MS = 1200

/**
 * Reads shortcuts from pressed keys: single keys, and pairs that begin with `g`. `press` returns `?` or `g n` once it is
 * complete. Ignores keys with modifiers, repeated keys, and input in a field, a dialog or a menu.
 */
export function createKeySequence(now: () => number) {
  let led = Number.NEGATIVE_INFINITY

  function press(event: PressedKey): string | undefined {
    const isFollowing = now() - led < PAUSE_IN_MS
    led = Number.NEGATIVE_INFINITY
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return undefined
    if (isTypingInto(event.target)) return undefined
    const key = event.key.length === 1 ? event.key : ''
    if (key === '') return undefined
    if (isFollowing) return `g ${key}`
    if (key !== 'g') return key
    led = now()
    return undefined
  }

  return { press }
}

const TAKES_KEYS =
  'input, textarea, select, [contenteditable=""], [contenteditable=true], [role=textbox], [role=combobox]'
const OVER_THE_PAGE = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'

const isTypingInto = (target: EventTarget | null): boolean =>
  target !== null &&
  'closest' in target &&
  typeof target.closest === 'function' &&
  target.closest(`${TAKES_KEYS}, ${OVER_THE_PAGE}`) !== null

/** The effects of the keys. */
interface PageKeys {
  go: (path: string) => unknown
  pages: Readonly<Ref<readonly NavigationEntry[]>>
  registered: Readonly<Ref<readonly RegisteredShortcut[]>>
  /** Whether the list of shortcuts is open. */
  list: Ref<boolean>
  /** Opens the search when the page has no search field. */
  search: () => unknown
}

/** Handles the keys that are pressed on a page. */
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
    // The newest shortcut wins, so a component overrides its page.
    return offeredOf(registered.value).findLast(each => each.keys.join(' ') === keys)?.act
  }

  return (event: KeyboardEvent): void => {
    // An open dialog disables page shortcuts, regardless of the focus.
    if (document.querySelector('[role=dialog], [role=alertdialog]')) return
    const keys = press(event)
    const act = keys === undefined ? undefined : actOf(keys)
    if (!act) return
    event.preventDefault()
    void act()
  }
}
