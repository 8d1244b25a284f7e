import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isHouse } from '../registry/roots'
import { routeFault } from './route-fault'

/** A route as the build has found it; without a method it takes any. */
export interface FoundRoute {
  handler: string
  method?: string
  middleware?: boolean
}

const READING = new Set(['get', 'head', 'options', 'connect', 'trace'])

const CURE =
  'begin with `const { db, session } = await useFairway(event)` or `await requireSession(event)`, or declare it with `definePublicRoute(…)` where anyone may call it'

/** Looks at every route that can change data and is not the platform's; throws with the file, the reason and the cure of each that must not be served. */
export function checkRoutes(routes: readonly FoundRoute[], rootDir: string): void {
  const files = new Set(
    routes
      .filter(({ handler, method, middleware }) => !middleware && !isHouse(handler) && mayChange(method))
      .map(({ handler }) => relative(rootDir, handler).split(sep).join('/')),
  )
  const faults = [...files].toSorted().flatMap(path => {
    const fault = routeFault(path, readFileSync(join(rootDir, path), 'utf8'))
    return fault ? [`${path}: ${fault}`] : []
  })
  if (faults.length > 0) {
    throw new Error(
      `These routes can change data and are not protected:\n${faults.map(fault => `  - ${fault}`).join('\n')}\nTo cure it, ${CURE}.`,
    )
  }
}

const mayChange = (method = ''): boolean => !READING.has(method.toLowerCase())
