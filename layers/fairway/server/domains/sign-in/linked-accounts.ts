// Linking accounts at providers to a signed-in person, and unlinking them.
import { z } from 'zod'
import { startProviderSignIn } from '#fairway/server/domains/oauth-client'
import { isLinked, otherWayIn, tellOwner, unlinkStatements } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { otherPasskey } from './passkeys/passkeys'

export const linkInput = z.object({ provider: z.string().min(1).max(64), returnPath: z.string().max(2048).optional() })

interface Asking {
  userId: string
  /** Null where the session is not one of ours. */
  sessionId: string | null
}

/** Begins linking an account at a provider to the person who asks: `url` is where the browser goes next. Throws `not-a-real-account`, `unknown-provider`, `rate-limited`, `unavailable`. */
export async function startLinking(
  app: App,
  linkTo: Asking,
  { provider, returnPath }: z.output<typeof linkInput>,
  { clientAddress, cookieHeader }: RequestInfo,
) {
  // Its end must find the same row; who signs in elsewhere links there.
  if (linkTo.sessionId === null) throw new AppError('not-a-real-account')
  return startProviderSignIn(app, { provider, returnPath, clientAddress, cookieHeader, linkTo })
}

const goneSchema = z.object({ provider: z.string() })

/**
 * Takes an account at a provider from a person, which ends nothing else. That another way in is left is part of the statement, so of
 * two that go at once one stays. Throws `not-found` and `last-way-in`.
 */
export async function unlinkAccount(app: App, { userId, sessionId }: Asking, id: string): Promise<void> {
  const account = otherWayIn(app, userId, id)
  const passkey = otherPasskey(userId, null)
  const when = { sql: `(${account.sql} or ${passkey.sql})`, args: [...account.args, ...passkey.args] }
  const [gone] = await app.db.client.batch(unlinkStatements({ userId, sessionId, id, when }), 'write')
  const [row] = gone?.rows ?? []
  if (row) return tellOwner(app, userId, 'account-unlinked', goneSchema.parse(row).provider)
  throw new AppError((await isLinked(app, userId, id)) ? 'last-way-in' : 'not-found')
}
