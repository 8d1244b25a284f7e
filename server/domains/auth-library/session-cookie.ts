import type { Config } from '#server/foundation/config/config'
import { constantTimeEqual, hmacBase64 } from '#server/foundation/crypto/hash'
import { SESSION_LIFE_IN_SECONDS } from './session-life'

export const SESSION_COOKIE_PURPOSE = 'session-cookie'

type CookieConfig = Pick<Config, 'isHttps' | 'keys'>

export const sessionCookiePrefix = (config: CookieConfig): string => (config.isHttps ? '__Host-fw' : 'fw')

/** The name of the session cookie: `__Host-fw.session_token` on https, `fw.session_token` on http. */
export const sessionCookieName = (config: CookieConfig): string => `${sessionCookiePrefix(config)}.session_token`

/** The tokens of all session cookies with a good signature; a browser may hold a stale one beside the live one. */
export function readSessionTokens(cookieHeader: string | undefined, config: CookieConfig): string[] {
  if (!cookieHeader) return []
  const start = `${sessionCookieName(config)}=`
  const tokens = cookieHeader
    .split(';')
    .map(part => part.trim())
    .filter(part => part.startsWith(start))
    .map(part => verifiedToken(part.slice(start.length), config))
  return tokens.filter(token => token !== undefined)
}

/** The `Set-Cookie` value that signs a browser in with this token. */
export function sessionCookie(token: string, config: CookieConfig, maxAgeInSeconds = SESSION_LIFE_IN_SECONDS): string {
  return `${sessionCookieName(config)}=${signedToken(token, config)}; ${attributes(config)}; Max-Age=${maxAgeInSeconds}`
}

/** The `Set-Cookie` value that takes the session cookie away. */
export const endedSessionCookie = (config: CookieConfig): string =>
  `${sessionCookieName(config)}=; ${attributes(config)}; Max-Age=0`

/** The request's cookie header as the library can read it: the one live session, signed with the current key. */
export const libraryCookieHeader = (token: string, config: CookieConfig): string =>
  `${sessionCookieName(config)}=${signedToken(token, config)}`

const attributes = (config: CookieConfig): string => `Path=/; HttpOnly; SameSite=Lax${config.isHttps ? '; Secure' : ''}`

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
