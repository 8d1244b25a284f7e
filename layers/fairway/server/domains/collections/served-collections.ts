import type { App } from '#fairway/server/kernel/app-context'
import { type CollectionEntry, type ServedCollection, serveCollection } from './served-collection'

/** Every collection by its name, settled once for this application. */
export const servedCollections = (
  app: App,
  entries: readonly CollectionEntry[],
): ReadonlyMap<string, ServedCollection> =>
  app.memo('collections', () => {
    const { collections: config, baseUrl } = app.config
    return new Map(entries.map(entry => [entry.name, serveCollection(entry, { config, baseUrl })]))
  })
