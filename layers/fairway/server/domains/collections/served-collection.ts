// Resolves collections and their settings, and validates all of them at start.
import type { App } from '#fairway/server/kernel/app-context'
import { type CollectionsConfig, RELATIONAL_OPTIONS } from '#fairway/server/kernel/config/collections-config'
import type { Config } from '#fairway/server/kernel/config/config'
import { mountedNames } from '#fairway/server/kernel/http/request-info'
import { COLLECTIONS_DOCUMENTATION_PATH } from '#fairway/shared/paths'
import type { Collection } from './collection'
import { effectiveOptions, mergeOptions } from './effective-options'

/** A declared collection and its file's name. */
export interface CollectionEntry {
  name: string
  collection: Collection
}

/** All collections by name, resolved once for this application. */
export const servedCollections = (
  app: App,
  entries: readonly CollectionEntry[],
): ReadonlyMap<string, ServedCollection> =>
  app.memo('collections', () => {
    const { collections: config, baseUrl } = app.config
    return new Map(entries.map(entry => [entry.name, serveCollection(entry, config, baseUrl)]))
  })

/** Resolves everything about a declared collection that does not depend on a request. */
function serveCollection({ name, collection }: CollectionEntry, config: CollectionsConfig, baseUrl: string) {
  const options = effectiveOptions([collection.operations.list, collection.pagination, config.defaults])
  const cursorFields = options.viaCursor?.map(({ field }) => field) ?? []
  const path = `/${name}`
  collection.reader.serveAs?.(name)
  return Object.freeze({
    name,
    shortName: collection.shortName ?? toShortName(name),
    collection,
    options,
    config,
    /** The path of its address, for example `/notes`. */
    path,
    /** Its link: the path after the configured prefix. */
    iri: iriPrefix({ collections: config, baseUrl }) + path,
    /** The address of the document that describes it. */
    documentation: documentationUrl({ baseUrl }),
    orderFields: new Set([...collection.order, ...cursorFields]),
    filters: withCursorFilters(collection.filters, cursorFields),
    refusesUnknown: (collection.unknownParameters ?? config.unknownParameters) === 'refuse',
    readerHints: { fetchJoinCollection: options.fetchJoinCollection, useOutputWalkers: options.useOutputWalkers },
  })
}

/** A collection with its name and its resolved settings. */
export type ServedCollection = ReturnType<typeof serveCollection>

/** Converts `team-members` to a type name: `TeamMember`, or `TeamMembers` when the plural is not recognized. */
const toShortName = (name: string): string =>
  name
    .replace(/([a-z]{2})ies$/, '$1y')
    .replace(/([a-z][^siu])s$/, '$1')
    .split('-')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The prefix of links. Absolute ones use the configured address, never that of the request. */
export function iriPrefix({ collections, baseUrl }: Pick<Config, 'collections' | 'baseUrl'>): string {
  if (collections.urlGenerationStrategy === 'path') return ''
  return collections.urlGenerationStrategy === 'absolute' ? baseUrl : baseUrl.slice(baseUrl.indexOf('//'))
}

/** The absolute address of the description of the collections: clients may have only the `Link` header to follow. */
export const documentationUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  baseUrl + COLLECTIONS_DOCUMENTATION_PATH

// A cursor requires a range filter and an order on its fields; both are implied.
function withCursorFilters(filters: Collection['filters'], cursorFields: readonly string[]): Collection['filters'] {
  const missing = cursorFields.filter(field => ![filters[field] ?? []].flat().includes('range'))
  const implied = missing.map(field => [field, [...[filters[field] ?? []].flat(), 'range' as const]] as const)
  return missing.length === 0 ? filters : { ...filters, ...Object.fromEntries(implied) }
}

/**
 * Validates all collections at start: throws for conflicts with the application's settings, logs warnings, and registers their
 * paths.
 */
export function checkCollections(app: App, entries: readonly CollectionEntry[]): void {
  const faults = [
    ...collectionFaults(entries, app.config.collections),
    ...roleFaults(entries, app.config.appRoles?.roles),
    ...permissionFaults(entries, app.config.permissions.names),
  ]
  if (faults.length > 0)
    throw new Error(`These collections cannot be served:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
  for (const [name, { options }] of servedCollections(app, entries)) {
    mountedNames(app).add(name)
    if (options.clientItemsPerPage && options.maximumItemsPerPage === null)
      app.log.warn('a collection lets clients choose pages of any size', { collection: name })
  }
}

/** Returns the conflicts with the settings or with another collection; each error names its file. */
export function collectionFaults(entries: readonly CollectionEntry[], config: CollectionsConfig): string[] {
  const served = entries.map(entry => serveCollection(entry, config, ''))
  const byShortName = Map.groupBy(served, ({ shortName }) => shortName)
  const twice = [...byShortName]
    .filter(([, same]) => same.length > 1)
    .map(
      ([shortName, same]) =>
        `${same.map(fileOf).join(' and ')}: both are of the type ${shortName}; give one of them a shortName`,
    )
  return [...served.flatMap(one => faultsOf(one).map(fault => `${fileOf(one)}: ${fault}`)), ...twice]
}

const roleFaults = (entries: readonly CollectionEntry[], declared: readonly string[] = []): string[] =>
  entries.flatMap(entry =>
    entry.collection.appRoles
      .filter(role => !declared.includes(role))
      .map(
        role =>
          `${fileOf(entry)}: a policy names the app role ${role}; appRoles of fw.config.ts has ${declared.join(', ') || 'none'}`,
      ),
  )

const permissionFaults = (entries: readonly CollectionEntry[], declared: readonly string[]): string[] =>
  entries.flatMap(entry =>
    [...entry.collection.permissions, ...(entry.collection.guard?.permissions ?? [])]
      .filter(name => !declared.includes(name))
      .map(
        name =>
          `${fileOf(entry)}: it names the permission ${name}; permissions of fw.config.ts has ${declared.join(', ') || 'none'}`,
      ),
  )

const fileOf = ({ name }: { name: string }): string => `server/collections/${name}.ts`

const faultsOf = (served: ServedCollection): string[] => [
  ...settingCursorFaults(served),
  ...runtimeFaults(served),
  ...nameFaults(served),
]

function settingCursorFaults({ options, collection }: ServedCollection): string[] {
  if (!options.viaCursor) return []
  const unknown = options.viaCursor.filter(({ field }) => !Object.hasOwn(collection.item.shape, field))
  return [
    ...(options.partial ? [] : ['paginationViaCursor: needs paginationPartial: true']),
    ...unknown.map(({ field }) => `paginationViaCursor: the item has no field ${field}`),
  ]
}

function runtimeFaults({ collection, config }: ServedCollection): string[] {
  if (config.runtime !== 'simple') return []
  const declared = mergeOptions([collection.operations.list, collection.pagination])
  const { needs = [] } = collection.reader
  return [
    ...RELATIONAL_OPTIONS.filter(option => declared[option] !== undefined).map(
      option => `${option}: does not exist with runtime: 'simple'`,
    ),
    ...needs.map(
      ({ part, option }) => `source: its ${part} need ${option}, which does not exist with runtime: 'simple'`,
    ),
  ]
}

function nameFaults({ filters, config }: ServedCollection): string[] {
  const taken = new Set([...Object.values(config.pagination), config.orderParameterName])
  return Object.keys(filters)
    .filter(field => taken.has(field))
    .map(field => `filters: ${field} is the name of a parameter; rename the parameter in fw.config`)
}
