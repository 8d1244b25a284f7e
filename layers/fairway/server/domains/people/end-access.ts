import { type SQL, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { endGrantsStatements, type SqlPart } from '#fairway/server/kernel/dependent-rows'
import { endOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { linkApproval } from './email-link'

/** The condition that the security version of a person is unchanged, so that no event has ended their sign-ins. */
export const holdsSecurityVersion = (userId: string, securityVersion: number): SQL =>
  sql`exists (select 1 from users where id = ${userId} and security_version = ${securityVersion})`

/** The same condition as SQL text. Its values: the person's id and the security version; null accepts any version. */
export const SECURITY_VERSION_HOLDS =
  'exists (select 1 from users where id = ? and security_version = coalesce(?, security_version))'

/**
 * The condition that the current session still exists. Its value is the session's id, twice. Null, for sessions without a row,
 * skips the check.
 */
export const SESSION_HOLDS = '(? is null or exists (select 1 from sessions where id = ?))'

/** The statement that prevents sign-ins under way from becoming sessions. `users` is a condition on the table. */
export const outdateSignIns = (users: string, args: InValue[]): InStatement => ({
  sql: `update users set security_version = security_version + 1 where ${users}`,
  args,
})

interface EndedAccess {
  userId: string
  /** An SQL condition for the sessions that stay. */
  except?: SqlPart
  /** Without this condition, no access ends. */
  when?: SqlPart
}

const ALWAYS: SqlPart = { sql: '1', args: [] }

/**
 * The statements that end a person's sessions, approved browsers that have not returned yet, and sign-ins under way, here and
 * through the hub.
 */
export function endSessionsStatements(app: App, { userId, except, when = ALWAYS }: EndedAccess): InStatement[] {
  const exception = except ? ` and not (${except.sql})` : ''
  return [
    deleteSessionsStatement({
      sql: `user_id = ?${exception} and ${when.sql}`,
      args: [userId, ...(except?.args ?? []), ...when.args],
    }),
    ...endUnderWayStatements(app, { userId, when }),
  ]
}

/** The statement that deletes the sessions that match a condition on `user_id` and `id`. */
export const deleteSessionsStatement = ({ sql, args }: SqlPart): InStatement => ({
  sql: `delete from sessions where ${sql}`,
  args,
})

/** The statements that end a person's sign-ins under way and keep existing sessions. */
export function endUnderWayStatements(app: App, { userId, when = ALWAYS }: Omit<EndedAccess, 'except'>): InStatement[] {
  return [
    endOneTimeStatement(app, [linkApproval], userId, when),
    ...app.dependents.flatMap(rows => rows.endUnderWay?.(userId, when) ?? []),
    outdateSignIns(`id = ? and ${when.sql}`, [userId, ...when.args]),
  ]
}

/** The statements that end every connected app of a person. */
export const endGrantsOf = (
  app: App,
  { userId, reason, when = ALWAYS }: { userId: string; reason: string } & Pick<EndedAccess, 'when'>,
): InStatement[] =>
  endGrantsStatements(app, { sql: `user_id = ? and ${when.sql}`, args: [userId, ...when.args] }, reason)
