import { z } from 'zod'
import { mark, parseDeclaration } from '#fairway/server/kernel/declaration'
import type { ActionContext, McpBlock } from '#fairway/server/domains/actions'
import type { Complete } from './define-mcp-resource'

export interface PromptMessage {
  role: 'user' | 'assistant'
  content: McpBlock
}

type PromptText = string | readonly PromptMessage[]

export interface McpPromptOptions<Args extends z.ZodObject> {
  /** A few words for people. */
  title: string
  /** One sentence that says what the prompt is for. */
  description: string
  /** What is filled in; hosts send texts only. */
  args?: Args
  /** For each argument what may be offered. */
  complete?: Record<string, Complete>
  /** The text that the host sends to its model, or messages. */
  build(args: z.output<Args>, context: ActionContext): PromptText | Promise<PromptText>
}

export interface McpPrompt {
  readonly title: string
  readonly description: string
  readonly args: z.ZodObject
  readonly complete?: Record<string, Complete>
  build(args: Record<string, unknown>, context: ActionContext): PromptText | Promise<PromptText>
}

const someFunction = <T>() => z.custom<T>(value => typeof value === 'function', 'must be a function')
const optionsSchema = z.strictObject({
  title: z.string().trim().min(1),
  description: z.string().trim().min(1),
  args: z.custom<z.ZodObject>(value => value instanceof z.ZodObject, 'must be a z.object').default(() => z.object({})),
  complete: z.record(z.string(), someFunction<Complete>()).optional(),
  build: someFunction<McpPrompt['build']>(),
})

/** Declares a prompt that MCP hosts offer to people, with the scope `mcp:read`; throws at load with the option and what it accepts. */
export function defineMcpPrompt<Args extends z.ZodObject = z.ZodObject>(options: McpPromptOptions<Args>): McpPrompt {
  const parsed = parseDeclaration('defineMcpPrompt', optionsSchema, options)
  const unknown = Object.keys(parsed.complete ?? {}).filter(name => !(name in parsed.args.shape))
  if (unknown.length > 0) throw new Error(`defineMcpPrompt: complete: there is no argument ${unknown.join(', ')}`)
  return mark('prompt', parsed)
}
