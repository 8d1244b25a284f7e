import type { App } from '#fairway/server/kernel/app-context'
import { newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readTimeZone } from '#fairway/server/kernel/http/cookie'
import { canonicalAddress } from '#fairway/server/kernel/http/client-address'
import { claimPathFor } from '#fairway/shared/sign-in-path'
import type { Language } from '#fairway/shared/languages'
import { afterSignIn } from './devices'
import { suspendedUntilSql } from './person'
import { checkNotSuspended } from './suspension'
import { SESSION_LIFE_IN_SECONDS, sessionCookie } from './session-cookie'

interface MintSessionInput {
  userId: string
  email: string
  /** The account's security version when the person's proof was verified. */
  securityVersion: number
  /** The sign-in method, for example `dev`. */
  provider: string
  /** Whether the proof shows that the address belongs to the person. */
  provesAddress: boolean
  /** The domain or tenant that the provider vouched for. */
  providerDomain?: string | null
  /** Whether the person proved a second factor. Default: false. */
  provedSecondFactor?: boolean
  ipAddress: string
  userAgent: string
  /** The language of the browser that signs in. */
  language?: Language
  /** Its cookies, one of which has its time zone. */
  cookieHeader?: string
}

/** A new session. */
export interface NewSession {
  /** Its `Set-Cookie` value. */
  cookie: string
  /** Whether this sign-in may claim the account, which was used before its address was proved. */
  mayClaim: boolean
}

/**
 * Signs a user in. One statement checks the security version and creates the session. The oldest sessions beyond the limit end,
 * and the owner is notified of a new device. Throws `account-suspended`, and `credentials-changed` when all sign-ins were ended
 * in the meantime.
 */
export async function mintSession(app: App, input: MintSessionInput): Promise<NewSession> {
  const { userId, email, securityVersion, provider, provesAddress, ipAddress, userAgent, language } = input
  const { providerDomain = null, provedSecondFactor = false } = input
  const now = app.now().getTime()
  const { token, expiresAt, cookie } = renewedSession(app)
  const { rows } = await app.db.client.execute({
    sql: `insert into sessions (id, user_id, token, expires_at, ip_address, user_agent, provider, proves_address, provider_domain, proved_second_factor, created_at, updated_at)
      select ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from users
      where id = ? and security_version = ? and ${suspendedUntilSql('users')} <= ?
      returning (select claim_since is not null from users where users.id = sessions.user_id) as isClaimOpen`,
    args: [
      newId(),
      token,
      expiresAt.getTime(),
      ipAddress,
      userAgent,
      provider,
      Number(provesAddress),
      providerDomain,
      Number(provedSecondFactor),
      now,
      now,
      userId,
      securityVersion,
      now,
    ],
  })
  const [row] = rows
  if (!row) {
    await checkNotSuspended(app, userId)
    throw new AppError('credentials-changed')
  }
  await endOldestSessions(app, userId)
  const timeZone = readTimeZone(input.cookieHeader)
  afterSignIn(app, { userId, email, provider, ipAddress: canonicalAddress(ipAddress), userAgent, language, timeZone })
  return { cookie, mayClaim: provesAddress && row.isClaimOpen === 1 }
}

/**
 * The next path after a sign-in with the destination `returnPath`. While the account is unclaimed, this is the page that asks
 * about it.
 */
export const leadOn = ({ mayClaim }: Pick<NewSession, 'mayClaim'>, returnPath: string): string =>
  mayClaim ? claimPathFor(returnPath) : returnPath

/** A new token with its end and its `Set-Cookie` value, for a new session or an existing one that changes its token. */
export function renewedSession(app: App): { token: string; expiresAt: Date; cookie: string } {
  const token = randomToken(32)
  const expiresAt = new Date(app.now().getTime() + SESSION_LIFE_IN_SECONDS * 1000)
  return { token, expiresAt, cookie: sessionCookie(token, app.config) }
}

const SESSIONS_PER_USER = 25

/** Ends the oldest sessions of a user beyond the limit of 25. */
async function endOldestSessions(app: App, userId: string): Promise<void> {
  await app.db.client.execute({
    sql: `delete from sessions where user_id = ? and id not in (
      select id from sessions where user_id = ? order by created_at desc, id desc limit ${SESSIONS_PER_USER})`,
    args: [userId, userId],
  })
}
