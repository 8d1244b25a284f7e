import type { App } from '#fairway/server/kernel/app-context'
import { confirmingStatements } from './confirm-address'
import { newUserStatement } from './new-user-statement'

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
 * number of callers at once make one.
 */
export async function ensurePerson(app: App, { email, emailVerified, name, image }: VouchedPerson): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      newUserStatement(app, { email, name, emailVerified, image }),
      ...(emailVerified ? confirmingStatements(app, { sql: 'email = ?', args: [email] }) : []),
      {
        sql: 'update users set name = coalesce(?, name), image = coalesce(?, image), updated_at = ? where email = ?',
        args: [name, image, now, email],
      },
    ],
    'write',
  )
}
