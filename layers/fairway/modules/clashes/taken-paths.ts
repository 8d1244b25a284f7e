import { scanServerRoutes } from 'nitropack/core'
import type { Nitro } from 'nitropack/types'
import type { PagePath } from '../registry/path-clashes'
import { isHouse } from '../registry/roots'
import { type PathPattern, toPattern } from './path-pattern'

/** A path that is the platform's. */
export interface TakenPath {
  path: string
  pattern: PathPattern
  /** The file behind it, or what else has it. */
  owner: string
  /** Pages are what is left when no route answers. */
  isPage?: boolean
}

/** Places in which everything is the platform's, also what it does not have yet. */
const PLACES = ['/_fw/**', '/mcp/**', '/contexts/**', '/_nuxt/**', '/__nuxt_error']

/** An author's routes as Nitro finds them, before it drops those that stand twice. */
export async function scanRoutes(nitro: Nitro) {
  return [...(await scanServerRoutes(nitro, 'routes', '/')), ...(await scanServerRoutes(nitro, 'api', '/api'))]
}

/** Every path of the platform: its routes, what the build has mounted, its places and its pages. */
export function takenPaths(
  routes: readonly { route?: string; handler: string }[],
  pages: readonly PagePath[],
): TakenPath[] {
  const taken = (path: string, owner: string, isPage?: boolean) => ({ path, pattern: toPattern(path), owner, isPage })
  return [
    ...routes.flatMap(({ route, handler }) => (route && isHouse(handler) ? [taken(route, handler)] : [])),
    ...PLACES.map(path => taken(path, 'the platform')),
    ...pages.flatMap(({ path, file }) => (file && isHouse(file) ? [taken(path, file, true)] : [])),
  ]
}
