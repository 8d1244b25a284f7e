import { getTableColumns, is } from 'drizzle-orm'
import { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { mark, isDeclared, parseDeclaration } from '#fairway/server/kernel/declaration'
import type { Session } from '#fairway/shared/schemas/session'
import { ORG_ROLES, type OrgRole } from '#fairway/shared/roles'
import { limitOption, type LimitOption } from '#fairway/server/kernel/limits/call-limits'
import { requireRun } from '#fairway/server/kernel/current-run'
import type { Proving } from '#fairway/server/domains/organizations'
import type { Serialized } from '#fairway/server/kernel/database/output-of'
import { auditedFields } from './audit/audited-fields'
import type { Action, ActionAddress, ActionContext, AuditSubject, DoneCall, PlatformRule, UndoCall } from './action'
import { isAdmitted } from './callers'
import { type Method, METHODS, type ParametersIn, parametersIn } from './address'

const MEBIBYTE = 1024 * 1024

type SessionFor<Public extends boolean> = Public extends true ? Session | null : Session

type Field<Input extends z.ZodObject> = keyof z.output<Input> & string
interface AuditOption<Input extends z.ZodObject, Context> {
  keep?: readonly Field<Input>[]
  subject?: SubjectOption
  changes?: readonly string[]
  organization?: string
  /** Called right before and right after `run`. Undefined keeps nothing. */
  read?: (input: z.output<Input>, context: Context) => Awaitable<Readonly<Record<string, unknown>> | undefined>
}
type SubjectOption = Omit<AuditSubject, 'id'> & Partial<Pick<AuditSubject, 'id'>>

type Awaitable<T> = T | Promise<T>
type Output = z.ZodType | undefined

/**
 * The type of `run`: it returns the input of the output schema, or anything without one. The two cases are separate types, so
 * that TypeScript infers literals from the schema.
 */
type Run<Input extends z.ZodObject, O extends Output, Result, Context> = O extends z.ZodType
  ? (input: z.output<Input>, context: Context) => Awaitable<z.input<O>>
  : (input: z.output<Input>, context: Context) => Result
/** The type of the result that callers receive. */
type SentOf<O extends Output, Result> = Serialized<O extends z.ZodType ? z.output<O> : Awaited<Result>>

/** Each parameter of the path must be a field of the input. */
type PathFor<Path extends string, Input extends z.ZodObject> =
  ParametersIn<Path> extends Field<Input> ? `/api/${string}` : `/api/:${Field<Input>}`

interface ActionOptions<
  Input extends z.ZodObject,
  O extends Output,
  Result,
  Public extends boolean = false,
  Proof = unknown,
  Path extends string = string,
> {
  /** One sentence that says what the action does; people and tools choose by it. */
  description: string
  input: Input
  /** The schema of `run`'s result; callers receive its output. A result that does not match is an internal error. */
  output?: O
  /** Must return (or resolve to) exactly `true`; everything else denies. `run` has the types that it proves. */
  guard?: ((context: ActionContext<SessionFor<Public>>) => unknown) & Proving<Proof>
  /**
   * The people who may call it, when its guard or its code decides: roles in the organization, or a sentence. It is for display
   * only and enforces nothing.
   */
  callers?: readonly OrgRole[] | string
  /** `true` lets callers without a session in. */
  public?: Public
  /**
   * The fields of the input whose texts audit rows keep; owners and admins of the organization can read them. Of all other
   * fields, audit rows keep only ids, enumerations, numbers, booleans and dates. `subject` names the written row for the audit
   * log and the activity on the home page. Its id is the field `id` of the input by default. A list of ids (`ids`) names several
   * rows. `changes` names the fields whose values a row keeps, before and after: columns of the subject's table, or fields of
   * what `read` returns. Fields with the name of a secret are refused. Calls of visitors, who have no session or work in another
   * organization, are recorded in the organization of the subject, as "a visitor". For a public action without `subject`,
   * `organization` says where its id is: a field of the input, or a path in the result. Without `limit`, visitors may then call
   * it 60 times a minute from one network.
   */
  audit?: readonly Field<Input>[] | AuditOption<Input, ActionContext<SessionFor<Public>>>
  /** Changes nothing: may be called by GET and writes no audit row. */
  readOnly?: boolean
  /** Deletes data that cannot be restored: surfaces ask for confirmation before they call it. */
  destructive?: boolean
  /** Reaches other systems, which a rollback does not undo: it is not rehearsed, and hosts learn of it (`openWorldHint`). */
  external?: boolean
  /**
   * `{ by: 'admin' }`: a call of a connected app or a service account waits until an owner or admin approves it. That is never the
   * person for whom the app calls. For actions that change something and are not public.
   */
  approval?: { by: 'admin' }
  /** It takes long: MCP hosts that support tasks get a task at once. The call then runs as a job, once, and cannot `ask`. */
  task?: boolean
  mcp?: boolean
  http?: boolean
  /**
   * Its own address, for example `GET` and `/api/reports/:id`: both are literals, because the build reads them. Parameters of the
   * path are fields of the input; the other fields are the query of GET, and the body of other methods. It answers with the
   * output, without `{ result }`. The address by its name stays.
   */
  method?: Method
  path?: Path & PathFor<Path, Input>
  /** The status of answers at that address; 200 by default, and 204 without `output`. */
  status?: 201 | 202
  /** The embed pages that may call it with an embed token: `/embed/notes`. Only for read-only actions without a guard. */
  embed?: string | readonly string[]
  /** The maximum size of the request body in bytes, 1 MiB by default. */
  maxBodyBytes?: number
  /** Seconds, 1 to 600. */
  timeout?: number
  /**
   * How often it may be called, across all surfaces and instances: `{ per: 'person', max: 20, window: 60 }` allows 20 calls per
   * person in 60 seconds. Several limits apply together. Callers beyond a limit get `rate-limited` with `Retry-After`.
   */
  limit?: LimitOption
  /** Returns the call that takes this one back, for the audit log; undefined where there is no way back. */
  undo?: (done: DoneCall<z.output<Input>, O extends z.ZodType ? z.input<O> : Awaited<Result>>) => UndoCall | undefined
  run: Run<Input, O, Result, ActionContext<SessionFor<Public>> & Proof>
}

const auditSchema = z.strictObject({
  keep: z.array(z.string()).default([]),
  changes: z.array(z.string()).default([]),
  read: z
    .custom<NonNullable<Action['changes']>['read']>(value => typeof value === 'function', 'must be a function')
    .optional(),
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
  organization: z.string().min(1).optional(),
})

function isSharedTable(value: unknown): boolean {
  if (!is(value, SQLiteTable)) return false
  const columns = getTableColumns(value)
  const has = (...names: string[]) => names.every(name => Object.hasOwn(columns, name))
  return has('id', 'orgId') && (has('ownerEmail', 'visibility') || has('createdBy'))
}

const PATH = /^\/api(\/(:[a-zA-Z]\w*|[\w.~-]+))+$/

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
  external: z.boolean().default(false),
  approval: z.strictObject({ by: z.literal('admin') }).optional(),
  task: z.boolean().default(false),
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
  method: z.enum(METHODS).optional(),
  path: z.string().regex(PATH, 'must begin with /api/, with parts such as reports and :id').optional(),
  status: z.literal([201, 202]).optional(),
  undo: z.custom<Action['undo']>(value => typeof value === 'function', 'must be a function').optional(),
  run: z.custom<Action['run']>(value => typeof value === 'function', 'must be a function'),
})

