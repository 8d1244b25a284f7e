import { type CollectionPage, readCollectionPage } from '#fairway/shared/collections/collection-page'
import type { ChangeOptions, ListedItem, Turn } from '../collections/collection-list'
import { type ListState, positionOf, requestPath } from '../collections/list-state'
import { ActionFailure } from '../request/action-failure'
import { toActionFailure, sendJson } from '../request/send-json'

interface PagesOptions {
  /** The path of the collection. */
  path: string
  /** What the page asks for at the moment. */
  wanted: Ref<ListState>
  isInfinite: boolean
  goTo: (next: Partial<ListState>, how?: ChangeOptions) => Promise<void>
}

/** Turning the pages of one collection: by the address of the page, by the links of the answer, or by appending. */
export function useCollectionPages<Item extends ListedItem>({ path, wanted, isInfinite, goTo }: PagesOptions) {
  const { page, status, error, answered, load } = useCollectionRequest<Item>()
  const wantedPath = computed(() => requestPath(path, wanted.value))
  const shownItems = () => page.value?.items.length ?? 0
  /** The link that was followed, and the path that the address stands for then. */
  let followed: { link: string; path: string } | undefined

  /** Asks for what the address says. */
  async function ask(): Promise<void> {
    const as = wantedPath.value
    // A link is followed as it is; after going back or reloading, the address says the same.
    const isHere = await load(followed?.path === as ? followed.link : as, { as })
    const last = page.value?.view?.last
    // The last row of the last page may have gone.
    if (isHere && shownItems() === 0 && wanted.value.position && last) await follow(last, { replace: true })
  }

  async function follow(link: string, how?: ChangeOptions): Promise<void> {
    const position = positionOf(link, wanted.value)
    followed = { link, path: requestPath(path, { ...wanted.value, position }) }
    if (position !== wanted.value.position) await goTo({ position }, how)
  }

  async function turn(to: Turn): Promise<void> {
    const link = page.value?.view?.[to]
    if (link !== undefined) await follow(link)
  }

  /** Appends the next page; true when there are more rows now. */
  async function append(): Promise<boolean> {
    const next = page.value?.view?.next
    if (next === undefined || status.value === 'pending') return false
    return load(next, { as: wantedPath.value, join: joinPages })
  }

  async function refresh(): Promise<void> {
    const shown = shownItems()
    await ask()
    if (!isInfinite || status.value !== 'success') return
    while (shownItems() < shown && (await append()));
  }

  /** Begins again where the address does not say it: other filters of the page, another organization. */
  async function restart(): Promise<void> {
    if (wanted.value.position) await goTo({ position: '' }, { replace: true })
    else await ask()
  }

  const isStale = computed(() => answered.value !== wantedPath.value)
  return { page, status, error, isStale, wantedPath, ask, turn, append, refresh, restart }
}

/** The rows that are shown and those of the next page; one that has moved meanwhile is not shown twice. */
function joinPages<Item extends ListedItem>(shown: CollectionPage<Item>, next: CollectionPage<Item>) {
  const known = new Set(shown.items.map(item => item['@id']))
  return { ...next, items: [...shown.items, ...next.items.filter(item => !known.has(item['@id']))] }
}

/** One page of a collection at a time: a newer request gives the older one up, and the last good page stays. */
function useCollectionRequest<Item>() {
  const { check } = useSession()
  const page = shallowRef<CollectionPage<Item>>()
  const status = ref<'idle' | 'pending' | 'success' | 'error'>('idle')
  const error = shallowRef<ActionFailure>()
  /** The path that `page` is the answer of. */
  const answered = ref<string>()
  let running: AbortController | undefined

  /** Asks for `path`; true when its page is here, false when it failed or is no longer wanted. */
  async function load(path: string, options: { as?: string; join?: JoinPages<Item> } = {}): Promise<boolean> {
    running?.abort()
    const { signal } = (running = new AbortController())
    status.value = 'pending'
    try {
      const next = await askForPage<Item>(path, signal)
      if (signal.aborted) return false
      page.value = page.value && options.join ? options.join(page.value, next) : next
      answered.value = options.as ?? path
      error.value = undefined
      status.value = 'success'
      return true
    } catch (thrown) {
      if (signal.aborted) return false
      error.value = toActionFailure(thrown)
      status.value = 'error'
      // The session may have ended meanwhile; the gate decides what to do then.
      if (error.value.status === 401) void check()
      return false
    }
  }

  onScopeDispose(() => running?.abort())

  return { page, status, error, answered, load }
}

type JoinPages<Item> = (shown: CollectionPage<Item>, next: CollectionPage<Item>) => CollectionPage<Item>

async function askForPage<Item>(path: string, signal: AbortSignal): Promise<CollectionPage<Item>> {
  const page = readCollectionPage(await sendJson(path, { signal }))
  const isOurs = (link: string) => new URL(link, location.origin).origin === location.origin
  if (!Object.values(page.view ?? {}).every(link => link === undefined || isOurs(link))) {
    throw new ActionFailure({ kind: 'problem', code: 'unreadable-answer', detail: 'A link leads elsewhere.' })
  }
  // The server has checked the items against the schema that this type is made from.
  return page as CollectionPage<Item>
}
