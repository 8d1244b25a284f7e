import type { InStatement } from '#server/foundation/database/client'
import { and, eq } from 'drizzle-orm'
import type { App } from '#server/foundation/app-context'
import { newId } from '#server/foundation/crypto/random'
import { newUserStatement } from './new-user-statement'
import { confirmingStatement, emptyingStatements, unconfirmed } from './promote-to-owner'
import { accounts, users } from './tables'

export interface ProvedPerson {
  userId: string
  email: string
  name: string
}

interface ProveAddressInput {
  email: string
  /** What an account is called that is made now. */
  name?: string
  /** The password that this proof brings along; it replaces what an unconfirmed account had. */
  passwordHash?: string
}

/**
 * The account of an address whose mailbox was just proved, made when there is none. One that was never confirmed loses its
 * password and its sessions first, unless it is this very password that is being confirmed; all in one transaction.
 */
export async function proveAddress(app: App, { email, name, passwordHash }: ProveAddressInput): Promise<ProvedPerson> {
  const found = await findPerson(app, email)
  const isSame = passwordHash !== undefined && (await passwordHashOf(app, found?.userId)) === passwordHash
  const now = app.now().getTime()
  const user = { sql: 'email = ?', args: [email] }
  const statements: InStatement[] = [
    newUserStatement(app, { email, name }),
    ...(isSame ? [] : emptyingStatements(user)),
  ]
  if (!isSame && passwordHash) {
    statements.push({
      sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
        select ?, id, id, 'credential', ?, ?, ? from (${unconfirmed(user)})`,
      args: [newId(), passwordHash, now, now, email],
    })
  }
  if (name) {
    statements.push({ sql: `update users set name = ? where id in (${unconfirmed(user)})`, args: [name, email] })
  }
  statements.push(confirmingStatement(app, user))
  await app.db.client.batch(statements, 'write')
  const person = await findPerson(app, email)
  if (!person) throw new Error('the account of a proved address is missing')
  return person
}

/** Notes a sign-up whose address is still to be confirmed; an account that is there already stays as it is. */
export async function noteUnprovedAccount(
  app: App,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      newUserStatement(app, { email, name }),
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ?, u.id, u.id, 'credential', ?, ?, ? from users u where u.email = ? and u.email_verified = 0
          and not exists (select 1 from accounts a where a.user_id = u.id) on conflict do nothing`,
        args: [newId(), passwordHash, now, now, email],
      },
    ],
    'write',
  )
}

/** Gives a person a new password and ends every session, in one transaction. */
export async function replacePassword(app: App, userId: string, passwordHash: string): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          values (?, ?, ?, 'credential', ?, ?, ?)
          on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
        args: [newId(), userId, userId, passwordHash, now, now],
      },
      { sql: 'delete from sessions where user_id = ?', args: [userId] },
    ],
    'write',
  )
}

/** The person with this address, confirmed or not. */
export async function findPerson(app: App, email: string): Promise<(ProvedPerson & { isProved: boolean }) | undefined> {
  const [row] = await app.db.orm
    .select({ userId: users.id, email: users.email, name: users.name, isProved: users.emailVerified })
    .from(users)
    .where(eq(users.email, email))
  return row
}

/** The password hash of a person, or undefined when there is no password. */
export async function passwordHashOf(app: App, userId: string | undefined): Promise<string | undefined> {
  if (!userId) return undefined
  const [row] = await app.db.orm
    .select({ password: accounts.password })
    .from(accounts)
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, 'credential')))
  return row?.password ?? undefined
}