// Rows of the audit log are never deleted, so nobody may write them without end.
const VISITOR_LIMIT = [{ per: 'network', max: 60, window: 60 }] as const

/** Declares an action. Throws at load and names the invalid option and the values that it accepts. */
export function defineAction<
  Input extends z.ZodObject,
  Result,
  O extends Output = undefined,
  Public extends boolean = false,
  Proof = unknown,
  const Path extends string = never,
>(options: ActionOptions<Input, O, Result, Public, Proof, Path>): Action<Input, SentOf<O, Result>> {
  const declared = parseDeclaration('defineAction', optionsSchema, options)
  const { audit: told, method: _method, path: _path, status: _status, ...parsed } = declared
  const { keep: audit, subject, organization: visited, ...watched } = Array.isArray(told) ? { keep: told } : told
  const changes = auditedFields(parsed, { subject, ...watched })
  const takesVisitors = parsed.public && !parsed.readOnly
  const fault = faultsOf(parsed, { audit, subject, visited }).find(text => text !== false)
  if (fault) throw new Error(`defineAction: ${fault}`)
  const isLimited = parsed.limit.length > 0 || !takesVisitors || (subject ?? visited) === undefined
  const optional = Object.entries({ subject, visited, changes, address: addressOf(declared) })
  const present = Object.fromEntries(optional.filter(([, value]) => value !== undefined))
  const action = mark('action', { ...parsed, audit, limit: isLimited ? parsed.limit : VISITOR_LIMIT, ...present })
  return action as unknown as Action<Input, SentOf<O, Result>>
}

