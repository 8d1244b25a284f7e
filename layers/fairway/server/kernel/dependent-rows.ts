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

/** Whose account it is, and the session of its owner, whose own things stay; null where sessions are not ours. */
export interface Stranger {
  userId: string
  sessionId: string | null
}

/**
 * A domain's declaration of its rows that depend on people, memberships and organizations. The domains that own those end the
 * rows in the same transaction without knowing the tables of other domains; `compose` lists the declarations.
 */
export interface DependentRows {
  /** Selects that find something where an account was used; `userId` is the column that says which account. */
  uses?(userId: string): string[]
  /** Ends what people have allowed others to do for them; the condition is about `user_id`, `org_id` and `expires_at`. */
  endGrants?(condition: SqlPart, reason: string, now: number): InStatement[]
  /** Counts, as `live`, what `endGrants` would end of an organization. */
  countGrants?(orgId: string, now: number): InStatement
  /** Ends what is under way to become a session of a user elsewhere, where the condition holds. */
  endUnderWay?(userId: string, when: SqlPart): InStatement[]
  /**
   * The rows that a stranger may have left in a user's account, or has under way there: `delete` or `update` statements that end
   * in a condition.
   */
  leftByStranger?(clock: { now(): Date }, stranger: Stranger): SqlPart[]
  /** Deletes what belongs to an organization that is deleted; the condition is about `org_id`. */
  forgetOrganization?(condition: SqlPart): InStatement[]
  /** Tables whose rows, by `user_id`, move along when local data is given to an account, each with the condition on those that do. */
  movesWithPerson?: Readonly<Record<string, string>>
  /**
   * The person's data in the file that they download, by the name of its part: selects whose columns appear in it, without any
   * secret.
   */
  ofPerson?(person: PersonKey): Readonly<Record<string, SqlPart>>
  /** Deletes what belongs to a person whose account is deleted. */
  forgetPerson?(person: PersonKey): InStatement[]
  /** Updates rows that name a person by their old address to the new one. */
  changeAddress?(change: PersonKey & { newEmail: string }): InStatement[]
}

/** A time of ours (milliseconds) as ISO 8601 UTC, for a select. */
export const isoTime = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`

/** The statements by which every domain ends the grants that fit the condition, for a transaction. */
export const endGrantsStatements = (
  app: { dependents: readonly DependentRows[]; now(): Date },
  condition: SqlPart,
  reason: string,
): InStatement[] => app.dependents.flatMap(rows => rows.endGrants?.(condition, reason, app.now().getTime()) ?? [])
