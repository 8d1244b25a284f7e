import { IDENTITY_CALLBACK_PATH } from '#fairway/server/kernel/config/identity-config'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { cookiesByKey, cookieValues, setCookieValue, STATE_LIFE_IN_SECONDS } from '#fairway/server/kernel/http/cookie'

/** Sign-ins that one browser may have under way, for example in several tabs. */
const MOST_FLOWS = 5
/** A cookie for each sign-in that is under way, with its beginning. On https no other host can set it, unlike the next one. */
const MARK = 'identity'
/** A cookie for each sign-in with its PKCE verifier, which only the callback is sent. */
const VERIFIER = 'identity_verifier'

interface Flow {
  state: string
  cookieHeader: string | undefined
}

const keyOf = (state: string): string => sha256(state).slice(0, 16)

/** The `Set-Cookie` values that begin a sign-in in this browser; the oldest beyond five ends. */
export function beginFlow(app: App, { state, cookieHeader, verifier }: Flow & { verifier: string }): string[] {
  const { config } = app
  const key = keyOf(state)
  const lifeInSeconds = STATE_LIFE_IN_SECONDS
  const open = cookiesByKey(config, MARK, cookieHeader)
    .map(([known, begun]) => ({ known, begun: Number(begun) || 0 }))
    .toSorted((a, b) => b.begun - a.begun)
  return [
    ...open.slice(MOST_FLOWS - 1).flatMap(({ known }) => ending(app, known)),
    setCookieValue(config, `${MARK}.${key}`, String(app.now().getTime()), lifeInSeconds),
    setCookieValue(config, `${VERIFIER}.${key}`, verifier, lifeInSeconds, IDENTITY_CALLBACK_PATH),
  ]
}

/** What this browser holds as the verifier of a sign-in; nothing when the sign-in did not begin in it. */
export function verifiersOf({ config }: App, { state, cookieHeader }: Flow): string[] {
  const key = keyOf(state)
  const isOurs = cookiesByKey(config, MARK, cookieHeader).some(([known]) => known === key)
  return isOurs ? cookieValues(config, `${VERIFIER}.${key}`, cookieHeader, IDENTITY_CALLBACK_PATH) : []
}

/** The `Set-Cookie` values that take the cookies of a sign-in away, as far as this browser has them. */
export function endFlow(app: App, { state, cookieHeader }: Flow): string[] {
  const key = keyOf(state)
  return cookieHeader?.includes(`.${key}=`) ? ending(app, key) : []
}

function ending({ config }: App, key: string): string[] {
  if (!/^[\w-]{1,64}$/.test(key)) return []
  return [
    setCookieValue(config, `${MARK}.${key}`, '', 0),
    setCookieValue(config, `${VERIFIER}.${key}`, '', 0, IDENTITY_CALLBACK_PATH),
  ]
}
