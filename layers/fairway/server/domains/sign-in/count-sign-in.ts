import { hasSessionFrom } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit, resetRateLimit, refundRateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'

/**
 * Counts one try at the password of an account, before anything is hashed, and gives what to call when it was right.
 * Throws `rate-limited`. Strangers share one count for each account, so that guessing from many networks gains nothing; a
 * network where the account is signed in has a count of its own, so that strangers cannot shut its owner out there.
 */
export async function countSignIn(app: App, email: string, clientAddress: string): Promise<() => Promise<void>> {
  const network = addressKey(clientAddress)
  await rateLimit(app, limits.signInPerAddress, network)
  const isKnown = app.config.rateLimits && (await hasSessionFrom(app, email, network))
  const subject = isKnown ? `${email} ${network}` : email
  await rateLimit(app, limits.signInPerAccount, subject)
  return async () => {
    await resetRateLimit(app, limits.signInPerAccount, subject)
    await refundRateLimit(app, limits.signInPerAddress, network)
  }
}
