import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { confirmingStatements } from './confirm-address'
import type { LinkedUser } from './link-provider-account'
import { newUserStatement } from './new-user-statement'

interface VerifiedAddress {
  /** Lower case; somebody who is trusted about it says that it is the person's. */
  email: string
  /** Who says so, for example `hub`. */
  provider: string
}

const userSchema = z.object({ userId: z.string(), securityVersion: z.number() })

/**
 * The user of a verified address, made when there is none, with a link that notes how they came. The address alone decides: an
 * earlier link is neither followed nor moved, and a user who is there is reused unchanged (SPEC: Cross-app sign-in 4). Any number of
 * callers at once make one user and one link. Throws `dev-account-refused`.
 */
export async function linkVerifiedAddress(app: App, { email, provider }: VerifiedAddress): Promise<LinkedUser> {
  // Made first: the link is not older than the question about what was there before.
  const confirming = confirmingStatements(app, { sql: 'email = ?', args: [email] })
  const now = app.now().getTime()
  const results = await app.db.client.batch(
    [
      newUserStatement(app, { email, emailVerified: true }),
      ...confirming,
      {
        // By the user's id: whoever takes the address over later gets a link of their own.
        sql: `insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at)
          select ?, id, id, ?, ?, ? from users where email = ? and kind = 'person' on conflict do nothing`,
        args: [newId(), provider, now, now, email],
      },
      {
        sql: `select id as userId, security_version as securityVersion from users where email = ? and kind = 'person'`,
        args: [email],
      },
    ],
    'write',
  )
  const [row] = results.at(-1)?.rows ?? []
  // Only the development account has an address and takes no link.
  if (!row) throw new AppError('dev-account-refused')
  const { userId, securityVersion } = userSchema.parse(row)
  const [confirmed, linked] = results.slice(-3)
  if (confirmed?.rowsAffected === 1) app.log.warn('an unconfirmed account went to the owner of its address', { userId })
  if (linked?.rowsAffected === 1) app.log.info('a verified address was linked', { userId, provider })
  return { userId, email, securityVersion }
}
