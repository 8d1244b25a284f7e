// A browser that was signed in keeps a mark of the account after the session, so that strangers cannot use up its mailed links.
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { constantTimeEqual, hmacBase64 } from '#fairway/server/kernel/crypto/hash'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { findPerson } from './person'
import { hasSessionFrom } from './session-rows'

const COOKIE = 'known'
const PURPOSE = 'known-browser'
const LIFE_IN_SECONDS = 180 * 24 * 60 * 60

/** The `Set-Cookie` value that marks a browser as one where this account was signed in. It grants no access. */
export const knownBrowserCookie = (config: Pick<Config, 'isHttps' | 'keys'>, userId: string): string =>
  setCookieValue(config, COOKIE, hmacBase64(config.keys.current(PURPOSE).secret, userId), LIFE_IN_SECONDS)

/**
 * Where the account of an address is known: `browser`, or the network of a live session. Undefined for strangers. Limits count
 * each such place separately.
 */
export async function knownPlaceOf(
  app: App,
  email: string,
  { clientAddress, cookieHeader }: Pick<RequestInfo, 'clientAddress' | 'cookieHeader'>,
): Promise<string | undefined> {
  const network = addressKey(clientAddress)
  if (await hasSessionFrom(app, { email }, network)) return network
  const marks = cookieValues(app.config, COOKIE, cookieHeader)
  const person = marks.length > 0 ? await findPerson(app, { email }) : undefined
  if (!person) return undefined
  const expected = app.config.keys.all(PURPOSE).map(({ secret }) => hmacBase64(secret, person.userId))
  return marks.some(mark => expected.some(value => constantTimeEqual(mark, value))) ? 'browser' : undefined
}
