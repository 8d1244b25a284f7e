import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { InStatement } from '#fairway/server/kernel/database/client'

interface NewUser {
  email: string
  /** The part of the address before the sign when not given. */
  name?: string | null
  emailVerified?: boolean
  image?: string | null
}

/** The statement that makes the account of an address when it is not there yet; any number of callers at once make one. */
export function newUserStatement(app: App, { email, name, emailVerified = false, image = null }: NewUser): InStatement {
  const now = app.now().getTime()
  return {
    sql: `insert into users (id, name, email, email_verified, image, kind, created_at, updated_at)
      values (?, ?, ?, ?, ?, 'person', ?, ?) on conflict do nothing`,
    args: [newId(), name ?? nameOf(email), email, Number(emailVerified), image, now, now],
  }
}

const nameOf = (email: string): string => email.slice(0, email.indexOf('@')).slice(0, 100)
