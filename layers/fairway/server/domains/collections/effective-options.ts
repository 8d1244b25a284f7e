import type { OrderBy, PaginationOptions } from './pagination-options'

/** The pagination of one operation with every value settled. */
export interface EffectiveOptions {
  enabled: boolean
  itemsPerPage: number
  /** The most rows of a page once the client may choose; null is no limit. */
  maximumItemsPerPage: number | null
  clientEnabled: boolean
  clientItemsPerPage: boolean
  clientPartial: boolean
  partial: boolean
  viaCursor?: readonly OrderBy[]
  cursorFormat: 'bounds' | 'opaque'
  fetchJoinCollection?: boolean
  useOutputWalkers?: boolean
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
export function effectiveOptions(layers: readonly PaginationOptions[]): EffectiveOptions {
  const named = mergeOptions(layers)
  const all = { ...builtIn, ...named }
  return Object.freeze({
    enabled: all.paginationEnabled,
    itemsPerPage: all.paginationItemsPerPage,
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

/** One set of options out of several; earlier layers win, and undefined is inherited. */
export function mergeOptions(layers: readonly PaginationOptions[]): PaginationOptions {
  const given = layers.map(layer => Object.entries(layer).filter(([, value]) => value !== undefined))
  return Object.fromEntries(given.toReversed().flat())
}
