import { withOrg } from '../session/page-org'

/** One field to sort by. Several sort by the first, then the second. */
export interface SortBy {
  field: string
  direction: 'asc' | 'desc'
}

/** The value of a filter. A list matches any of its values. */
export type FilterValue = string | number | boolean | readonly string[]

/** Filters by their name in the collection: `title`, or `updatedAt[gt]` for ranges. Empty values are ignored. */
export type Filters = Readonly<Record<string, FilterValue | undefined>>

/** The state of a list that is kept in the address of the page. */
export interface ListState {
  filters: Filters
  order: readonly SortBy[]
  /** Undefined uses the server's default. */
  pageSize?: number
  /** The parameters that a link of the collection adds, for example `page=2` or `id[lt]=8`; empty on the first page. */
  position: string
}

export interface ListKeys {
  /** Prefix of every key, so that several lists can share one page. */
  prefix: string
  /** The filters that are kept in the address. */
  filters: readonly string[]
}

type Query = Readonly<Record<string, unknown>>

const PAGE = /^page=([1-9]\d{0,8})$/

/** Reads the state of a list from the query of the page. Ignores invalid values. */
export function readListState(query: Query, { prefix, filters }: ListKeys): ListState {
  const one = (key: string) => textsOf(query[prefix + key])[0]
  const size = Number(one('size'))
  const page = Number(one('page'))
  return {
    filters: Object.fromEntries(
      filters.flatMap(name => {
        const values = textsOf(query[prefix + name]).filter(Boolean)
        return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]]
      }),
    ),
    order: readOrder(one('sort')),
    pageSize: Number.isInteger(size) && size > 0 ? size : undefined,
    position: one('at') ?? (Number.isInteger(page) && page > 1 ? `page=${page}` : ''),
  }
}

/** The query of the page with the state of a list. Keeps the page's other keys. */
export function writeListState(
  query: Query,
  state: ListState,
  { prefix, filters }: ListKeys,
): Record<string, string | string[]> {
  const [, page] = PAGE.exec(state.position) ?? []
  const mine: Record<string, string | readonly string[] | undefined> = {
    ...Object.fromEntries(filters.map(name => [name, textsOf(state.filters[name])])),
    sort: state.order.map(({ field, direction }) => (direction === 'desc' ? `-${field}` : field)).join(','),
    size: state.pageSize?.toString(),
    page: page === '1' ? undefined : page,
    at: page === undefined ? state.position : undefined,
  }
  const listKeys = new Set(Object.keys(mine).map(key => prefix + key))
  const others = Object.entries(query).filter(([key]) => !listKeys.has(key))
  const entries = [...others, ...Object.entries(mine).map(([key, value]) => [prefix + key, value] as const)]
  return Object.fromEntries(entries.map(([key, value]) => [key, toQueryValue(value)] as const).filter(isThere))
}

/** The path and query that request this state from the collection. */
export function requestPath(path: string, state: ListState): string {
  const query = settingsOf(state)
  for (const [name, value] of new URLSearchParams(state.position)) query.append(name, value)
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** The path and query of a file with all rows of this state, regardless of the shown page. */
export const exportPath = (path: string, format: 'csv' | 'jsonl', { filters, order }: ListState): string =>
  withOrg(requestPath(`${path}/export/${format}`, { filters, order, position: '' }))

/** The position that a link of the collection adds to the settings of the list. */
export function positionOf(link: string, state: ListState): string {
  const settings = settingsOf(state)
  const added = [...new URL(link, 'http://collection.invalid').searchParams].filter(
    ([name, value]) => !settings.has(name, value) && !settings.has(name.replace(/\[\d+\]$/, '[]'), value),
  )
  const [only] = added
  if (added.length === 1 && only?.[0] === 'page') return only[1] === '1' ? '' : `page=${only[1]}`
  return new URLSearchParams(added).toString()
}

function settingsOf({ filters, order, pageSize }: ListState): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    const values = textsOf(value).filter(Boolean)
    for (const each of values) query.append(values.length > 1 ? `${name}[]` : name, each)
  }
  for (const { field, direction } of order) query.append(`order[${field}]`, direction)
  if (pageSize !== undefined) query.append('itemsPerPage', String(pageSize))
  return query
}

function readOrder(text = ''): SortBy[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => /^-?\w+$/.test(part))
    .map(part =>
      part.startsWith('-') ? { field: part.slice(1), direction: 'desc' } : { field: part, direction: 'asc' },
    )
}

function textsOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter(each => each !== undefined && each !== null).map(String)
}

function toQueryValue(value: unknown): string | string[] {
  const texts = textsOf(value)
  return texts.length === 1 ? texts[0]! : texts
}

const isThere = ([, value]: readonly [string, string | string[]]): boolean => value.length > 0

interface Place {
  /** The address of the page that the user left. */
  address: string
  rows: number
  top: number
}

/**
 * The scroll position and row count of a list when the user left it. Restored when the user returns through the history or from a
 * page below it.
 */
export function useListPlace(key: string, shownRows: () => number) {
  const router = useRouter()
  const route = useRoute()
  const places = useState<Record<string, Place | undefined>>('fairway-list-places', () => ({}))
  const place = places.value[key]

  const stop = router.beforeEach((to, from) => {
    if (to.path !== from.path)
      places.value = { ...places.value, [key]: { address: from.fullPath, rows: shownRows(), top: window.scrollY } }
  })
  onScopeDispose(stop)

  /** Requests as many rows as before, then restores the scroll position. */
  async function returnTo(ask: (rows: number) => Promise<void>): Promise<void> {
    if (!place || place.address !== route.fullPath || !comesBack(route.path, router.options.history.state))
      return ask(0)
    await ask(place.rows)
    await nextTick()
    if (place.top > window.scrollY) window.scrollTo({ top: place.top })
  }

  return { returnTo }
}

/** Whether the history shows a return: there is a page to go forward to, or the previous page is below this one. */
export const comesBack = (path: string, { back, forward }: { back?: unknown; forward?: unknown }): boolean =>
  Boolean(forward) || String(back).startsWith(`${path.replace(/\/$/, '')}/`)
