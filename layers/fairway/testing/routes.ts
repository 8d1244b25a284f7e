// What answers requests, as Nitro's file router finds it. Vitest's configuration loads this file: it imports nothing of the server.
import { join } from 'node:path'
import { collectionFiles, collectionRoutes, DOCUMENT_ROUTES, operationRoutes } from '../modules/registry/catalogs'
import { filesBelow } from '../modules/registry/discover'
import { platformDir } from '../modules/registry/roots'

interface FoundHandler {
  file: string
  /** Not given for middleware. */
  route?: string
  method?: string
}

const SOURCE = /\.(ts|tsx|js|mjs|mts)$/
const ENDING = /(?:\.(connect|delete|get|head|options|patch|post|put|trace))?(?:\.(dev|prod|prerender))?$/

/** The route of a file below `server/routes` or `server/api`; undefined for what is built for another environment. */
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

/** Everything that answers requests, the platform's before the application's: middleware, routes, and what is mounted for collections. */
export function findHandlers(rootDir: string): FoundHandler[] {
  const roots = [platformDir, rootDir]
  const mounted = (name: string, routes: readonly string[]) =>
    routes.map(route => ({ file: join(platformDir, 'server/mounted', `${name}.ts`), route }))
  return [
    ...roots.flatMap(middlewareIn),
    ...roots.flatMap(root => [...routesIn(root, 'routes'), ...routesIn(root, 'api', '/api')]),
    ...mounted('json-ld', DOCUMENT_ROUTES),
    ...mounted('operation', operationRoutes()),
    ...mounted(
      'collection',
      collectionFiles(rootDir).flatMap(({ name }) => collectionRoutes(name)),
    ),
  ]
}

/** The source of a module that lists them, each loaded with the first request for it. */
export const handlersModule = (handlers: readonly FoundHandler[]): string =>
  `export const handlers = [\n${handlers
    .map(
      ({ file, route, method }) =>
        `  { route: ${JSON.stringify(route)}, method: ${JSON.stringify(method)}, load: () => import(${JSON.stringify(file)}) },\n`,
    )
    .join('')}]\n`
