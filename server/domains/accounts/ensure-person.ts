import type { App } from '#server/foundation/app-context'
import { newUserStatement } from './new-user-statement'
import { emptyingStatements } from './promote-to-owner'

export interface VouchedPerson {
  /** Lower case. */
  email: string
  emailVerified: boolean
  /** Null leaves the name as it is. */
  name: string | null
  image: string | null
}

/**
 * Makes the account of this address when it is not there yet, and brings name, picture and confirmation up to date; any
 * number of callers at once make one. An account whose address nobody had confirmed loses every way in when
 * the address is confirmed now: whoever made it need not be the person.
 */
export async function ensurePerson(app: App, { email, emailVerified, name, image }: VouchedPerson): Promise<void> {
  const now = app.now().getTime()
  const verified = Number(emailVerified)
  await app.db.client.batch(
    [
      newUserStatement(app, { email, name, emailVerified, image }),
      ...(emailVerified ? emptyingStatements({ sql: 'email = ?', args: [email] }) : []),
      {
        sql: `update users set name = coalesce(?, name), image = coalesce(?, image), email_verified = max(email_verified, ?), updated_at = ?
          where email = ?`,
        args: [name, image, verified, now, email],
      },
    ],
    'write',
  )
}
