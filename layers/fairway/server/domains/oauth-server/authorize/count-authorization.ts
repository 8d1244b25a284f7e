import { countAttempt, limits } from '#fairway/server/domains/rate-limits'
import type { App } from '#fairway/server/foundation/app-context'
import { addressKey } from '#fairway/server/foundation/http/client-address'

/** Counts a visit of the authorization endpoint for its network; throws `rate-limited`. */
export const countAuthorization = (app: App, clientAddress: string): Promise<void> =>
  countAttempt(app, limits.authorizationsPerAddress, addressKey(clientAddress))
