import { sessions } from '#server/domains/accounts'
import type { App } from '#server/foundation/app-context'
import { newId, randomToken } from '#server/foundation/crypto/random'
import { sessionCookie } from './session-cookie'
import { SESSION_LIFE_IN_SECONDS } from './session-life'
import { sessionStarted } from './session-started'

interface MintSessionInput {
  userId: string
  email: string
  /** How the person proved who they are, for example `dev`. */
  provider: string
  ipAddress: string
  userAgent: string
}

/** Signs a user in without the library and gives the `Set-Cookie` value of the new session. */
export async function mintSession(app: App, { email, ...input }: MintSessionInput): Promise<string> {
  const now = app.now()
  const token = randomToken(32)
  const expiresAt = new Date(now.getTime() + SESSION_LIFE_IN_SECONDS * 1000)
  await app.db.orm.insert(sessions).values({ ...input, id: newId(), token, expiresAt, createdAt: now, updatedAt: now })
  await sessionStarted(app, input, email)
  return sessionCookie(token, app.config)
}
