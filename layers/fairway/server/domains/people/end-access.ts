import { type SQL, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'

/** Says that this sign-in began before something ended all of them. */
export const credentialsChanged = (): AppError => new AppError('credentials-changed')

/** The condition that nothing has ended the sign-ins of a person since their security version was this. */
export const holdsSecurityVersion = (userId: string, securityVersion: number): SQL =>
  sql`exists (select 1 from users where id = ${userId} and security_version = ${securityVersion})`

/** The condition that the session that asks is still there, with its id twice as values; no condition where that is null, because the session is not one of ours. */
export const SESSION_HOLDS = '(? is null or exists (select 1 from sessions where id = ?))'

/** The same for statements of the query builder. */
export const holdsSession = (sessionId: string | null): SQL =>
  sql`(${sessionId} is null or exists (select 1 from sessions where id = ${sessionId}))`

/** The statement after which no sign-in that is under way for these users ends in a session; `users` is a condition on the table. */
export const outdateSignIns = (users: string, args: InValue[]): InStatement => ({
  sql: `update users set security_version = security_version + 1 where ${users}`,
  args,
})

interface EndedAccess {
  userId: string
  /** The sessions that go on: an SQL condition. */
  except?: { sql: string; args: InValue[] }
  /** Nothing ends where this does not hold. */
  when?: { sql: string; args: InValue[] }
}

/** The statements that end the sessions of a person, browsers that were let in and have not come back yet, and sign-ins under way, here and through the hub. */
export function endSessionsStatements({ userId, except, when = { sql: '1', args: [] } }: EndedAccess): InStatement[] {
  const kept = except ? ` and not (${except.sql})` : ''
  return [
    {
      sql: `delete from sessions where user_id = ?${kept} and ${when.sql}`,
      args: [userId, ...(except?.args ?? []), ...when.args],
    },
    ...endUnderWayStatements({ userId, when }),
  ]
}

/** The statements that end what is to become a session of a person, and leave those that are there. */
export function endUnderWayStatements({
  userId,
  when = { sql: '1', args: [] },
}: Omit<EndedAccess, 'except'>): InStatement[] {
  return [
    {
      sql: `update email_links set approved_user_id = null where approved_user_id = ? and ${when.sql}`,
      args: [userId, ...when.args],
    },
    {
      sql: `delete from identity_codes where user_id = ? and redeemed_at is null and ${when.sql}`,
      args: [userId, ...when.args],
    },
    outdateSignIns(`id = ? and ${when.sql}`, [userId, ...when.args]),
  ]
}

/** The statement that ends every connected app of a person. */
export const endGrantsStatement = (
  app: App,
  { userId, reason, when = { sql: '1', args: [] } }: { userId: string; reason: string } & Pick<EndedAccess, 'when'>,
): InStatement => ({
  sql: `update oauth_grants set revoked_at = ?, revoked_reason = ? where user_id = ? and revoked_at is null and ${when.sql}`,
  args: [app.now().getTime(), reason, userId, ...when.args],
})
