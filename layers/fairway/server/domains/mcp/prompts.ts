import type { GetPromptResult, ListPromptsResult, ServerContext, CompleteResult } from '@modelcontextprotocol/server'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import type { Complete } from './define-mcp'
import { runDeclared } from './host'
import type { McpCall } from './mcp-call'

/** The prompts that the token's scopes allow. */
export const listPrompts = ({ surface, access }: McpCall): ListPromptsResult => ({
  prompts: (access.scopes.has('mcp:read') ? [...surface.prompts.values()] : []).map(({ name, declaration }) => ({
    name,
    title: declaration.title,
    description: declaration.description,
    arguments: Object.entries(declaration.args.shape).map(([argument, schema]) => ({
      name: argument,
      ...(schema.description ? { description: schema.description } : {}),
      required: !schema.safeParse(undefined).success,
    })),
  })),
})

/** Returns one prompt with its arguments filled in. Throws the protocol's error for an unknown name and for invalid arguments. */
export async function getPrompt(
  call: McpCall,
  context: ServerContext,
  params: { name: string; arguments?: Record<string, string> },
) {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  const declaration = call.surface.prompts.get(params.name)?.declaration
  if (!declaration) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no prompt of this name.')
  const built = await runDeclared(call, context, promptContext =>
    declaration.build(parseInput(declaration.args, params.arguments ?? {}), promptContext),
  )
  if (call.sdk.isInputRequiredResult(built)) return built
  const messages =
    typeof built === 'string'
      ? [{ role: 'user' as const, content: { type: 'text' as const, text: built } }]
      : [...built]
  return { description: declaration.description, messages } satisfies GetPromptResult
}

const MOST = 100

interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
  argument: { name: string; value: string }
  context?: { arguments?: Record<string, string> }
}

/** Completions for a value of a prompt or a resource template. Throws the protocol's error when it is unknown. */
export async function complete(call: McpCall, context: ServerContext, params: CompleteParams): Promise<CompleteResult> {
  const offers = new Map(Object.entries(findComplete(call, params.ref) ?? {}))
  const offer = offers.get(params.argument.name)
  if (!offer) return { completion: { values: [] } }
  const offered = await runDeclared(call, context, promptContext =>
    offer(params.argument.value, promptContext, params.context?.arguments ?? {}),
  )
  const values = Array.isArray(offered) ? offered.map(String) : []
  return { completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST } }
}

function findComplete(call: McpCall, ref: CompleteParams['ref']): Record<string, Complete> | undefined {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  const owner =
    ref.type === 'ref/prompt'
      ? call.surface.prompts.get(ref.name)
      : call.surface.resources.find(({ declaration }) => declaration.uri === ref.uri)
  if (!owner) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is nothing of this name to complete.')
  return owner.declaration.complete
}
