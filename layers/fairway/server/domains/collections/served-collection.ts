import type { CollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import type { Collection } from './collection'
import { type EffectiveOptions, effectiveOptions } from './effective-options'
import type { CollectionQuery } from './page'

/** A collection under its name, with everything about it that no request changes. */
export interface ServedCollection {
  name: string
  shortName: string
  collection: Collection
  options: EffectiveOptions
  config: CollectionsConfig
  /** The path of its address, for example `/notes`. */
  path: string
  /** How its own links begin: a path or an address, as it is configured. */
  iri: string
  orderFields: ReadonlySet<string>
  filters: Collection['filters']
  readerHints: Pick<CollectionQuery, 'fetchJoinCollection' | 'useOutputWalkers'>
}

/** A declared collection and its file's name. */
export interface CollectionEntry {
  name: string
  collection: Collection
}

/** Settles the options of one declared collection for this application. */
export function serveCollection(
  { name, collection }: CollectionEntry,
  { config, baseUrl }: { config: CollectionsConfig; baseUrl: string },
): ServedCollection {
  const options = effectiveOptions([collection.operations.list, collection.pagination, config.defaults])
  const cursorFields = options.viaCursor?.map(({ field }) => field) ?? []
  const path = `/${name}`
  return Object.freeze({
    name,
    shortName: collection.shortName ?? toShortName(name),
    collection,
    options,
    config,
    path,
    iri: iriPrefix(config.urlGenerationStrategy, baseUrl) + path,
    orderFields: new Set([...collection.order, ...cursorFields]),
    filters: withCursorFilters(collection.filters, cursorFields),
    readerHints: { fetchJoinCollection: options.fetchJoinCollection, useOutputWalkers: options.useOutputWalkers },
  })
}

/** `team-members` as the name of a type: `TeamMember`, or `TeamMembers` where the plural cannot be told. */
export const toShortName = (name: string): string =>
  name
    .replace(/([a-z]{2})ies$/, '$1y')
    .replace(/([a-z][^siu])s$/, '$1')
    .split('-')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** What stands before the paths of links; absolute ones come from the configured address, never from the request. */
export function iriPrefix(strategy: CollectionsConfig['urlGenerationStrategy'], baseUrl: string): string {
  if (strategy === 'path') return ''
  return strategy === 'absolute' ? baseUrl : baseUrl.slice(baseUrl.indexOf('//'))
}

// A cursor needs its range filter and order; they are implied.
function withCursorFilters(filters: Collection['filters'], cursorFields: readonly string[]): Collection['filters'] {
  const missing = cursorFields.filter(field => ![filters[field] ?? []].flat().includes('range'))
  const implied = missing.map(field => [field, [...[filters[field] ?? []].flat(), 'range' as const]] as const)
  return missing.length === 0 ? filters : { ...filters, ...Object.fromEntries(implied) }
}
