import { OAUTH_PREFIX, WELL_KNOWN_PREFIX } from '#fairway/shared/paths'

const OPEN_ENDPOINTS: Record<string, string> = {
  [`${OAUTH_PREFIX}/jwks`]: 'GET, HEAD',
  [`${OAUTH_PREFIX}/register`]: 'POST',
  [`${OAUTH_PREFIX}/token`]: 'POST',
  [`${OAUTH_PREFIX}/revoke`]: 'POST',
}

/** The methods by which pages of every origin may use this path; undefined for a path that is ours alone. Cookies never count there. */
export const openMethods = (path: string): string | undefined =>
  // Unknown ones too: a host in a browser looks at several of them, and must be able to read that there is nothing.
  path.startsWith(`${WELL_KNOWN_PREFIX}/`) ? 'GET, HEAD' : OPEN_ENDPOINTS[path]
