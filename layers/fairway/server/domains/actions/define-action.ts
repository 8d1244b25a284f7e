import { getTableColumns, is } from 'drizzle-orm'
import { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { mark, isDeclared, parseDeclaration } from '#fairway/server/kernel/declaration'
import type { Session } from '#fairway/shared/schemas/session'
import type { Config } from '#fairway/server/kernel/config/config'
import { ORG_ROLES, type OrgRole } from '#fairway/shared/roles'
import type { McpScope } from '#fairway/shared/scopes'
import { limitOption, type LimitOption } from '#fairway/server/kernel/limits/call-limits'
import { requireRun } from '#fairway/server/kernel/current-run'
import type { Proving } from '#fairway/server/domains/organizations'
import type { Serialized } from '#fairway/server/kernel/database/output-of'
import type { Action, ActionContext, AuditSubject, Callers, PlatformRule } from './action'

const MEBIBYTE = 1024 * 1024

type SessionFor<Public extends boolean> = Public extends true ? Session | null : Session

type Field<Input extends z.ZodObject> = keyof z.output<Input> & string
type SubjectOption = Omit<AuditSubject, 'id'> & Partial<Pick<AuditSubject, 'id'>>

type Awaitable<T> = T | Promise<T>
type Output = z.ZodType | undefined

/** What runs: it gives back what the output schema takes, or anything where there is none. A type of its own for each, so that its literals are read as what the schema has there. */
type Run<Input extends z.ZodObject, O extends Output, Result, Context> = O extends z.ZodType
  ? (input: z.output<Input>, context: Context) => Awaitable<z.input<O>>
  : (input: z.output<Input>, context: Context) => Result
/** What callers get of it. */
type SentOf<O extends Output, Result> = Serialized<O extends z.ZodType ? z.output<O> : Awaited<Result>>

interface ActionOptions<
  Input extends z.ZodObject,
  O extends Output,
  Result,
  Public extends boolean = false,
  Proof = unknown,
> {
  /** One sentence that says what the action does; people and tools choose by it. */
  description: string
  input: Input
  /** What `run` must return, and what is sent of it; a result that does not fit is a failure of ours. */
  output?: O
  /** Must return (or resolve to) exactly `true`; everything else denies. What it proves is known to `run`. */
  guard?: ((context: ActionContext<SessionFor<Public>>) => unknown) & Proving<Proof>
  /**
   * Who may call it, where its guard or its own code decides: roles in the organization, or a sentence. Lists show it to people; it
   * protects nothing.
   */
  callers?: readonly OrgRole[] | string
  /** `true` lets callers without a session in. */
  public?: Public
  /**
   * The fields of the input whose texts audit rows keep; owners and admins of the organization read them. Others keep ids,
   * enumerations, numbers, booleans and dates alone. `subject` names the row that is written, so that the audit log and the
   * activity of the home page can tell of it; its id is the field `id` of the input unless said otherwise. A list of ids (`ids`)
   * tells of each of these rows.
   */
  audit?: readonly Field<Input>[] | { keep?: readonly Field<Input>[]; subject?: SubjectOption }
  /** Changes nothing: may be called by GET and leaves no audit row. */
  readOnly?: boolean
  /** Loses something that cannot be brought back: surfaces ask before they call it. */
  destructive?: boolean
  mcp?: boolean
  http?: boolean
  /** The embed pages that may read it with their own token, for example `/embed/notes`; only for reading actions without a guard. */
  embed?: string | readonly string[]
  /** Bytes of the request body, 1 MiB when not given. */
  maxBodyBytes?: number
  /** Seconds, 1 to 600. */
  timeout?: number
  /**
   * How often it may be called, on all surfaces and instances together: `{ per: 'person', max: 20, window: 60 }` takes 20 calls of
   * one person in 60 seconds. Several limits all count. Beyond one, callers get `rate-limited` with `Retry-After`.
   */
  limit?: LimitOption
  run: Run<Input, O, Result, ActionContext<SessionFor<Public>> & Proof>
}

const auditSchema = z.strictObject({
  keep: z.array(z.string()).default([]),
  subject: z
    .strictObject({
      table: z.custom<AuditSubject['table']>(
        isSharedTable,
        'must be a table with ownableColumns() or organizationColumns(), and an id',
      ),
      title: z.custom<AuditSubject['title']>(value => is(value, SQLiteColumn), 'must be a column of the table'),
      id: z.string().min(1).default('id'),
      path: z.string().startsWith('/', 'must be the path of a page').optional(),
    })
    .optional(),
})

function isSharedTable(value: unknown): boolean {
  if (!is(value, SQLiteTable)) return false
  const columns = getTableColumns(value)
  const has = (...names: string[]) => names.every(name => name in columns)
  return has('id', 'orgId') && (has('ownerEmail', 'visibility') || has('createdBy'))
}

const optionsSchema = z.strictObject({
  description: z.string().trim().min(1),
  input: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object'),
  output: z.custom<z.ZodType>(value => value instanceof z.ZodType, 'must be a zod schema').optional(),
  guard: z.custom<Action['guard']>(value => typeof value === 'function', 'must be a function').optional(),
  callers: z.union([z.array(z.enum(ORG_ROLES)).min(1), z.string().trim().min(1)]).optional(),
  public: z.boolean().default(false),
  audit: z.union([z.array(z.string()), auditSchema]).default([]),
  readOnly: z.boolean().default(false),
  destructive: z.boolean().default(false),
  mcp: z.boolean().default(true),
  http: z.boolean().default(true),
  embed: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform(value => [value].flat())
    .pipe(z.array(z.string().startsWith('/', 'must be the path of a page'))),
  maxBodyBytes: z
    .int()
    .min(1)
    .max(100 * MEBIBYTE)
    .default(MEBIBYTE),
  timeout: z.number().min(1).max(600).optional(),
  limit: limitOption,
  run: z.custom<Action['run']>(value => typeof value === 'function', 'must be a function'),
})

/** Declares an action; throws at load with the option and what it accepts. */
export function defineAction<
  Input extends z.ZodObject,
  Result,
  O extends Output = undefined,
  Public extends boolean = false,
  Proof = unknown,
>(options: ActionOptions<Input, O, Result, Public, Proof>): Action<Input, SentOf<O, Result>> {
  const { audit: told, ...parsed } = parseDeclaration('defineAction', optionsSchema, options)
  const { keep: audit, subject } = Array.isArray(told) ? { keep: told } : told
  const fields = Object.keys(parsed.input.shape)
  const unknown = audit.find(name => !fields.includes(name))
  if (unknown !== undefined) {
    throw new Error(`defineAction: audit: "${unknown}" is no field of its input; one of ${fields.join(', ')}`)
  }
  if (parsed.readOnly && parsed.destructive) {
    throw new Error('defineAction: destructive: an action that is readOnly loses nothing')
  }
  if (parsed.embed.length > 0 && !mayBeEmbedded(parsed)) {
    throw new Error('defineAction: embed: only a readOnly action without a guard that is served by HTTP and not public')
  }
  const action = mark('action', { ...parsed, audit, ...(subject ? { subject } : {}) })
  return action as unknown as Action<Input, SentOf<O, Result>>
}

// A page inside another site shows; it changes nothing, and what a guard protects stays behind a sign-in.
const mayBeEmbedded = (options: Omit<z.output<typeof optionsSchema>, 'audit'>): boolean =>
  options.readOnly && options.http && !options.public && options.guard === undefined

type PlatformActionOptions<Input extends z.ZodObject, O extends Output, Result> = PlatformRule &
  Omit<ActionOptions<Input, O, Result>, 'guard' | 'public'>

/** Declares an action of the platform: below server/platform, offered and open as its rule says. Throws as `defineAction` does. */
export function definePlatformAction<Input extends z.ZodObject, Result, O extends Output = undefined>(
  options: PlatformActionOptions<Input, O, Result>,
): Action<Input, SentOf<O, Result>> {
  const { isOffered: offered, admits, ...rest } = options
  const platform = { isOffered: offered, admits }
  const guard = ({ session }: { session: Session }) => isAdmitted(platform, requireRun().app.config, session)
  return mark('action', { ...defineAction({ ...rest, guard }), platform })
}

/** Whether lists of this installation name the action: always for an author's. */
export const isOffered = ({ platform }: Action, config: Pick<Config, 'builder'>): boolean =>
  platform?.isOffered(config) ?? true

/** Whether lists that a person sees by a host name the action; who may call an author's is known to its guard alone. */
export const isOfferedTo = (action: Action, config: Config, session: Session): boolean =>
  isOffered(action, config) && (action.platform === undefined || isAdmitted(action.platform, config, session))

/** The scope that a token needs to call the action. */
export const scopeOfAction = ({ readOnly }: Action): McpScope => (readOnly ? 'mcp:read' : 'mcp:write')

/** Who may call an action, as its declaration says it: its rule, its `callers`, or the roles that its guard names. */
export function callersOf({ platform, callers, guard, public: isPublic }: Action, config: Config): Callers {
  if (platform) {
    const { roles, emails } = platform.admits(config)
    return { kind: emails ? 'operators' : 'org-roles', roles }
  }
  if (typeof callers === 'string') return { kind: 'guard', text: callers }
  if (callers) return { kind: 'org-roles', roles: callers }
  if (!guard) return { kind: isPublic ? 'public' : 'signed-in' }
  // The platform's guards say their roles; of any other one it is only known that there is one.
  const { orgRoles, roles } = guard
  if (!roles) return orgRoles ? { kind: 'org-roles', roles: orgRoles } : { kind: 'guard' }
  // Nobody has a role in an application who is not in the organization.
  return !orgRoles || orgRoles.length === ORG_ROLES.length
    ? { kind: 'app-roles', roles }
    : { kind: 'both-roles', roles: orgRoles, appRoles: roles }
}

function isAdmitted({ admits }: PlatformRule, config: Config, session: Session): boolean {
  const { roles, emails } = admits(config)
  if (session.orgRole === null || !roles.includes(session.orgRole)) return false
  if (!emails) return true
  // Anyone may have signed up with that address, whatever the verification policy says.
  return emails.includes(session.email) && session.emailVerified
}

/** Whether a value was made by defineAction. */
export const isAction = (value: unknown): value is Action => isDeclared('action', value)
