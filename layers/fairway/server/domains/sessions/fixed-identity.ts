import type { Config } from '#fairway/server/kernel/config/config'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'

const NAME = 'auth_disabled_opt_out'
const LIFE_IN_SECONDS = 30 * 24 * 60 * 60

type CookieConfig = Pick<Config, 'isHttps'>

/** The `Set-Cookie` value by which this browser is nobody although sign-in is disabled, so that the signed-out state can be seen. */
export const optOutCookie = (config: CookieConfig): string => setCookieValue(config, NAME, '1', LIFE_IN_SECONDS)

/** The `Set-Cookie` value that makes this browser the fixed identity again. */
export const endOptOutCookie = (config: CookieConfig): string => setCookieValue(config, NAME, '', 0)

/** Whether this browser signed out although sign-in is disabled. */
export const hasOptedOut = (cookieHeader: string | undefined, config: CookieConfig): boolean =>
  cookieValues(config, NAME, cookieHeader).includes('1')
