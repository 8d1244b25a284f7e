import { SIGN_IN_PATH, TERMS_PATH } from '#fairway/shared/paths'

type Place = Pick<Location, 'pathname' | 'search' | 'hash'>

/** The sign-in page that returns to `place` afterwards. */
export const signInPath = ({ pathname, search, hash }: Place): string =>
  `${SIGN_IN_PATH}?return=${encodeURIComponent(pathname + search + hash)}`

/** The page that asks to accept the terms, and returns to `path` afterwards. */
export const termsPath = (path: string): string => `${TERMS_PATH}?return=${encodeURIComponent(path)}`

interface Route {
  matched: readonly { meta: { public?: unknown; embed?: unknown } }[]
}

/**
 * Whether a route requires a session. A page is private unless its own meta says otherwise, and inside a private page, as on the
 * server (modules/pages).
 */
export const isPrivateRoute = ({ matched }: Route): boolean =>
  matched.length === 0 || matched.some(({ meta }) => !meta.public && meta.embed !== true)
