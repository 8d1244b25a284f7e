import type { RouteLocationNormalized } from 'vue-router'

/** Whether a route needs a session. A page is private unless its own meta says otherwise, as on the server (modules/pages). */
export function isPrivateRoute({ matched }: Pick<RouteLocationNormalized, 'matched'>): boolean {
  const meta = matched.at(-1)?.meta
  return meta?.public !== true && meta?.embed !== true
}
