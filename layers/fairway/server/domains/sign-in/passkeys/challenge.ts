import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { issueOneTime, type OneTimePurpose, spendOneTime } from '#fairway/server/kernel/one-time/one-time'

const COOKIE = 'passkey'
/** How long a challenge may be answered: 5 minutes. */
export const CHALLENGE_LIFE_IN_SECONDS = 5 * 60

/** A challenge that waits for its answer; its subject is the user whose passkey is being added, and none at sign-in. */
export const passkeyChallenge: OneTimePurpose<null> = {
  name: 'passkey-challenge',
  lifeInSeconds: CHALLENGE_LIFE_IN_SECONDS,
  payload: z.null(),
}

interface Asker {
  cookieHeader?: string
  /** Whose passkey is being added; null at sign-in. */
  userId: string | null
}

/** Makes a challenge for this browser: the challenge, and the `Set-Cookie` value that binds it. */
export async function issueChallenge(
  app: App,
  { cookieHeader, userId }: Asker,
): Promise<{ challenge: string; setCookie: string }> {
  const challenge = randomToken(32)
  // One cookie for all tabs: a second tab does not end what the first one has begun.
  const browser = readCookie(app.config, COOKIE, cookieHeader) ?? randomToken(32)
  await issueOneTime(app, passkeyChallenge, { secret: challenge, browser, subject: userId, payload: null })
  return { challenge, setCookie: setCookieValue(app.config, COOKIE, browser, CHALLENGE_LIFE_IN_SECONDS) }
}

/** Uses a challenge up, which works once; throws `passkey-challenge-ended` when it is not this browser's, not for this purpose, or over. */
export async function consumeChallenge(app: App, challenge: string, { cookieHeader, userId }: Asker): Promise<void> {
  const browser = readCookie(app.config, COOKIE, cookieHeader)
  const spent = browser && (await spendOneTime(app, passkeyChallenge, challenge, { browser, subject: userId }))
  if (!spent) throw new AppError('passkey-challenge-ended')
}