type Parsed = z.output<typeof optionsSchema>

interface Told {
  audit: readonly string[]
  subject?: Pick<AuditSubject, 'id'>
  visited?: string
}

function faultsOf(parsed: Omit<Parsed, 'audit'>, { audit, subject, visited }: Told) {
  const fields = Object.keys(parsed.input.shape)
  const unknown = audit.find(name => !fields.includes(name))
  return [
    unknown !== undefined && `audit: "${unknown}" is no field of its input; one of ${fields.join(', ')}`,
    subject !== undefined && faultOfSubject(parsed, subject.id),
    ...(parsed.readOnly ? faultsOfReading(parsed) : []),
    mayNotWait(parsed) && 'approval: only for an action that changes something and is not public',
    parsed.embed.length > 0 &&
      !mayBeEmbedded(parsed) &&
      'embed: only a readOnly action without a guard that is served by HTTP and not public',
    visited !== undefined &&
      (parsed.readOnly || !parsed.public) &&
      'audit: organization: only visitors need it, and only a write leaves a row',
  ]
}

const faultsOfReading = ({ undo, destructive }: Omit<Parsed, 'audit'>) => [
  undo !== undefined && 'undo: an action that is readOnly changes nothing',
  destructive && 'destructive: an action that is readOnly loses nothing',
]

const mayNotWait = ({ approval, readOnly, public: isPublic }: Omit<Parsed, 'audit'>): boolean =>
  approval !== undefined && (readOnly || isPublic)

/** Why no audit row could name the written row; false when one can. */
function faultOfSubject({ readOnly, input, output }: Omit<Parsed, 'audit'>, id: string): string | false {
  if (readOnly) return 'audit: subject: an action that is readOnly writes no row that it could name; leave it out'
  const [name = ''] = id.split('.')
  // Without the schema of an output, the result may have any field.
  if (Object.hasOwn(input.shape, name) || !(output instanceof z.ZodObject) || Object.hasOwn(output.shape, name))
    return false
  const fields = [...Object.keys(input.shape), ...Object.keys(output.shape)]
  return `audit: subject: neither the input nor the output has "${id}", so no row is named; set its id to one of ${fields.join(', ')}`
}

/** The address of an action. Throws when its parts do not fit together. */
function addressOf(declared: Parsed): ActionAddress | undefined {
  const { input, output, method, path, status } = declared
  if (!method || !path) {
    if (method ?? path ?? status) throw new Error('defineAction: method, path: an address needs both')
    return undefined
  }
  const parameters = parametersIn(path)
  const fault = addressFaults(declared, parameters).find(text => text !== false)
  if (fault) throw new Error(`defineAction: ${fault}`)
  const isSent = Object.keys(input.shape).some(name => !parameters.includes(name))
  return { method, path, status: output ? (status ?? 200) : 204, parameters, isSent }
}

function addressFaults({ input, output, http, readOnly, method, status }: Parsed, parameters: readonly string[]) {
  const fields = Object.keys(input.shape)
  const unknown = parameters.find((name, at) => !fields.includes(name) || parameters.indexOf(name) !== at)
  return [
    !http && 'path: an action with an address is served by HTTP',
    status !== undefined && !output && 'status: without an output, the status is 204',
    method === 'GET' && !readOnly && 'method: only a readOnly action has an address for GET',
    unknown !== undefined &&
      `path: ":${unknown}" is no field of its input, or is there twice; one of ${fields.join(', ')}`,
  ]
}

// An embedded page only shows data: it must not change anything, and guarded data requires a sign-in.
const mayBeEmbedded = (options: Omit<Parsed, 'audit'>): boolean =>
  options.readOnly && options.http && !options.public && options.guard === undefined

type PlatformActionOptions<Input extends z.ZodObject, O extends Output, Result> = PlatformRule &
  Omit<ActionOptions<Input, O, Result>, 'guard' | 'public'>

/** Declares an action of the platform, below server/platform; its rule decides who gets it. Throws as `defineAction` does. */
export function definePlatformAction<Input extends z.ZodObject, Result, O extends Output = undefined>(
  options: PlatformActionOptions<Input, O, Result>,
): Action<Input, SentOf<O, Result>> {
  const { isOffered: offered, admits, ...rest } = options
  const platform = { isOffered: offered, admits }
  const guard = ({ session }: { session: Session }) => isAdmitted(platform, requireRun().app.config, session)
  return mark('action', { ...defineAction({ ...rest, guard }), platform })
}

/** Whether a value was made by defineAction. */
export const isAction = (value: unknown): value is Action => isDeclared('action', value)
