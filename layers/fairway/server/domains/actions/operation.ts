// Operations that signed-in people can call, each declared once with its method and path. The platform declares them in
// server/domains/<domain>/operations.ts; the build mounts them, types the calls of pages, and describes them in OpenAPI.
import type { H3Event } from 'h3'
import { z } from 'zod'
import { checkAuditedFields } from './audit/audited-fields'
import type { Actor } from '#fairway/server/domains/organizations'
import type { ServerSession } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import type { Serialized } from '#fairway/server/kernel/database/output-of'
import type { ExportFile } from '#fairway/server/kernel/export-rows'
import type { OpenIn, OpenState } from '#fairway/server/kernel/http/methods'
import type { CallsPer, Limit } from '#fairway/server/kernel/limits/limits'
import type { OrgPermission } from '#fairway/shared/roles'
import { type Method, type ParametersIn, parametersIn } from './address'

/** The context that an operation gets besides its input. */
export interface OperationContext {
  app: App
  session: ServerSession
  /** For cookies, headers and the client address. */
  event: H3Event
  isDryRun: boolean
}

/** An object, or a union of objects when the address has no parameters. */
type InputSchema = z.ZodObject | z.ZodUnion<readonly z.ZodObject[]>
type Fields<Input> = Input extends InputSchema ? z.output<Input> : unknown
type SentFields<Input> = Input extends InputSchema ? z.input<Input> : unknown
type NameIn<Fields> = Fields extends unknown ? keyof Fields & string : never
type InPath<Path extends string> = { [Name in ParametersIn<Path>]: string }
type KeptName<Path extends string, Input, Output> = NameIn<InPath<Path> & Fields<Input>> | NameIn<Result<Output>>
type Result<Output> = Output extends z.core.$ZodType ? z.core.input<Output> : Output extends 'file' ? ExportFile : void
type Acting<Permission> = Permission extends OrgPermission ? { actor: Actor } : unknown

interface OperationOptions<Path extends string, Input, Output, Permission, DryRun> {
  /** One sentence that says what it does. */
  description: string
  /** Method and path are literals, because the build reads them without running the file. */
  method: Method
  path: Path
  /**
   * The fields of the query (GET) or the body; without it the server does not read them. Path parameters that it does not name
   * are texts.
   */
  input?: Input
  /** The media types of a body that `run` reads from the request. */
  reads?: string
  /** The fields of the response in this order, or a file to download; without it the response is empty (204). */
  output?: Output
  /** Defaults to 200, or 204 without output. */
  status?: 201 | 202
  /**
   * The permission that the person needs in the active organization, checked before any input is read; provides `actor`.
   * `operator` is for the operators of the installation. Everyone else gets `not-found`, and their calls write no audit row.
   */
  permission?: Permission
  /** API tokens with the scope `operator` may call it too. Creating one required a recent sign-in, so calls require none. */
  tokens?: Permission extends 'operator' ? true : never
  /** Whether this installation has it; every call is `not-found` elsewhere. */
  isThere?: (config: Config) => boolean
  /** The states besides an ordinary session in which it stays open. */
  openIn?: readonly Extract<OpenState, 'setup' | 'view' | 'view-as-operator'>[]
  /**
   * Requires a sign-in within the last 15 minutes, checked before any input is read. A function decides from the input, which is
   * then read first.
   */
  recentSignIn?: true | ((input: InPath<Path> & Fields<Input>) => boolean)
  /** How often it may be called, and which calls are counted together. */
  limit?: Limit & { per: CallsPer }
  /**
   * Writes an audit row with these fields of the parsed input, or of the output when the input lacks them. Without it, calls
   * write no audit row. With `changes`, it also keeps these fields of what `read` returns right before and right after `run`.
   */
  audit?:
    | readonly KeptName<Path, Input, Output>[]
    | {
        keep: readonly KeptName<Path, Input, Output>[]
        changes: readonly string[]
        read(
          input: InPath<Path> & Fields<Input>,
          context: OperationContext & Acting<Permission>,
        ): Promise<Readonly<Record<string, unknown>> | undefined>
      }
  /**
   * The row belongs to another organization than the person's active one; `run` names it with `auditIn`. The row of a refused
   * call belongs to none, so that admins do not learn which other organizations their members visit.
   */
  auditsElsewhere?: true
  /** `?dryRun=true` reports what a call would do: `run` changes nothing, requires no recent sign-in and writes no audit row. */
  dryRun?: DryRun
  run(
    input: InPath<Path> & Fields<Input>,
    context: OperationContext & Acting<Permission>,
  ): Result<Output> | Promise<Result<Output>>
}

/** The types of a page's request and response. They exist only at compile time. */
interface CallTypes {
  input: unknown
  output: unknown
}

/** A declared operation as HTTP and OpenAPI see it. */
export interface Operation<Types extends CallTypes = CallTypes> {
  description: string
  method: Method
  path: string
  /** The fields of the input that are part of the path. */
  parameters: readonly string[]
  /** The schema of the query or body with the path parameters. Missing when there are only path parameters that are texts. */
  input?: InputSchema
  /** Whether the query or the body is read. */
  isSent: boolean
  /** Whether the body may be omitted. */
  mayBeEmpty: boolean
  reads?: string
  output?: z.core.$ZodType | 'file'
  status: number
  permission?: OrgPermission | 'operator'
  tokens?: true
  isThere?: (config: Config) => boolean
  openIn: OpenIn
  recentSignIn: boolean | ((input: never) => boolean)
  limit?: Limit & { per: CallsPer }
  audit?: readonly string[]
  changes?: {
    fields: readonly string[]
    read(input: Record<string, unknown>, context: OperationContext & { actor?: Actor }): unknown
  }
  auditsElsewhere?: true
  dryRun?: true
  run(input: Record<string, unknown>, context: OperationContext & { actor?: Actor }): unknown
  readonly types?: Types
}

/** What callers of an operation send and get. @public */
export type OperationTypeOf<O> = O extends Operation<infer Types> ? Types : never

const accepts = (schema: unknown, value: unknown): boolean =>
  schema instanceof z.ZodType && schema.safeParse(value).success

type AuditOption<Read> = readonly string[] | { keep: readonly string[]; changes: readonly string[]; read: Read }

function auditOf<Read>(audit: AuditOption<Read> | undefined) {
  if (!audit || !('keep' in audit)) return { audit }
  const { keep, changes: fields, read } = audit
  checkAuditedFields('operation', fields)
  return { audit: keep, changes: { fields, read } }
}

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
  const { path, input, output, status = 200, recentSignIn = false, openIn = [], audit, ...rest } = options
  const parameters = parametersIn(path)
  const shape = input && 'shape' in input ? input.shape : {}
  const texts = parameters.filter(name => !Object.hasOwn(shape, name)).map(name => [name, z.string()])
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
    openIn,
    ...auditOf(audit),
  }) as never
}

/** The operations of one domain by name: the name of the audit row, the webhook event, the OpenAPI entry and the typed call. */
export const defineOperations = <T extends Record<string, Operation>>(operations: T): T => Object.freeze(operations)
