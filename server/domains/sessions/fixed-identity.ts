import type { Config } from '#server/foundation/config/config'

const MAX_AGE_IN_SECONDS = 30 * 24 * 60 * 60

type CookieConfig = Pick<Config, 'isHttps'>

const nameOf = (config: CookieConfig): string => `${config.isHttps ? '__Host-fw' : 'fw'}.auth_disabled_opt_out`

const cookie = (config: CookieConfig, value: string, maxAge: number): string =>
  `${nameOf(config)}=${value}; Path=/; HttpOnly; SameSite=Lax${config.isHttps ? '; Secure' : ''}; Max-Age=${maxAge}`

/** The `Set-Cookie` value by which this browser is nobody although sign-in is disabled, so that the signed-out state can be seen. */
export const optOutCookie = (config: CookieConfig): string => cookie(config, '1', MAX_AGE_IN_SECONDS)

/** The `Set-Cookie` value that makes this browser the fixed identity again. */
export const endOptOutCookie = (config: CookieConfig): string => cookie(config, '', 0)

/** Whether this browser signed out although sign-in is disabled. */
export const hasOptedOut = (cookieHeader: string | undefined, config: CookieConfig): boolean =>
  (cookieHeader ?? '').split(';').some(part => part.trim() === `${nameOf(config)}=1`)
