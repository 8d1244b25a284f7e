import type { Config } from '../config/config'

type CookieConfig = Pick<Config, 'isHttps'>

const nameOf = (config: CookieConfig, name: string): string => `${config.isHttps ? '__Host-fw' : 'fw'}.${name}`

/** The `Set-Cookie` value that lets a browser prove for a few minutes that it is the same one; a life of 0 takes it away. */
export const setCookieValue = (config: CookieConfig, name: string, token: string, lifeInSeconds: number): string =>
  `${nameOf(config, name)}=${token}; Path=/; HttpOnly; SameSite=Lax${config.isHttps ? '; Secure' : ''}; Max-Age=${lifeInSeconds}`

/** The token in such a cookie; undefined when there is none that we could have made. */
export function readCookie(config: CookieConfig, name: string, cookieHeader: string | undefined): string | undefined {
  const start = `${nameOf(config, name)}=`
  const values = (cookieHeader ?? '')
    .split(';')
    .map(part => part.trim())
    .filter(part => part.startsWith(start))
    .map(part => part.slice(start.length))
  return values.find(value => /^[\w-]{43}$/.test(value))
}
