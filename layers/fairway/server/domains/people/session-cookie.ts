import type { Config } from '#fairway/server/kernel/config/config'
import { constantTimeEqual, hmacBase64 } from '#fairway/server/kernel/crypto/hash'
import { cookiePrefix, cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'

/** The lifetime of an unused session: 30 days. */
export const SESSION_LIFE_IN_SECONDS = 30 * 24 * 60 * 60
/** The maximum lifetime of a session from the sign-in: 180 days. */
export const SESSION_LIMIT_IN_SECONDS = 180 * 24 * 60 * 60

export const SESSION_COOKIE_PURPOSE = 'session-cookie'

type CookieConfig = Pick<Config, 'isHttps' | 'keys'>

const NAME = 'session_token'

/** The name of the session cookie: `__Host-fw.session_token` on https, `fw.session_token` on http. */
export const sessionCookieName = (config: CookieConfig): string => `${cookiePrefix(config)}.${NAME}`

/** The tokens of all session cookies with a valid signature. A browser may send a stale one beside the live one. */
export const readSessionTokens = (cookieHeader: string | undefined, config: CookieConfig): string[] =>
  cookieValues(config, NAME, cookieHeader)
    .map(value => verifiedToken(value, config))
    .filter(token => token !== undefined)

/** The `Set-Cookie` value that signs a browser in with this token. */
export const sessionCookie = (token: string, config: CookieConfig, maxAgeInSeconds = SESSION_LIFE_IN_SECONDS): string =>
  setCookieValue(config, NAME, signedToken(token, config), maxAgeInSeconds)

/** The `Set-Cookie` value that removes the session cookie. */
export const endedSessionCookie = (config: CookieConfig): string => setCookieValue(config, NAME, '', 0)

/** The cookie header that the library can read: only the live session, signed with the current key. */
export const libraryCookieHeader = (token: string, config: CookieConfig): string =>
  `${sessionCookieName(config)}=${signedToken(token, config)}`

const signedToken = (token: string, config: CookieConfig): string =>
  encodeURIComponent(`${token}.${hmacBase64(config.keys.current(SESSION_COOKIE_PURPOSE).secret, token)}`)

function verifiedToken(value: string, config: CookieConfig): string | undefined {
  const decoded = decode(value)
  const dot = decoded?.lastIndexOf('.') ?? -1
  if (!decoded || dot <= 0) return undefined
  const token = decoded.slice(0, dot)
  const signature = decoded.slice(dot + 1)
  const isGood = config.keys
    .all(SESSION_COOKIE_PURPOSE)
    .some(key => constantTimeEqual(hmacBase64(key.secret, token), signature))
  return isGood ? token : undefined
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
