import { and, eq, gt, isNull, lte } from 'drizzle-orm'
import { passkeyChallenges } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'

const COOKIE = 'passkey'
/** How long a challenge may be answered: 5 minutes. */
export const CHALLENGE_LIFE_IN_SECONDS = 5 * 60

interface Asker {
  cookieHeader?: string
  /** Whose passkey is being added; null when somebody signs in. */
  userId: string | null
}

/** Makes a challenge for this browser: the challenge, and the `Set-Cookie` value that binds it. */
export async function issueChallenge(app: App, asker: Asker): Promise<{ challenge: string; setCookie: string }> {
  const challenge = randomToken(32)
  // One cookie for all tabs: a second tab does not end what the first one has begun.
  const browser = readCookie(app.config, COOKIE, asker.cookieHeader) ?? randomToken(32)
  const expiresAt = new Date(app.now().getTime() + CHALLENGE_LIFE_IN_SECONDS * 1000)
  await app.db.orm
    .insert(passkeyChallenges)
    .values({ challengeHash: sha256(challenge), browserHash: sha256(browser), userId: asker.userId, expiresAt })
  return { challenge, setCookie: setCookieValue(app.config, COOKIE, browser, CHALLENGE_LIFE_IN_SECONDS) }
}

/** Uses a challenge up, which works once; throws `passkey-challenge-ended` when it is not this browser's, not for this purpose, or over. */
export async function consumeChallenge(app: App, challenge: string, asker: Asker): Promise<void> {
  const browser = readCookie(app.config, COOKIE, asker.cookieHeader)
  if (!browser) throw new AppError('passkey-challenge-ended')
  const [row] = await app.db.orm
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.challengeHash, sha256(challenge)),
        eq(passkeyChallenges.browserHash, sha256(browser)),
        asker.userId === null ? isNull(passkeyChallenges.userId) : eq(passkeyChallenges.userId, asker.userId),
        gt(passkeyChallenges.expiresAt, app.now()),
      ),
    )
    .returning({ challengeHash: passkeyChallenges.challengeHash })
  if (!row) throw new AppError('passkey-challenge-ended')
}

/** Deletes challenges that nobody answered. */
export async function purgePasskeyChallenges(app: App): Promise<void> {
  await app.db.orm.delete(passkeyChallenges).where(lte(passkeyChallenges.expiresAt, app.now()))
}
