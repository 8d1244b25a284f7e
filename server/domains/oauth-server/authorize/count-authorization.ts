import { countAttempt, limits } from '#server/domains/rate-limits'
import type { App } from '#server/foundation/app-context'
import { addressKey } from '#server/foundation/http/client-address'

/** Counts a visit of the authorization endpoint for its network; throws `rate-limited`. */
export const countAuthorization = (app: App, clientAddress: string): Promise<void> =>
  countAttempt(app, limits.authorizationsPerAddress, addressKey(clientAddress))
