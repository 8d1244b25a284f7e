import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { OwnableTable, Proving } from '#fairway/server/domains/organizations'
import type { Config } from '#fairway/server/kernel/config/config'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import type { AuthorContext } from './author-context'
import type { ActionHost } from './action-host'

/** By which surface an action was called. */
export type ActionCaller = 'http' | 'mcp' | 'cli' | 'a2a'

/** What an action knows besides its input. */
export interface ActionContext<S extends Session | null = Session> extends AuthorContext<S> {
  caller: ActionCaller
  /** The MCP host behind this call; null on every other surface. */
  host: ActionHost | null
}

/** What an action of the platform itself depends on, which no author's does: how this installation is set up. */
export interface PlatformRule {
  /** Whether the installation has what the action needs; where it does not, no list names it. */
  isOffered(config: Pick<Config, 'builder'>): boolean
  /** Whom the application's own settings name. */
  admits(config: Config): Admitted
}

/** Who may call an action, for lists that people read; what is enforced is the guard and the code of the action. */
export interface Callers {
  kind: 'public' | 'signed-in' | 'org-roles' | 'app-roles' | 'both-roles' | 'operators' | 'guard'
  /** In the organization, or in the application where that is the kind. */
  roles?: readonly string[]
  /** Besides those in the organization. */
  appRoles?: readonly string[]
  /** The declaration's own sentence. */
  text?: string
}

/** People by what they are in the organization that they work in, and narrowed down to these addresses where there are any. */
export interface Admitted {
  roles: readonly OrgRole[]
  emails?: readonly string[]
}

/** The row of an application's table that an action writes: what sentences about it name. */
export interface AuditSubject {
  /** A table with `ownableColumns()`: who may read the row reads its title in sentences too. */
  table: OwnableTable
  /** The column that people know the row by. */
  title: SQLiteColumn
  /** Where the id of the row stands: a field of the input, or a path in the result (`note.id`). */
  id: string
  /** The page of the row, with `{id}` in it. */
  path?: string
}

/** A declared action as every surface sees it. */
export interface Action<Input extends z.ZodObject = z.ZodObject, Result = unknown> {
  description: string
  input: Input
  output?: z.ZodType
  guard?: ((context: ActionContext<Session | null>) => unknown) & Proving<object>
  /** As it is declared: roles in the organization, or a sentence. */
  callers?: readonly OrgRole[] | string
  /** Only in actions of the platform itself. */
  platform?: PlatformRule
  public: boolean
  /** The fields of the input whose texts audit rows keep. */
  audit: readonly string[]
  /** The row that it writes. */
  subject?: AuditSubject
  readOnly: boolean
  destructive: boolean
  mcp: boolean
  http: boolean
  /** The embed pages that may read it with their own token, as they are declared. */
  embed: readonly string[]
  maxBodyBytes: number
  /** Seconds; undefined means the application's default. */
  timeout?: number
  run(input: z.output<Input>, context: ActionContext<Session | null>): Result | Promise<Result>
}

/** The types that a caller of this action works with. @public */
export type ActionTypeOf<A> =
  A extends Action<infer Input, infer Result>
    ? { input: z.input<Input>; output: Awaited<Result>; readOnly: boolean }
    : never
