import type { CollectionPage } from '#fairway/shared/collections/collection-page'
import type { ChangeOptions, ListedItem, Turn } from '../collections/collection-list'
import { type ListState, positionOf, requestPath } from '../collections/list-state'

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
