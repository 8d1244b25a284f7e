import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'

/** Counts a visit of the authorization endpoint for its network; throws `rate-limited`. */
export const countAuthorization = (app: App, clientAddress: string): Promise<void> =>
  rateLimit(app, limits.authorizationsPerAddress, addressKey(clientAddress))
