import type { App } from '#fairway/server/kernel/app-context'
import { isServerPath } from '#fairway/shared/paths'

/** The names of the collections that this application serves; filled when they are checked at start. */
export const collectionNames = (app: App): Set<string | undefined> =>
  app.memo('collection-names', () => new Set<string | undefined>())

/** True for paths that answer data or framework pages, collections and their items included, and never the application shell. */
export const isServedPath = (app: App | undefined, pathname: string): boolean =>
  isServerPath(pathname) || (app !== undefined && collectionNames(app).has(pathname.split('/', 2)[1]))
