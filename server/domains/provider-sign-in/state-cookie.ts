import type { Config } from '#server/foundation/config/config'
import { constantTimeEqual } from '#server/foundation/crypto/hash'
import { cookieValues, setCookieValue } from '#server/foundation/http/cookie'

/** How long a sign-in may take at the provider: ten minutes. */
export const STATE_LIFE_IN_SECONDS = 600
/** Sign-ins that one browser may have under way, for example in several tabs. */
const MOST_STATES = 5
const STATE = /^[0-9a-f]{64}$/

type CookieConfig = Pick<Config, 'isHttps'>

const NAME = 'provider_state'

/** The `Set-Cookie` value that adds a state to those of this browser; the oldest beyond five goes. */
export function withState(state: string, cookieHeader: string | undefined, config: CookieConfig): string {
  return stateCookie([...readStates(cookieHeader, config), state].slice(-MOST_STATES), config)
}

/** The `Set-Cookie` value that takes a state away from those of this browser. */
export function withoutState(state: string, cookieHeader: string | undefined, config: CookieConfig): string {
  const left = readStates(cookieHeader, config).filter(kept => kept !== state)
  return stateCookie(left, config)
}

/** Whether this browser began the sign-in of this state. */
export const hasState = (state: string, cookieHeader: string | undefined, config: CookieConfig): boolean =>
  readStates(cookieHeader, config).some(kept => constantTimeEqual(kept, state))

const stateCookie = (states: string[], config: CookieConfig): string =>
  setCookieValue(config, NAME, states.join('.'), states.length > 0 ? STATE_LIFE_IN_SECONDS : 0)

const readStates = (cookieHeader: string | undefined, config: CookieConfig): string[] =>
  cookieValues(config, NAME, cookieHeader)
    .flatMap(value => value.split('.'))
    .filter(state => STATE.test(state))
