import type { Config } from '#fairway/server/kernel/config/config'
import { constantTimeEqual } from '#fairway/server/kernel/crypto/hash'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'

/** How long a browser may be away at a provider: ten minutes. */
export const STATE_LIFE_IN_SECONDS = 600
/** Ways to a provider that one browser may have under way, for example in several tabs. */
const MOST_STATES = 5
const STATE = /^[0-9a-f]{64}$/

type CookieConfig = Pick<Config, 'isHttps'>

export interface StateCookie {
  /** The `Set-Cookie` value that adds a state to those of this browser; the oldest beyond five goes. */
  with(state: string, cookieHeader: string | undefined, config: CookieConfig): string
  /** The `Set-Cookie` value that takes a state away from those of this browser. */
  without(state: string, cookieHeader: string | undefined, config: CookieConfig): string
  /** Whether the way of this state began in this browser. */
  has(state: string, cookieHeader: string | undefined, config: CookieConfig): boolean
}

/** The cookie of this name that holds the states (RFC 6749 §10.12) of ways to a provider that are under way in a browser. */
export function stateCookie(name: string): StateCookie {
  const read = (cookieHeader: string | undefined, config: CookieConfig): string[] =>
    cookieValues(config, name, cookieHeader)
      .flatMap(value => value.split('.'))
      .filter(state => STATE.test(state))
  const write = (states: string[], config: CookieConfig): string =>
    setCookieValue(config, name, states.join('.'), states.length > 0 ? STATE_LIFE_IN_SECONDS : 0)
  return {
    with: (state, header, config) => write([...read(header, config), state].slice(-MOST_STATES), config),
    without(state, header, config) {
      const left = read(header, config).filter(kept => kept !== state)
      return write(left, config)
    },
    has: (state, header, config) => read(header, config).some(kept => constantTimeEqual(kept, state)),
  }
}
