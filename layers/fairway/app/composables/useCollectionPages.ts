import { type CollectionPage, readCollectionPage } from '#fairway/shared/collections/collection-page'
import type { ChangeOptions, ListedItem, ShownPage, Turn } from '../collections/collection-list'
import { type ListState, positionOf, requestPath } from '../collections/list-state'
import { ActionFailure } from '../request/action-failure'
import { sendJson } from '../request/send-json'

interface PagesOptions {
  /** The path of the collection. */
  path: string
  /** The state that the page currently requests. */
  wanted: Ref<ListState>
  isInfinite: boolean
  goTo: (next: Partial<ListState>, how?: ChangeOptions) => Promise<void>
}

/** Options of a repeated request. */
interface AskOptions {
  /** The minimum number of rows, for appended pages. */
  rows?: number
  /** A background refresh: replaces the rows without a loading state. */
  isQuiet?: boolean
}

/** Paging of one collection: by the address of the page, by the links of the response, or by appending. */
export function useCollectionPages<Item extends ListedItem>({ path, wanted, isInfinite, goTo }: PagesOptions) {
  const { page, status, error, answered, readAt, askedAt, load } = useCollectionRequest<Item>()
  const wantedPath = computed(() => requestPath(path, wanted.value))
  const shownItems = () => page.value?.items.length ?? 0
  /** The link that was followed, and the matching path of the address. */
  let followed: { link: string; path: string } | undefined

  /** Requests the state in the address. */
  async function ask(options: AskOptions = {}): Promise<void> {
    const as = wantedPath.value
    // A link is followed as received. After going back or reloading, the address produces the same request.
    const isHere = await load(followed?.path === as ? followed.link : as, { ...options, as })
    const last = page.value?.view?.last
    // The only row of the final page may have been deleted.
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

  /** Appends the next page. Returns true when there are more rows now. */
  async function append(): Promise<boolean> {
    const next = page.value?.view?.next
    if (next === undefined || status.value === 'pending') return false
    return load(next, { as: wantedPath.value, isJoined: true })
  }

  const refresh = (isQuiet = false) => ask({ isQuiet, rows: isInfinite ? shownItems() : 0 })

  /** Restarts after changes that are not in the address: other page filters, another organization. */
  async function restart(): Promise<void> {
    if (wanted.value.position) await goTo({ position: '' }, { replace: true })
    else await ask()
  }

  const isStale = computed(() => answered.value !== wantedPath.value)
  return { page, status, error, isStale, readAt, askedAt, wantedPath, ask, turn, append, refresh, restart }
}

/** Joins the shown rows and those of the next page. A row that moved between the pages is shown once. */
function joinPages<Item extends ListedItem>(shown: CollectionPage<Item>, next: CollectionPage<Item>) {
  const known = new Set(shown.items.map(item => item['@id']))
  return { ...next, items: [...shown.items, ...next.items.filter(item => !known.has(item['@id']))] }
}

interface LoadOptions extends AskOptions {
  as?: string
  isJoined?: boolean
}

/** Requests one page of a collection at a time. */
function useCollectionRequest<Item extends ListedItem>() {
  const { load: send, ...request } = useKeptRequest()
  const page = shallowRef<ShownPage<Item>>()
  /** The path that returned `page`. */
  const answered = ref<string>()

  /** Requests `path`. Returns true when its page arrived, false when it failed or was superseded. */
  const load = (path: string, { as = path, rows = 0, isJoined, isQuiet }: LoadOptions = {}): Promise<boolean> =>
    send({
      ask: async signal => {
        const first = await askForPage<Item>(path, signal)
        return withRows(isJoined && page.value ? joinPages(page.value, first) : first, rows, signal)
      },
      take: whole => {
        if (!isQuiet) page.value = whole
        else if (!isSamePage(page.value, whole)) page.value = { ...whole, isQuiet: true }
        answered.value = as
      },
      isQuiet,
    })

  return { ...request, page, answered, load }
}

/** A page joined with the pages after it, up to this number of rows. */
async function withRows<Item extends ListedItem>(
  page: CollectionPage<Item>,
  rows: number,
  signal: AbortSignal,
): Promise<CollectionPage<Item>> {
  let whole = page
  while (whole.items.length < rows && whole.view?.next !== undefined)
    whole = joinPages(whole, await askForPage<Item>(whole.view.next, signal))
  return whole
}

const isSamePage = <Item>(shown: ShownPage<Item> | undefined, { items, totalItems, view, can }: CollectionPage<Item>) =>
  shown !== undefined &&
  JSON.stringify([shown.items, shown.totalItems, shown.view, shown.can]) ===
    JSON.stringify([items, totalItems, view, can])

async function askForPage<Item>(path: string, signal: AbortSignal): Promise<CollectionPage<Item>> {
  const page = readCollectionPage(await sendJson(path, { signal }))
  const isOurs = (link: string) => new URL(link, location.origin).origin === location.origin
  if (!Object.values(page.view ?? {}).every(link => link === undefined || isOurs(link))) {
    throw new ActionFailure({ kind: 'problem', code: 'unreadable-answer', detail: 'A link leads elsewhere.' })
  }
  // The server has validated the items against the schema of this type.
  return page as CollectionPage<Item>
}
