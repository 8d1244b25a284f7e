import { isHouse } from '../registry/roots'
import { comesFirst, overlap, toPattern } from './path-pattern'
import type { TakenPath } from './taken-paths'

/** A handler as Nitro knows it; one without a route is middleware. */
export interface ServedRoute {
  route?: string
  handler: string
  middleware?: boolean
}

/**
 * Routes that may answer a path of the platform's, whatever their method. Where the platform's own route wins for certain nothing
 * is lost; a page never does, because pages are what is left when no route answers.
 */
export function routeClashes(routes: readonly ServedRoute[], taken: readonly TakenPath[]): string[] {
  return routes.flatMap(({ route, handler, middleware }) => {
    if (!route || middleware || isHouse(handler) || route.startsWith('/__nuxt')) return []
    const pattern = toPattern(route)
    const lost = taken.find(
      each => overlap(each.pattern, pattern) && (each.isPage || !comesFirst(each.pattern, pattern)),
    )
    if (!lost) return []
    return [
      `${handler}: it answers ${route}, and ${lost.path} is ${whose(lost)}. Give it a path of its own, for example below server/api`,
    ]
  })
}

/** Whose a path is, for a message. */
export const whose = ({ owner, isPage }: TakenPath): string => (isPage ? `the page ${owner}` : `of ${owner}`)
