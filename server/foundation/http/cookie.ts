import type { Config } from '../config/config'

type CookieConfig = Pick<Config, 'isHttps'>

/** What the names of all our cookies begin with; `__Host-` on https keeps other hosts from setting them. */
export const cookiePrefix = (config: CookieConfig): string => (config.isHttps ? '__Host-fw' : 'fw')

const nameOf = (config: CookieConfig, name: string): string => `${cookiePrefix(config)}.${name}`

/** The `Set-Cookie` value of one of our cookies, which scripts cannot read and other sites do not send; a life of 0 takes it away. */
export const setCookieValue = (config: CookieConfig, name: string, value: string, lifeInSeconds: number): string =>
  `${nameOf(config, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${config.isHttps ? '; Secure' : ''}; Max-Age=${lifeInSeconds}`

/** The values of all cookies of this name: a browser may hold a stale one beside the live one. */
export function cookieValues(config: CookieConfig, name: string, cookieHeader: string | undefined): string[] {
  if (!cookieHeader) return []
  const start = `${nameOf(config, name)}=`
  return cookieHeader
    .split(';')
    .map(part => part.trim())
    .filter(part => part.startsWith(start))
    .map(part => part.slice(start.length))
}

/** The token of 32 random bytes in a cookie; undefined when there is none that we could have made. */
export const readCookie = (config: CookieConfig, name: string, cookieHeader: string | undefined): string | undefined =>
  cookieValues(config, name, cookieHeader).find(value => /^[\w-]{43}$/.test(value))
