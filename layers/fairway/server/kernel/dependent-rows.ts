import type { InStatement, InValue } from './database/client'

/** An SQL condition, or another piece of SQL, with its values. */
export interface SqlPart {
  sql: string
  args: InValue[]
}

/** A person whose account is exported or deleted. */
export interface PersonKey {
  userId: string
  email: string
}

/** A person who downloads their data, and the organizations that are closed to their session. */
export interface ExportedPerson extends PersonKey {
  closedIds: readonly string[]
}

/** The condition that the organization in this column is not closed to the session that exports. */
export const isExported = (column: string, { closedIds }: ExportedPerson): SqlPart => ({
  sql: `coalesce(${column}, '') not in (select value from json_each(?))`,
  args: [JSON.stringify(closedIds)],
})

/** The account, and the session of its owner, whose own data stays; null where the application has its own sessions. */
export interface Stranger {
  userId: string
  sessionId: string | null
}

/**
 * A domain's declaration of its rows that depend on people, memberships and organizations. The domains that own those end the
 * rows in the same transaction without knowing the tables of other domains; `compose` lists the declarations.
 */
export interface DependentRows {
  /** Selects that return a row where an account was used; `userId` is the column with the account's id. */
  uses?(userId: string): string[]
  /** Ends the permissions that people have granted to others; the condition is about `user_id`, `org_id` and `expires_at`. */
  endGrants?(condition: SqlPart, reason: string, now: number): InStatement[]
  /** Ends the permissions of agents for which no connection of the organization vouches. */
  endUnvouched?(orgId: string, now: number): InStatement[]
  /** The grants of an organization that `endGrants` would end: how many (`live`), and the names of their apps (`names`, JSON). */
  liveGrants?(orgId: string, now: number): InStatement
  /** Ends pending flows that would create a session of a user, where the condition holds. */
  endUnderWay?(userId: string, when: SqlPart): InStatement[]
  /**
   * The rows that a stranger may have left in a user's account, or has under way there: `delete` or `update` statements that end
   * in a condition.
   */
  leftByStranger?(clock: { now(): Date }, stranger: Stranger): SqlPart[]
  /** Deletes the rows of an organization that is deleted; the condition is about `org_id`. */
  forgetOrganization?(condition: SqlPart): InStatement[]
  /** Tables whose rows move by `user_id` when local data is moved to an account, each with the condition for those rows. */
  movesWithPerson?: Readonly<Record<string, string>>
  /**
   * The person's data in the file that they download, by the name of its part: selects whose columns appear in it, without any
   * secret, and without what belongs to a closed organization (`isExported`).
   */
  ofPerson?(person: ExportedPerson): Readonly<Record<string, SqlPart>>
  /** Deletes the rows of a person whose account is deleted. */
  forgetPerson?(person: PersonKey): InStatement[]
  /**
   * A select that returns a row while an organization needs one of its domains: `kind`, `id` and `name` of what needs it, and the
   * reason. The arguments are SQL: the columns of the organization and the domain, and whether it is the last proved one.
   */
  needsDomain?(orgId: string, domain: string, isLast: string): string
  /** Updates rows that name a person by their old address to the new one. */
  changeAddress?(change: PersonKey & { newEmail: string }): InStatement[]
}

/** Converts a time in milliseconds to ISO 8601 UTC, for a select. */
export const isoTime = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`

/** Returns the statements of every domain that end the grants matching the condition, for a transaction. */
export const endGrantsStatements = (
  app: { dependents: readonly DependentRows[]; now(): Date },
  condition: SqlPart,
  reason: string,
): InStatement[] => app.dependents.flatMap(rows => rows.endGrants?.(condition, reason, app.now().getTime()) ?? [])
