import type { App } from '#fairway/server/kernel/app-context'
import { type CollectionsConfig, RELATIONAL_OPTIONS } from '#fairway/server/kernel/config/collections-config'
import { mergeOptions } from './effective-options'
import { type CollectionEntry, type ServedCollection, serveCollection } from './served-collection'
import { collectionNames } from './served-path'

/** Looks at all collections before the first request: throws with what does not go together with the application's settings, and logs what is unwise. */
export function checkCollections(app: App, entries: readonly CollectionEntry[]): void {
  const { collections: config, baseUrl } = app.config
  const faults = collectionFaults(entries, config)
  if (faults.length > 0)
    throw new Error(`These collections cannot be served:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
  const names = collectionNames(app)
  for (const entry of entries) {
    names.add(entry.name)
    const { options } = serveCollection(entry, { config, baseUrl })
    if (options.clientItemsPerPage && options.maximumItemsPerPage === null)
      app.log.warn('a collection lets clients choose pages of any size', { collection: entry.name })
  }
}

/** What does not go together: a collection with the settings, or two collections with each other. */
export function collectionFaults(entries: readonly CollectionEntry[], config: CollectionsConfig): string[] {
  const served = entries.map(entry => serveCollection(entry, { config, baseUrl: '' }))
  const byShortName = Map.groupBy(served, ({ shortName }) => shortName)
  const twice = [...byShortName]
    .filter(([, same]) => same.length > 1)
    .map(
      ([shortName, same]) =>
        `${same.map(fileOf).join(' and ')}: both are of the type ${shortName}; give one of them a shortName`,
    )
  return [...served.flatMap(one => faultsOf(one).map(fault => `${fileOf(one)}: ${fault}`)), ...twice]
}

const fileOf = ({ name }: { name: string }): string => `server/collections/${name}.ts`

const faultsOf = (served: ServedCollection): string[] => [
  ...cursorFaults(served),
  ...runtimeFaults(served),
  ...nameFaults(served),
]

function cursorFaults({ options, collection }: ServedCollection): string[] {
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
