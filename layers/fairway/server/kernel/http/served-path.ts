// Apart from what is read of requests, because the build reads declarations of collections, and they this.
import { isServerPath } from '#fairway/shared/paths'
import type { App } from '../app-context'

/** The first segments of the paths that handlers serve which the build mounts; each adds its name at start. */
export const mountedNames = (app: App): Set<string | undefined> =>
  app.memo('mounted-names', () => new Set<string | undefined>())

/** True for paths that answer data or framework pages, mounted handlers and all below them included, and never the application shell. */
export const isServedPath = (app: App | undefined, pathname: string): boolean =>
  isServerPath(pathname) || (app !== undefined && mountedNames(app).has(pathname.split('/', 2)[1]))
