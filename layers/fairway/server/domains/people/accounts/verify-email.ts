import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { confirmingStatements, unconfirmed } from './confirm-address'
import { credentialsChanged, endGrantsStatement, endSessionsStatements } from './end-access'
import { newUserStatement } from './new-user-statement'
import { accounts, users } from '../tables'

export interface Person {
  userId: string
  email: string
  name: string
  /** What a session for this person has to be made under (`mintSession`). */
  securityVersion: number
}

interface ProveAddressInput {
  email: string
  /** The account's security version when the link was used (`spendEmailLink`). */
  securityVersion: number
  /** What an account is called that is made now. */
  name?: string
  /** The password that this proof brings along; it replaces what an unconfirmed account had. */
  passwordHash?: string
}

const versionSchema = z.object({ version: z.number() })
const personSchema = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  securityVersion: z.number(),
}) satisfies z.ZodType<Person>

/**
 * The account of an address whose mailbox was just proved, made when there is none; all in one transaction. Throws
 * `credentials-changed` when the account's sign-ins were ended since the link was used.
 */
export async function verifyEmail(app: App, input: ProveAddressInput): Promise<Person> {
  const { email, name, passwordHash, securityVersion } = input
  const user = { sql: 'email = ?', args: [email] }
  // Made first: the password that this proof brings is not older than the question about what was there before.
  const confirming = confirmingStatements(app, user, passwordHash)
  const now = app.now().getTime()
  const results = await app.db.client.batch(
    [
      { sql: 'select security_version as version from users where email = ?', args: [email] },
      newUserStatement(app, { email, name }),
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ?, id, id, 'credential', ?, ?, ? from users where ? is not null and id in (${unconfirmed(user)})
          on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
        args: [newId(), passwordHash ?? null, now, now, passwordHash ?? null, email],
      },
      {
        sql: `update users set name = coalesce(?, name) where id in (${unconfirmed(user)})`,
        args: [name ?? null, email],
      },
      ...confirming,
      {
        sql: 'select id as userId, email, name, security_version as securityVersion from users where email = ?',
        args: [email],
      },
    ],
    'write',
  )
  const [before] = results[0]?.rows ?? []
  if (before && versionSchema.parse(before).version !== securityVersion) throw credentialsChanged()
  return personSchema.parse(results.at(-1)?.rows[0])
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

interface NewPassword {
  userId: string
  passwordHash: string
  /** The account's security version when the person was known to be allowed to. */
  securityVersion: number
  /** The session that goes on, under a new token. */
  keep?: { sessionId: string; token: string; expiresAt: Date }
  /** Why connected apps end as well; they stay when there is no reason. */
  endGrants?: 'account-recovered' | 'password-changed'
}

/**
 * Gives a person a new password, ends every session but the one to keep, and gives the security version that holds from now on;
 * all in one transaction. Throws `credentials-changed`, and changes nothing, when sign-ins were ended in the meantime.
 */
export async function replacePassword(app: App, input: NewPassword): Promise<number> {
  const { userId, passwordHash, securityVersion, keep, endGrants } = input
  const now = app.now().getTime()
  // A hash has a salt of its own, so that it is there says that the first statement has written it.
  const when = {
    sql: `exists (select 1 from accounts where provider_id = 'credential' and user_id = ? and password = ?)`,
    args: [userId, passwordHash],
  }
  const results = await app.db.client.batch(
    [
      {
        sql: `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ?, id, id, 'credential', ?, ?, ? from users where id = ? and security_version = ?
          on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`,
        args: [newId(), passwordHash, now, now, userId, securityVersion],
      },
      ...endSessionsStatements(app, { userId, when, except: keep && { sql: 'id = ?', args: [keep.sessionId] } }),
      ...(keep
        ? [
            {
              sql: `update sessions set token = ?, created_at = ?, updated_at = ?, expires_at = ? where id = ? and user_id = ? and ${when.sql}`,
              args: [keep.token, now, now, keep.expiresAt.getTime(), keep.sessionId, userId, ...when.args],
            },
          ]
        : []),
      ...(endGrants ? [endGrantsStatement(app, { userId, reason: endGrants, when })] : []),
      { sql: 'select security_version as version from users where id = ?', args: [userId] },
    ],
    'write',
  )
  if (results[0]?.rowsAffected !== 1) throw credentialsChanged()
  return versionSchema.parse(results.at(-1)?.rows[0]).version
}

/** The person with this address, confirmed or not. */
export async function findPerson(app: App, email: string): Promise<(Person & { isProved: boolean }) | undefined> {
  const [row] = await app.db.orm
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      securityVersion: users.securityVersion,
      isProved: users.emailVerified,
    })
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
