// Finds the request handlers as Nitro's file router does. Vitest's configuration loads this file, so it imports nothing from the
// server.
import { join } from 'node:path'
import {
  addressedActions,
  collectionFiles,
  collectionRoutes,
  DOCUMENT_ROUTES,
  operationRoutes,
} from '../modules/registry/catalogs'
import { filesBelow } from '../modules/registry/discover'
import { platformDir } from '../modules/registry/roots'

interface FoundHandler {
  file: string
  /** Missing for middleware. */
  route?: string
  method?: string
}

const SOURCE = /\.(ts|tsx|js|mjs|mts)$/
const ENDING = /(?:\.(connect|delete|get|head|options|patch|post|put|trace))?(?:\.(dev|prod|prerender))?$/

/**
 * Returns the route of a file below `server/routes` or `server/api`; undefined for a file that is built for another environment.
 */
function toHandler(folder: string, path: string, prefix: string): FoundHandler[] {
  const name = path
    .replace(SOURCE, '')
    .replaceAll(/\(([^(/]+)\)\//g, '')
    .replaceAll(/\[\.{3}\]/g, '**')
    .replaceAll(/\[\.{3}(\w+)\]/g, '**:$1')
    .replaceAll(/\[([^/\]]+)\]/g, ':$1')
  const [ending = '', method, environment] = ENDING.exec(name) ?? []
  if (environment !== undefined) return []
  const route = `${prefix}/${ending === '' ? name : name.slice(0, -ending.length)}`.replace(/\/index$/, '') || '/'
  return [{ file: join(folder, path), route, method }]
}

const sourcesIn = (folder: string): string[] =>
  filesBelow(folder)
    .filter(file => SOURCE.test(file) && !/\.(test|spec|d)\.ts$/.test(file))
    .toSorted((a, b) => a.localeCompare(b))

const routesIn = (root: string, place: string, prefix = ''): FoundHandler[] => {
  const folder = join(root, 'server', place)
  return sourcesIn(folder).flatMap(path => toHandler(folder, path, prefix))
}

const middlewareIn = (root: string): FoundHandler[] => {
  const folder = join(root, 'server/middleware')
  return sourcesIn(folder).map(path => ({ file: join(folder, path) }))
}

/** Returns all request handlers, the platform's before the application's: middleware, routes, and the routes of collections. */
export function findHandlers(rootDir: string): FoundHandler[] {
  const roots = [platformDir, rootDir]
  const mounted = (name: string, routes: readonly string[]) =>
    routes.map(route => ({ file: join(platformDir, 'server/mounted', `${name}.ts`), route }))
  return [
    ...roots.flatMap(middlewareIn),
    ...roots.flatMap(root => [...routesIn(root, 'routes'), ...routesIn(root, 'api', '/api')]),
    ...mounted('json-ld', DOCUMENT_ROUTES),
    ...mounted('operation', operationRoutes(addressedActions(rootDir))),
    ...mounted(
      'collection',
      collectionFiles(rootDir).flatMap(({ name }) => collectionRoutes(name)),
    ),
  ]
}

/** Returns the source of a module that lists the handlers; each one is loaded with its first request. */
export const handlersModule = (handlers: readonly FoundHandler[]): string =>
  `export const handlers = [\n${handlers
    .map(
      ({ file, route, method }) =>
        `  { route: ${JSON.stringify(route)}, method: ${JSON.stringify(method)}, load: () => import(${JSON.stringify(file)}) },\n`,
    )
    .join('')}]\n`
