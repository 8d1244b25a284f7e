import type { z } from 'zod'
import type { AuthorContext } from '#server/domains/author-context'
import type { Session } from '#shared/schemas/session'
import type { ActionHost } from './action-host'

/** By which surface an action was called. */
export type ActionCaller = 'http' | 'mcp' | 'cli' | 'a2a'

/** What an action knows besides its input. */
export interface ActionContext<S extends Session | null = Session> extends AuthorContext<S> {
  caller: ActionCaller
  /** The MCP host behind this call; null on every other surface. */
  host: ActionHost | null
}

/** A declared action as every surface sees it. */
export interface Action<Input extends z.ZodObject = z.ZodObject, Result = unknown> {
  description: string
  input: Input
  output?: z.ZodType
  guard?: (context: ActionContext<Session | null>) => unknown
  public: boolean
  /** The fields of the input whose texts audit rows keep. */
  audit: readonly string[]
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
