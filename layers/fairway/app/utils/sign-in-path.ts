import { SIGN_IN_PATH } from '#fairway/shared/paths'

type Place = Pick<Location, 'pathname' | 'search' | 'hash'>

/** The sign-in page that leads back to `place` afterwards. */
export const signInPath = ({ pathname, search, hash }: Place): string =>
  `${SIGN_IN_PATH}?return=${encodeURIComponent(pathname + search + hash)}`
