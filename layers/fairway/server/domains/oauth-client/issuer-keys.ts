// The keys of an issuer whose assertions connect agents. Nobody signs in there, so discovery needs less than for a connection.
import type { App } from '#fairway/server/kernel/app-context'
import { createCache } from '#fairway/server/kernel/cache'
import { fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { outside } from './connection-sign-in'
import { findKeys } from './provider-client'

const LIMIT_IN_MS = 5000
const ADDRESS_LIFE_IN_MS = 60 * 60 * 1000

/** Fetches the keys of an issuer (RFC 7517) from the address in its metadata, which is cached for an hour. Throws when either fails. */
export async function fetchIssuerKeys(app: App, issuer: string): Promise<unknown> {
  const addresses = app.memo('issuer-keys-addresses', () =>
    createCache<{ address: string; until: number }>('provider-metadata'),
  )
  const now = app.now().getTime()
  const known = addresses.get(issuer)
  const isCurrent = known !== undefined && known.until > now
  const address = isCurrent ? known.address : (await findKeys(outside(app), issuer)).jwks_uri
  if (!isCurrent) addresses.set(issuer, { address, until: now + ADDRESS_LIFE_IN_MS })
  return fetchJson(outside(app), address, { signal: AbortSignal.timeout(LIMIT_IN_MS) })
}
