// Operations: what a signed-in person can do here, each declared once with its method and path. The platform declares them in
// server/domains/<domain>/operations.ts; the build mounts them, types the calls of pages, and describes them in OpenAPI.
import type { H3Event } from 'h3'
import { z } from 'zod'
import type { Actor } from '#fairway/server/domains/organizations'
import type { ServerSession } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Serialized } from '#fairway/server/kernel/database/output-of'
import type { ExportFile } from '#fairway/server/kernel/export-rows'
import type { CallsPer, Limit } from '#fairway/server/kernel/limits/limits'
import type { OrgPermission } from '#fairway/shared/roles'

export type OperationMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the code of an operation has in hand besides its input. */
interface OperationContext {
  app: App
  session: ServerSession
  /** For cookies, headers and the client address. */
  event: H3Event
  isDryRun: boolean
}

type ParametersIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** An object, or one of several where the address has no parameters. */
type InputSchema = z.ZodObject | z.ZodUnion<readonly z.ZodObject[]>
type Fields<Input> = Input extends InputSchema ? z.output<Input> : unknown
type SentFields<Input> = Input extends InputSchema ? z.input<Input> : unknown
type NameIn<Fields> = Fields extends unknown ? keyof Fields & string : never
type InPath<Path extends string> = { [Name in ParametersIn<Path>]: string }
type Result<Output> = Output extends z.core.$ZodType ? z.core.input<Output> : Output extends 'file' ? ExportFile : void
type Acting<Permission> = Permission extends OrgPermission ? { actor: Actor } : unknown

interface OperationOptions<Path extends string, Input, Output, Permission, DryRun> {
  /** One sentence that says what it does. */
  description: string
  /** Method and path are literals: the build reads them without running the file. */
  method: OperationMethod
  path: Path
  /** The fields of the query (GET) or of the body; without it neither is read. Parameters of the path that it does not name are texts. */
  input?: Input
  /** The media types of a body that `run` reads itself. */
  reads?: string
  /** What is sent, field by field in this order, or a file to save; without it nothing is sent (204). */
  output?: Output
  /** 200 when not given, 204 without output. */
  status?: 201 | 202
  /**
   * What the person must be allowed to do in the active organization, asked before anything is read; gives `actor`. `operator`: for
   * those who run the installation. For everyone else it is not there, and their calls leave no audit row.
   */
  permission?: Permission
  /** An API token with the scope `operator` may call it too: where no recent sign-in is required. */
  tokens?: Permission extends 'operator' ? true : never
  /** Requires a sign-in of the last 15 minutes, before anything is read. */
  recentSignIn?: true
  /** How often it may be called, and whose calls are counted together. */
  limit?: Limit & { per: CallsPer }
  /** Leaves an audit row that keeps these fields of the parsed input, and of the output those that the input lacks. Without it no call leaves one. */
  audit?: readonly (NameIn<InPath<Path> & Fields<Input>> | NameIn<Result<Output>>)[]
  /**
   * The row belongs to another organization than the one the person works in, which `run` names with `auditIn`. A refused call
   * belongs to none, so that admins do not learn where else their members go.
   */
  auditsElsewhere?: true
  /** `?dryRun=true` asks what it would do: `run` changes nothing, needs no recent sign-in and leaves no audit row. */
  dryRun?: DryRun
  run(
    input: InPath<Path> & Fields<Input>,
    context: OperationContext & Acting<Permission>,
  ): Result<Output> | Promise<Result<Output>>
}

/** What a page sends and gets; both are never there when it runs. */
interface CallTypes {
  input: unknown
  output: unknown
}

/** A declared operation as HTTP and OpenAPI see it. */
export interface Operation<Types extends CallTypes = CallTypes> {
  description: string
  method: OperationMethod
  path: string
  /** The fields of the input that are part of the path. */
  parameters: readonly string[]
  /** Query or body, with the parameters of the path; missing where these are texts, and nothing else is. */
  input?: InputSchema
  /** Whether the query or the body is read. */
  isSent: boolean
  /** Whether a request without a body says enough. */
  mayBeEmpty: boolean
  reads?: string
  output?: z.core.$ZodType | 'file'
  status: number
  permission?: OrgPermission | 'operator'
  tokens?: true
  recentSignIn: boolean
  limit?: Limit & { per: CallsPer }
  audit?: readonly string[]
  auditsElsewhere?: true
  dryRun?: true
  run(input: Record<string, unknown>, context: OperationContext & { actor?: Actor }): unknown
  readonly types?: Types
}

/** What callers of an operation send and get. @public */
export type OperationTypeOf<O> = O extends Operation<infer Types> ? Types : never

const accepts = (schema: unknown, value: unknown): boolean =>
  schema instanceof z.ZodType && schema.safeParse(value).success

/** Declares one operation of the platform. */
export function operation<
  const Path extends string,
  Input extends InputSchema | undefined = undefined,
  Output extends z.core.$ZodType | 'file' | undefined = undefined,
  Permission extends OrgPermission | 'operator' | undefined = undefined,
  DryRun extends true | undefined = undefined,
>(
  options: OperationOptions<Path, Input, Output, Permission, DryRun>,
): Operation<{
  input: InPath<Path> & SentFields<Input> & (DryRun extends true ? { dryRun?: boolean } : unknown)
  output: Output extends z.core.$ZodType ? Serialized<z.core.output<Output>> : undefined
}> {
  const { path, input, output, status = 200, recentSignIn = false, ...rest } = options
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
  const shape = input && 'shape' in input ? input.shape : {}
  const texts = parameters.filter(name => !(name in shape)).map(name => [name, z.string()])
  return Object.freeze({
    ...rest,
    path,
    parameters,
    input: input && 'shape' in input ? input.safeExtend(Object.fromEntries(texts)) : input,
    isSent: input instanceof z.ZodUnion || Object.keys(shape).some(name => !parameters.includes(name)),
    mayBeEmpty:
      !(input instanceof z.ZodUnion) &&
      Object.entries(shape).every(([name, field]) => parameters.includes(name) || accepts(field, undefined)),
    output,
    status: output ? status : 204,
    recentSignIn,
  }) as never
}

/** The operations of one domain by name: the name of the audit row, the webhook event, the OpenAPI entry and the typed call. */
export const defineOperations = <T extends Record<string, Operation>>(operations: T): T => Object.freeze(operations)
