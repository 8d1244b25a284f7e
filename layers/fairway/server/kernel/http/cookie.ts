import { LANGUAGE_COOKIE, TIME_ZONE_COOKIE } from '#fairway/shared/device'
import type { Language } from '#fairway/shared/languages'
import type { Config } from '../config/config'

type CookieConfig = Pick<Config, 'isHttps'>

/** The prefix of our cookie names for the whole application; `__Host-` on https prevents other hosts from setting them. */
export const cookiePrefix = (config: CookieConfig): string => (config.isHttps ? '__Host-fw' : 'fw')

// `__Host-` requires the path `/`; a cookie for a part of the application uses the next strictest prefix.
const prefixFor = (config: CookieConfig, path: string): string =>
  path !== '/' && config.isHttps ? '__Secure-fw' : cookiePrefix(config)

const nameOf = (config: CookieConfig, name: string, path = '/'): string => `${prefixFor(config, path)}.${name}`

/**
 * Returns the `Set-Cookie` value of one of our cookies, which scripts cannot read and other sites do not send; a lifetime of 0
 * deletes it.
 */
export const setCookieValue = (
  config: CookieConfig,
  name: string,
  value: string,
  lifeInSeconds: number,
  path = '/',
): string =>
  `${nameOf(config, name, path)}=${value}; Path=${path}; HttpOnly; SameSite=Lax${config.isHttps ? '; Secure' : ''}; Max-Age=${lifeInSeconds}`

/** Returns the `Set-Cookie` value for the language that was chosen on a device; scripts of pages also write this cookie. */
export const languageCookie = (config: CookieConfig, language: Language): string =>
  `${LANGUAGE_COOKIE}=${language}; Path=/; SameSite=Lax${config.isHttps ? '; Secure' : ''}; Max-Age=31536000`

/** Returns the values of all cookies of this name: a browser may have a stale one beside the live one. */
export const cookieValues = (
  config: CookieConfig,
  name: string,
  cookieHeader: string | undefined,
  path = '/',
): string[] => {
  const wanted = nameOf(config, name, path)
  return cookiesOf(cookieHeader)
    .filter(([full]) => full === wanted)
    .map(([, value]) => value)
}

/** Returns the cookies of a kind that a browser may hold several of, by the part after `<name>.` in the cookie's name. */
export function cookiesByKey(
  config: CookieConfig,
  name: string,
  cookieHeader: string | undefined,
): [key: string, value: string][] {
  const start = `${nameOf(config, name)}.`
  return cookiesOf(cookieHeader)
    .filter(([full]) => full.startsWith(start))
    .map(([full, value]) => [full.slice(start.length), value])
}

const cookiesOf = (cookieHeader = ''): [name: string, value: string][] =>
  cookieHeader.split(';').flatMap(part => {
    const at = part.indexOf('=')
    return at === -1 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]]
  })

const ZONE = /^[\w+-]+(\/[\w+-]+){0,2}$/

/** Returns the time zone that scripts of our pages have stored in this browser; undefined for an unknown one. */
export function readTimeZone(cookieHeader: string | undefined): string | undefined {
  const [, zone = ''] = cookiesOf(cookieHeader).find(([name]) => name === TIME_ZONE_COOKIE) ?? []
  if (zone.length > 64 || !ZONE.test(zone)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Returns the token of 32 random bytes in a cookie; undefined for a missing or malformed one. */
export const readCookie = (config: CookieConfig, name: string, cookieHeader: string | undefined): string | undefined =>
  cookieValues(config, name, cookieHeader).find(value => /^[\w-]{43}$/.test(value))
