import type { GetPromptResult, ListPromptsResult, ServerContext } from '@modelcontextprotocol/server'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import type { McpCall } from './mcp-call'
import { runDeclared } from './run-declared'

/** The prompts that the token's scopes open. */
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

/** One prompt with its arguments filled in; throws the protocol's error for an unknown name and for arguments that are not accepted. */
export async function getPrompt(
  call: McpCall,
  context: ServerContext,
  params: { name: string; arguments?: Record<string, string> },
) {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  const declaration = call.surface.prompts.get(params.name)?.declaration
  if (!declaration) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no prompt of this name.')
  const built = await runDeclared(call, context, own =>
    declaration.build(parseInput(declaration.args, params.arguments ?? {}), own),
  )
  if (call.sdk.isInputRequiredResult(built)) return built
  const messages = typeof built === 'string' ? [{ role: 'user' as const, content: textBlock(built) }] : [...built]
  return { description: declaration.description, messages } satisfies GetPromptResult
}

const textBlock = (text: string) => ({ type: 'text' as const, text })
