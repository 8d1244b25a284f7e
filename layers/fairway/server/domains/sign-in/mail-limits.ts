import { countAttempt, limits } from '#fairway/server/domains/rate-limits'
import type { App } from '#fairway/server/foundation/app-context'
import { addressKey } from '#fairway/server/foundation/http/client-address'

/** Counts a sign-in or reset link that somebody asks for; throws `rate-limited`. */
export async function countLinkMail(app: App, email: string, clientAddress: string): Promise<void> {
  await countAttempt(app, limits.mailsPerAddress, addressKey(clientAddress))
  await countAttempt(app, limits.linksPerAccount, email)
}

/** Counts a confirmation mail; throws `rate-limited`. */
export async function countVerificationMail(app: App, email: string, clientAddress: string): Promise<void> {
  await countAttempt(app, limits.mailsPerAddress, addressKey(clientAddress))
  await countAttempt(app, limits.verificationsPerAccount, email)
}
