import type { Config } from '#server/foundation/config/config'

type CookieConfig = Pick<Config, 'isHttps'>

const nameOf = ({ isHttps }: CookieConfig): string => (isHttps ? '__Host-fw.pending' : 'fw.pending')

/** The `Set-Cookie` value by which the browser that asked for a link is known again. */
export const flowCookie = (secret: string, config: CookieConfig, maxAgeInSeconds: number): string =>
  `${nameOf(config)}=${secret}; Path=/; HttpOnly; SameSite=Lax${config.isHttps ? '; Secure' : ''}; Max-Age=${maxAgeInSeconds}`

export const endedFlowCookie = (config: CookieConfig): string => flowCookie('', config, 0)

/** The secret of a waiting browser, or undefined. */
export function readFlowSecret(cookieHeader: string | undefined, config: CookieConfig): string | undefined {
  const start = `${nameOf(config)}=`
  const found = cookieHeader
    ?.split(';')
    .map(part => part.trim())
    .find(part => part.startsWith(start))
  const secret = found?.slice(start.length)
  return secret && /^[\w-]{43}$/.test(secret) ? secret : undefined
}
