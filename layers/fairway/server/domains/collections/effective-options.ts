/** A column of the cursor and its direction. */
export interface OrderBy {
  field: string
  direction: 'ASC' | 'DESC'
}

/**
 * How a collection is paginated. The operation's options override the resource's, which override the global defaults. Missing
 * options are inherited.
 */
export interface PaginationOptions {
  /** `false` returns all rows, up to the hard limit. */
  paginationEnabled?: boolean
  /** Rows per page, 30 by default. 0 returns an empty page with the real total. */
  paginationItemsPerPage?: number
  /** The maximum page size that a client may request; `null` means no limit. */
  paginationMaximumItemsPerPage?: number | null
  /** Whether the client may turn pagination on or off (`?pagination=false`). */
  paginationClientEnabled?: boolean
  /** Whether the client may choose the page size (`?itemsPerPage=50`). */
  paginationClientItemsPerPage?: boolean
  /** Whether the client may request pages without a total (`?partial=true`). */
  paginationClientPartial?: boolean
  /** Pages without a count: they have no total and no last page. */
  paginationPartial?: boolean
  /** The columns of cursor pagination; requires `paginationPartial`. */
  paginationViaCursor?: readonly OrderBy[]
  /** The format of cursors: `bounds` (`id[lt]=8`, the default) or `opaque` (`cursor=<sealed token>`). */
  paginationCursorFormat?: 'bounds' | 'opaque'
  /** Forces or forbids reading the keys of a page first and then their rows. */
  paginationFetchJoinCollection?: boolean
  /** Forces or forbids counting and paginating over the wrapped query. */
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

/**
 * Resolves each option to the first layer that sets it: operation, resource, global, built-in default. `false`, `0` and `null`
 * count as set.
 */
export function effectiveOptions(layers: readonly PaginationOptions[]) {
  const named = mergeOptions(layers)
  const all = { ...builtIn, ...named }
  return Object.freeze({
    enabled: all.paginationEnabled,
    itemsPerPage: all.paginationItemsPerPage,
    /** The largest page size when the client may choose it; null means no limit. */
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

/** The resolved pagination options of one operation. */
export type EffectiveOptions = ReturnType<typeof effectiveOptions>

/** Merges several sets of options. Earlier layers take precedence, and undefined is inherited. */
export function mergeOptions(layers: readonly PaginationOptions[]): PaginationOptions {
  const stated = layers.map(layer => Object.entries(layer).filter(([, value]) => value !== undefined))
  return Object.fromEntries(stated.toReversed().flat())
}
