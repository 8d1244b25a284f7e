import type { CompleteResult, ServerContext } from '@modelcontextprotocol/server'
import type { Complete } from './define-mcp-resource'
import type { McpCall } from './mcp-call'
import { runDeclared } from './run-declared'

const MOST = 100

interface CompleteParams {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
  argument: { name: string; value: string }
  context?: { arguments?: Record<string, string> }
}

/** What a value of a prompt or of a resource template may become; throws the protocol's error when neither is known. */
export async function complete(call: McpCall, context: ServerContext, params: CompleteParams): Promise<CompleteResult> {
  const offer = findComplete(call, params.ref)?.[params.argument.name]
  if (!offer) return { completion: { values: [] } }
  const found = await runDeclared(call, context, own =>
    offer(params.argument.value, own, params.context?.arguments ?? {}),
  )
  const values = Array.isArray(found) ? found.map(String) : []
  return { completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST } }
}

function findComplete(call: McpCall, ref: CompleteParams['ref']): Record<string, Complete> | undefined {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  const found =
    ref.type === 'ref/prompt'
      ? call.surface.prompts.get(ref.name)
      : call.surface.resources.find(({ declaration }) => declaration.uri === ref.uri)
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is nothing of this name to complete.')
  return found.declaration.complete
}
