/** A column of the cursor and the way it runs. */
export interface OrderBy {
  field: string
  direction: 'ASC' | 'DESC'
}

/** How a collection is cut into pages; on the operation it outranks the resource, which outranks the global defaults. What is left out is inherited. */
export interface PaginationOptions {
  /** `false` answers with every row, up to the hard limit. */
  paginationEnabled?: boolean
  /** Rows of a page, 30 by default; 0 is an empty page with the real total. */
  paginationItemsPerPage?: number
  /** The most rows that a client may ask for; `null` is no limit at all. */
  paginationMaximumItemsPerPage?: number | null
  /** Whether the client may switch pagination (`?pagination=false`). */
  paginationClientEnabled?: boolean
  /** Whether the client may choose the page size (`?itemsPerPage=50`). */
  paginationClientItemsPerPage?: boolean
  /** Whether the client may ask for pages without a total (`?partial=true`). */
  paginationClientPartial?: boolean
  /** Pages without a count: no total and no last page. */
  paginationPartial?: boolean
  /** The columns that pages go on from; needs `paginationPartial`. */
  paginationViaCursor?: readonly OrderBy[]
  /** How a cursor is written: `bounds` (`id[lt]=8`, the default) or `opaque` (`cursor=<sealed token>`). */
  paginationCursorFormat?: 'bounds' | 'opaque'
  /** Forces or forbids reading the page's keys first and then their rows. */
  paginationFetchJoinCollection?: boolean
  /** Forces or forbids counting and paging over the wrapped query. */
  paginationUseOutputWalkers?: boolean
}

const builtIn = {
  paginationEnabled: true,
  paginationItemsPerPage: 30,
  paginationMaximumItemsPerPage: 100,
  paginationClientEnabled: false,
  paginationClientItemsPerPage: false,
  paginationClientPartial: false,
  paginationPartial: false,
  paginationCursorFormat: 'bounds',
} as const

/** Settles each option by the first layer that names it: operation, resource, global, then what is built in. `false`, `0` and `null` are values. */
export function effectiveOptions(layers: readonly PaginationOptions[]) {
  const named = mergeOptions(layers)
  const all = { ...builtIn, ...named }
  return Object.freeze({
    enabled: all.paginationEnabled,
    itemsPerPage: all.paginationItemsPerPage,
    /** The most rows of a page once the client may choose; null is no limit. */
    maximumItemsPerPage: all.paginationMaximumItemsPerPage,
    clientEnabled: all.paginationClientEnabled,
    clientItemsPerPage: all.paginationClientItemsPerPage,
    clientPartial: all.paginationClientPartial,
    partial: all.paginationPartial,
    viaCursor: named.paginationViaCursor,
    cursorFormat: all.paginationCursorFormat,
    fetchJoinCollection: named.paginationFetchJoinCollection,
    useOutputWalkers: named.paginationUseOutputWalkers,
  })
}

/** The pagination of one operation with every value settled. */
export type EffectiveOptions = ReturnType<typeof effectiveOptions>

/** One set of options out of several; earlier layers win, and undefined is inherited. */
export function mergeOptions(layers: readonly PaginationOptions[]): PaginationOptions {
  const given = layers.map(layer => Object.entries(layer).filter(([, value]) => value !== undefined))
  return Object.fromEntries(given.toReversed().flat())
}
