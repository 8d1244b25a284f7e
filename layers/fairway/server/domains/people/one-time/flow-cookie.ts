import type { Config } from '#fairway/server/kernel/config/config'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'

type CookieConfig = Pick<Config, 'isHttps'>

const NAME = 'pending'

/** The `Set-Cookie` value by which the browser that asked for a link is known again. */
export const flowCookie = (secret: string, config: CookieConfig, lifeInSeconds: number): string =>
  setCookieValue(config, NAME, secret, lifeInSeconds)

export const endedFlowCookie = (config: CookieConfig): string => flowCookie('', config, 0)

/** The secret of a waiting browser, or undefined. */
export const readFlowSecret = (cookieHeader: string | undefined, config: CookieConfig): string | undefined =>
  readCookie(config, NAME, cookieHeader)
