import { countAttempt, type Limit } from '#server/domains/rate-limits'
import type { App } from '#server/foundation/app-context'
import { addressKey } from '#server/foundation/http/client-address'

const LINKS_PER_ACCOUNT: Limit = { name: 'mail-link-account', most: 5, windowInSeconds: 3600 }
const VERIFICATIONS_PER_ACCOUNT: Limit = { name: 'verification-account', most: 3, windowInSeconds: 600 }
const MAILS_PER_ADDRESS: Limit = { name: 'mail-address', most: 10, windowInSeconds: 600 }

/** Counts a sign-in or reset link that somebody asks for; throws `rate-limited`. */
export async function countLinkMail(app: App, email: string, clientAddress: string): Promise<void> {
  await countAttempt(app, MAILS_PER_ADDRESS, addressKey(clientAddress))
  await countAttempt(app, LINKS_PER_ACCOUNT, email)
}

/** Counts a confirmation mail; throws `rate-limited`. */
export async function countVerificationMail(app: App, email: string, clientAddress: string): Promise<void> {
  await countAttempt(app, MAILS_PER_ADDRESS, addressKey(clientAddress))
  await countAttempt(app, VERIFICATIONS_PER_ACCOUNT, email)
}
