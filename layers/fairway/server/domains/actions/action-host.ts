import type { z } from 'zod'

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
