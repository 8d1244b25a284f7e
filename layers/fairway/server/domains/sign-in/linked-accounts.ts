// Links provider accounts to a signed-in person and unlinks them.
import { findConnection } from '#fairway/server/domains/organizations'
import { connectionIdOf } from '#fairway/shared/connection-provider'
import type { LinkedAccounts } from '#fairway/shared/schemas/account'
import { z } from 'zod'
import { startProviderSignIn } from '#fairway/server/domains/oauth-client'
import { isLinked, listLinkedAccounts, otherWayIn, tellOwner, unlinkStatements } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { otherPasskey } from './passkeys/passkeys'

export const linkInput = z.object({ provider: z.string().min(1).max(64), returnPath: z.string().max(2048).optional() })

interface OwnSession {
  userId: string
  /** Null for sessions without a row. */
  sessionId: string | null
}

/**
 * Starts linking a provider account to the current person. The browser continues at `url`. Throws `not-a-real-account`,
 * `unknown-provider`, `rate-limited` and `unavailable`.
 */
export async function startLinking(
  app: App,
  linkTo: OwnSession,
  { provider, returnPath }: z.output<typeof linkInput>,
  { clientAddress, cookieHeader }: RequestInfo,
) {
  // The end of the flow must find the same session row. With the application's own sign-in, accounts are linked there.
  if (linkTo.sessionId === null) throw new AppError('not-a-real-account')
  return startProviderSignIn(app, { provider, returnPath, clientAddress, cookieHeader, linkTo })
}

const goneSchema = z.object({ provider: z.string() })

/**
 * Unlinks a provider account; sessions stay. The statement itself checks that another sign-in method remains, so two concurrent
 * calls cannot remove both. Throws `not-found` and `last-way-in`.
 */
export async function unlinkAccount(app: App, { userId, sessionId }: OwnSession, id: string): Promise<void> {
  const account = otherWayIn(app, userId, id)
  const passkey = otherPasskey(userId, null)
  const when = { sql: `(${account.sql} or ${passkey.sql})`, args: [...account.args, ...passkey.args] }
  const [gone] = await app.db.client.batch(unlinkStatements({ userId, sessionId, id, when }), 'write')
  const [row] = gone?.rows ?? []
  if (row) return tellOwner(app, userId, 'account-unlinked', goneSchema.parse(row).provider)
  throw new AppError((await isLinked(app, userId, id)) ? 'last-way-in' : 'not-found')
}

/** The linked accounts of a person. A connection has the name that its organization gave it. */
export async function linkedAccountsOf(app: App, userId: string): Promise<LinkedAccounts> {
  const { accounts, available } = await listLinkedAccounts(app, userId)
  const named = accounts.map(async account => {
    const id = connectionIdOf(account.provider)
    const connection = id === undefined ? undefined : await findConnection(app, id)
    return connection ? { ...account, name: connection.name, isOffered: connection.state === 'active' } : account
  })
  return { accounts: await Promise.all(named), available }
}
