import { type SQL, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import { endGrantsStatements, type SqlPart } from '#fairway/server/kernel/dependent-rows'
import { endOneTimeStatement } from '#fairway/server/kernel/one-time/one-time'
import { linkApproval } from './email-link'

/** The condition that nothing has ended the sign-ins of a person since their security version was this. */
export const holdsSecurityVersion = (userId: string, securityVersion: number): SQL =>
  sql`exists (select 1 from users where id = ${userId} and security_version = ${securityVersion})`

/** The condition that nothing has ended the sign-ins of a person (the first value) since their security version was the second one; null takes any. */
export const SECURITY_VERSION_HOLDS =
  'exists (select 1 from users where id = ? and security_version = coalesce(?, security_version))'

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
  except?: SqlPart
  /** Nothing ends where this does not hold. */
  when?: SqlPart
}

const ALWAYS: SqlPart = { sql: '1', args: [] }

/** The statements that end the sessions of a person, browsers that were let in and have not come back yet, and sign-ins under way, here and through the hub. */
export function endSessionsStatements(app: App, { userId, except, when = ALWAYS }: EndedAccess): InStatement[] {
  const kept = except ? ` and not (${except.sql})` : ''
  return [
    deleteSessionsStatement({
      sql: `user_id = ?${kept} and ${when.sql}`,
      args: [userId, ...(except?.args ?? []), ...when.args],
    }),
    ...endUnderWayStatements(app, { userId, when }),
  ]
}

/** The statement that deletes the sessions that fit a condition on `user_id` and `id`. */
export const deleteSessionsStatement = ({ sql, args }: SqlPart): InStatement => ({
  sql: `delete from sessions where ${sql}`,
  args,
})

/** The statements that end what is to become a session of a person, and leave those that are there. */
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
