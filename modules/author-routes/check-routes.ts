import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { routeFault } from './route-fault'

/** A route as the build has found it; without a method it takes any. */
export interface FoundRoute {
  handler: string
  method?: string
  middleware?: boolean
}

export interface AuthorPlaces {
  /** The folder that messages name files from. */
  rootDir: string
  /** Where authors' routes lie, below it. */
  places: readonly string[]
  /** What of it belongs to the platform: files, and folders that end with a slash. */
  platform: readonly string[]
}

const READING = new Set(['get', 'head', 'options', 'connect', 'trace'])

const CURE =
  'begin with `const { db, session } = await useFairway(event)` or `await requireSession(event)`, or declare it with `definePublicRoute(…)` where anyone may call it'

/** Looks at every route of an author's that can change data; throws with the file, the reason and the cure of each that must not be served. */
export function checkRoutes(routes: readonly FoundRoute[], where: AuthorPlaces): void {
  const files = new Set(
    routes
      .filter(({ method, middleware }) => !middleware && !READING.has(method?.toLowerCase() ?? ''))
      .map(({ handler }) => relative(where.rootDir, handler).split(sep).join('/'))
      .filter(path => isAuthors(path, where)),
  )
  const faults = [...files].toSorted().flatMap(path => {
    const fault = routeFault(path, readFileSync(join(where.rootDir, path), 'utf8'))
    return fault ? [`${path}: ${fault}`] : []
  })
  if (faults.length > 0) {
    throw new Error(
      `These routes can change data and are not protected:\n${faults.map(fault => `  - ${fault}`).join('\n')}\nTo cure it, ${CURE}.`,
    )
  }
}

const isAuthors = (path: string, { places, platform }: AuthorPlaces): boolean =>
  places.some(place => path.startsWith(`${place}/`)) &&
  !platform.some(own => (own.endsWith('/') ? path.startsWith(own) : path === own))
