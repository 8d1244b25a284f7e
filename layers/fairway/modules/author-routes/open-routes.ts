// Routes of an application that answer callers without a session, and how `routes.requireSession` closes them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { filesBelow } from '../registry/discover'
import { routeFault } from './route-fault'

/** A route that does not check the session before its work. */
export interface OpenRoute {
  path: string
  /** The line and the reason, as the build reports it. */
  fault: string
  /** Whether it can change data, so that the build refuses it. */
  canChange: boolean
}

/** The folder whose routes `routes.requireSession` closes. */
export const API_PLACE = 'server/api'

const ROUTE = /(?<!\.d|\.test|\.spec)\.[cm]?[jt]sx?$/
const METHOD = /\.(connect|delete|get|head|options|patch|post|put|trace)(?:\.(?:dev|prod|prerender))?\.\w+$/

/** Finds the routes of `server/api` and `server/routes` that answer without a session, by their syntax. */
export const openRoutes = (rootDir: string): OpenRoute[] =>
  [API_PLACE, 'server/routes'].flatMap(place =>
    filesBelow(join(rootDir, place))
      .filter(file => ROUTE.test(file))
      .map(file => `${place}/${file}`)
      .toSorted()
      .flatMap(path => {
        const fault = routeFault(path, readFileSync(join(rootDir, path), 'utf8'))
        return fault ? [{ path, fault, canChange: mayChange(METHOD.exec(path)?.[1]) }] : []
      }),
  )

const READING = new Set(['get', 'head', 'options', 'connect', 'trace'])

/** Whether a route of this method can change data. Without a method it answers any. */
export const mayChange = (method = ''): boolean => !READING.has(method.toLowerCase())

const GUARD = '__fwRequireSession'

/**
 * Returns the source of a route that asks for a session before its handler runs; undefined for a route that checks the session
 * itself, or is declared public. Throws for a file without `export default`, which cannot be closed.
 */
export function closedRoute(path: string, source: string): string | undefined {
  if (!routeFault(path, source)) return undefined
  const { program } = parseSync(path, source)
  const exported = program.body.find(statement => statement.type === 'ExportDefaultDeclaration')
  if (!exported) throw new Error(`${path} has no \`export default\`, so \`routes.requireSession\` cannot close it`)
  const { start, end } = exported.declaration
  const guard = `import { requireSessionFirst as ${GUARD} } from '#fairway/server/domains/actions'; `
  return `${guard}${source.slice(0, start)}${GUARD}(${source.slice(start, end)})${source.slice(end)}`
}
