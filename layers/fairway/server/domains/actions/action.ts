import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { Proving, SharedTable } from '#fairway/server/domains/organizations'
import type { CallLimit } from '#fairway/server/kernel/limits/limits'
import type { Config } from '#fairway/server/kernel/config/config'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import type { AuthorContext } from './author-context'

/** By which surface an action was called. */
export type ActionCaller = 'http' | 'mcp' | 'cli' | 'a2a' | 'job'

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
  /** A table with `ownableColumns()` or `organizationColumns()`: who may read the row reads its title in sentences too. */
  table: SharedTable
  /** The column that people know the row by. */
  title: SQLiteColumn
  /** Where the id of the row stands: a field of the input, or a path in the result (`note.id`); a list there names many rows. */
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
  /** How often it may be called; empty where that is not limited. */
  limit: readonly CallLimit[]
  /** Seconds; undefined means the application's default. */
  timeout?: number
  run(input: z.output<Input>, context: ActionContext<Session | null>): Result | Promise<Result>
}

/** The types that a caller of this action works with. @public */
export type ActionTypeOf<A> =
  A extends Action<infer Input, infer Result>
    ? { input: z.input<Input>; output: Awaited<Result>; readOnly: boolean }
    : never

/** What a person is asked by a form, or what else the host is asked for, in the words of MCP. */
export type HostQuestion =
  | { message: string; form: z.ZodObject }
  | { method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'; params?: Record<string, unknown> }

/** The MCP host behind a call: what may be told to it, and asked of the person in front of it. */
export interface ActionHost {
  /** Tells how far the work is; nothing is sent where the host did not ask for it. */
  progress(done: number, total?: number, message?: string): Promise<void>
  /** Sends a line for the host's own log; nothing is sent where the host did not ask for it. */
  log(level: 'debug' | 'info' | 'warning' | 'error', text: string): Promise<void>
  /** Whether the person can be asked in this call. */
  readonly canAsk: boolean
  /** What the person entered into the form of this name; undefined when it was not asked yet, was declined or does not fit. */
  answer<T extends z.ZodObject>(name: string, form: T): z.output<T> | undefined
  /** All answers as the host sent them: not checked. */
  readonly answers: Readonly<Record<string, unknown>>
  /** What was handed to `ask` in the round before; it is signed, so the host cannot have changed it. */
  readonly state: unknown
  /** Ends this round: the host asks, then the call begins anew with the answers. Throws `host-cannot-ask` where it cannot. */
  ask(questions: Record<string, HostQuestion>, state?: unknown): never
}

/** How `ask` leaves a run: not a failure, and never seen by an author. */
export class HostQuestions extends Error {
  override name = 'HostQuestions'
  constructor(
    readonly questions: Record<string, HostQuestion>,
    readonly state: unknown,
  ) {
    super('the host was asked')
  }
}

/** One block of an answer as MCP hosts show it; `data` and `blob` are base64. */
export type McpBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; description?: string; mimeType?: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }

// Beside the result, not in it: other surfaces see the result alone.
const blocks = new WeakMap<object, readonly McpBlock[]>()

/** The result of an action, which MCP hosts show as these blocks; every other surface sees `result`, an empty object when there is none. */
export function mcpContent<T extends object = Record<string, never>>(
  content: readonly McpBlock[],
  result: T = {} as T,
): T {
  blocks.set(result, content)
  return result
}

/** The blocks that belong to a result, or undefined. */
export const findMcpContent = (result: unknown): readonly McpBlock[] | undefined =>
  typeof result === 'object' && result !== null ? blocks.get(result) : undefined

/** Lets a result that was parsed anew keep the blocks of the first one. */
export function keepMcpContent(from: unknown, to: unknown): void {
  const content = findMcpContent(from)
  if (content && typeof to === 'object' && to !== null) blocks.set(to, content)
}
