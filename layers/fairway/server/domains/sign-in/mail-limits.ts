import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'

/** Counts a sign-in or reset link that somebody asks for; throws `rate-limited`. */
export async function countLinkMail(app: App, email: string, clientAddress: string): Promise<void> {
  await rateLimit(app, limits.mailsPerAddress, addressKey(clientAddress))
  await rateLimit(app, limits.linksPerAccount, email)
}

/** Counts a confirmation mail; throws `rate-limited`. */
export async function countVerificationMail(app: App, email: string, clientAddress: string): Promise<void> {
  await rateLimit(app, limits.mailsPerAddress, addressKey(clientAddress))
  await rateLimit(app, limits.verificationsPerAccount, email)
}
