import { SIGN_IN_PATH } from '#fairway/shared/paths'

type Place = Pick<Location, 'pathname' | 'search' | 'hash'>

/** The sign-in page that returns to `place` afterwards. */
export const signInPath = ({ pathname, search, hash }: Place): string =>
  `${SIGN_IN_PATH}?return=${encodeURIComponent(pathname + search + hash)}`

interface Route {
  matched: readonly { meta: { public?: unknown; embed?: unknown } }[]
}

/** Whether a route requires a session. A page is private unless its own meta says otherwise, as on the server (modules/pages). */
export function isPrivateRoute({ matched }: Route): boolean {
  const meta = matched.at(-1)?.meta
  return meta?.public !== true && meta?.embed !== true
}
