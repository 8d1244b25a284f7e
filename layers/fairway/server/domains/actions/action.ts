import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { Proving, SharedTable } from '#fairway/server/domains/organizations'
import type { CallLimit } from '#fairway/server/kernel/limits/limits'
import type { Config } from '#fairway/server/kernel/config/config'
import type { OrgRole } from '#fairway/shared/roles'
import type { Session } from '#fairway/shared/schemas/session'
import type { Method } from './address'
import type { AuthorContext } from './author-context'

/** The surface through which an action was called. */
export type ActionCaller = 'http' | 'mcp' | 'cli' | 'a2a' | 'job'

/** The context that an action gets besides its input. */
export interface ActionContext<S extends Session | null = Session> extends AuthorContext<S> {
  caller: ActionCaller
  /** The MCP host behind this call; null on every other surface. */
  host: ActionHost | null
}

/** Conditions of a platform action that depend on how this installation is set up. Actions of authors have none. */
export interface PlatformRule {
  /** Whether the installation has what the action needs. If not, lists omit the action. */
  isOffered(config: Pick<Config, 'builder'>): boolean
  /** The people whom the application's settings admit. */
  admits(config: Config): Admitted
}

/** The people who may call an action, for display. The guard and the code of the action enforce access. */
export interface Callers {
  kind:
    | 'public'
    | 'signed-in'
    | 'org-roles'
    | 'app-roles'
    | 'both-roles'
    | 'permissions'
    | 'operators'
    | 'named'
    | 'guard'
  /** Roles in the organization, or in the application when `kind` is `app-roles`. */
  roles?: readonly string[]
  /** Application roles that may call it in addition to the organization roles. */
  appRoles?: readonly string[]
  /** The permissions that it requires, in addition to roles. */
  permissions?: readonly { name: string; text: string }[]
  /** The sentence from the declaration. */
  text?: string
}

/**
 * People with a confirmed address, by their role in their active organization, by their address or by both. Without either, the
 * operators.
 */
export interface Admitted {
  roles?: readonly OrgRole[]
  emails?: readonly string[]
}

/** The row that an action writes in a table of the application. Sentences in the audit log name it. */
export interface AuditSubject {
  /**
   * A table with `ownableColumns()` or `organizationColumns()`. Everyone who may read the row may also read its title in
   * sentences, unless a field rule hides it.
   */
  table: SharedTable
  /** The column with the title of the row. */
  title: SQLiteColumn
  /**
   * Where to find the id of the row: a field of the input, or a path in the result (`note.id`). A list there names several rows.
   */
  id: string
  /** The page of the row; contains `{id}`. */
  path?: string
}

/** The address of an action, such as `GET /api/reports/:id`. There it answers with its output, or 204 if it declares none. */
export interface ActionAddress {
  method: Method
  path: string
  status: number
  /** The fields of the input that are part of the path. */
  parameters: readonly string[]
  /** Whether it has other fields, in the query (GET) or the body. */
  isSent: boolean
}

/** The call that takes another one back. */
export interface UndoCall {
  /** The name of the action. */
  action: string
  input: Readonly<Record<string, unknown>>
  /** What `newId()` returns in it, in this order: a deleted row comes back under its ID. */
  ids?: readonly string[]
}

/** A call that was done. */
export interface DoneCall<Input = unknown, Result = unknown> {
  input: Input
  /** The rows of `audit.subject` that the input names, as they were before it. */
  before: readonly Readonly<Record<string, unknown>>[]
  result: Result
  session: Session
}

/** A declared action as every surface sees it. */
export interface Action<Input extends z.ZodObject = z.ZodObject, Result = unknown> {
  description: string
  input: Input
  output?: z.ZodType
  guard?: ((context: ActionContext<Session | null>) => unknown) & Proving<object>
  /** The `callers` of the declaration: roles in the organization, or a sentence. */
  callers?: readonly OrgRole[] | string
  /** Only set for actions of the platform. */
  platform?: PlatformRule
  public: boolean
  /** The fields of the input whose texts are kept in audit rows. */
  audit: readonly string[]
  /** The row that the action writes. */
  subject?: AuditSubject
  /** Where a public action names the organization of a visitor's call: a field of its input, or a path in its result. */
  visited?: string
  /** The fields whose values audit rows keep, before and after. Without `read`, they are columns of the subject. */
  changes?: {
    fields: readonly string[]
    read?(input: z.output<Input>, context: ActionContext<Session | null>): unknown
  }
  readOnly: boolean
  destructive: boolean
  /** Reaches other systems, so it cannot be rehearsed. */
  external: boolean
  /** Set when somebody else must approve calls of connected apps and service accounts. */
  approval?: { by: 'admin' }
  /** Whether MCP hosts that support tasks follow a call instead of waiting for it. */
  task: boolean
  mcp: boolean
  http: boolean
  /** Its own address, besides the one by its name. */
  address?: ActionAddress
  /** The embed pages that may call it with an embed token, as declared. */
  embed: readonly string[]
  maxBodyBytes: number
  /** The call limits; empty when there are none. */
  limit: readonly CallLimit[]
  /** Seconds; undefined means the application's default. */
  timeout?: number
  /** The opposite of a call; undefined where there is none. */
  undo?(done: DoneCall): UndoCall | undefined
  run(input: z.output<Input>, context: ActionContext<Session | null>): Result | Promise<Result>
}

/** The types that a caller of this action works with. @public */
export type ActionTypeOf<A> =
  A extends Action<infer Input, infer Result>
    ? { input: z.input<Input>; output: Awaited<Result>; readOnly: boolean }
    : never

/** A question to a person (a form) or another request to the host, in the terms of MCP. */
export type HostQuestion =
  | { message: string; form: z.ZodObject }
  | { method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'; params?: Record<string, unknown> }

/** The MCP host behind a call: receives progress and logs, and can ask the person questions. */
export interface ActionHost {
  /** Reports progress. Sends nothing when the host did not request it. */
  progress(done: number, total?: number, message?: string): Promise<void>
  /** Sends a line to the host's log. Sends nothing when the host did not request it. */
  log(level: 'debug' | 'info' | 'warning' | 'error', text: string): Promise<void>
  /** Whether this call can ask the person questions. */
  readonly canAsk: boolean
  /**
   * The person's answer to the form with this name. Undefined when the form was not shown yet, was declined, or the answer is
   * invalid.
   */
  answer<T extends z.ZodObject>(name: string, form: T): z.output<T> | undefined
  /** All answers as the host sent them, unvalidated. */
  readonly answers: Readonly<Record<string, unknown>>
  /** The state passed to `ask` in the previous round. It is signed, so the host cannot change it. */
  readonly state: unknown
  /**
   * Ends this round: the host asks the questions, then calls the action again with the answers. Throws `host-cannot-ask` when the
   * host does not support it.
   */
  ask(questions: Record<string, HostQuestion>, state?: unknown): never
}

/** Thrown by `ask` to leave a run. It is not a failure, and authors never see it. */
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

// Kept outside the result, because all other surfaces see only the result.
const blocks = new WeakMap<object, readonly McpBlock[]>()

/** Returns a result that MCP hosts show as these blocks. All other surfaces see `result`, an empty object by default. */
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

/** Copies the blocks of a result to its parsed version. */
export function keepMcpContent(from: unknown, to: unknown): void {
  const content = findMcpContent(from)
  if (content && typeof to === 'object' && to !== null) blocks.set(to, content)
}
