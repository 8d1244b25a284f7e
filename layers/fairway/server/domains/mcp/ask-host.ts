import type { InputRequest, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { HostQuestion, HostQuestions } from '#fairway/server/domains/actions'
import type { McpCall } from './mcp-call'
import { requestStateCodec } from './request-state'

/** The answer that lets the host ask what an author wants to know, and call again (MCP 2026-07-28, multi round-trip). */
export async function toInputRequired(
  call: McpCall,
  context: ServerContext,
  { questions, state }: HostQuestions,
  approved?: string,
): Promise<InputRequiredResult> {
  const { sdk } = call
  const asked = Object.entries(questions).map(([name, question]) => [name, toRequest(call, question)] as const)
  const isKept = state !== undefined || approved !== undefined
  const requestState = isKept ? await requestStateCodec(call).mint({ state, approved }, context) : undefined
  return sdk.inputRequired({
    ...(asked.length > 0 ? { inputRequests: Object.fromEntries(asked) } : {}),
    ...(requestState === undefined ? {} : { requestState }),
  })
}

function toRequest({ sdk }: McpCall, question: HostQuestion): InputRequest {
  if ('form' in question) return sdk.inputRequired.elicit({ message: question.message, requestedSchema: question.form })
  // The library checks it against the protocol before it is sent.
  return { method: question.method, params: question.params } as InputRequest
}
