import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { findMcpContent, HostQuestions, runAction } from '#fairway/server/domains/actions'
import { AppError, toAppError, toProblem } from '#fairway/server/kernel/http/app-error'
import { askForApproval, callHash } from './approval'
import { toInputRequired } from './ask-host'
import { hostOf } from './host'
import type { McpCall } from './mcp-call'
import { logFailure } from './rpc-error'
import type { Tool } from './tool'

/** Runs the action behind a tool; whatever goes wrong in it is a result that a model can read. Throws an error of the protocol for an unknown tool. */
export async function callTool(
  call: McpCall,
  context: ServerContext,
  params: { name: string; arguments?: Record<string, unknown> },
): Promise<CallToolResult | InputRequiredResult> {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  const tool = call.surface.tools.get(params.name)
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.')
  const input = params.arguments ?? {}
  try {
    checkSize(tool, input)
    return (await askForApproval(call, context, tool, input)) ?? toResult(tool, await run(call, context, tool, input))
  } catch (thrown) {
    if (thrown instanceof HostQuestions) {
      // Whoever comes this far in a destructive action was approved, and is not asked for it twice.
      return toInputRequired(call, context, thrown, tool.action.destructive ? callHash(tool, input) : undefined)
    }
    return toErrorResult(call, thrown)
  }
}

const run = (call: McpCall, context: ServerContext, tool: Tool, input: unknown) =>
  runAction(call.app, {
    name: tool.name,
    action: tool.action,
    input,
    session: call.access.session,
    caller: 'mcp',
    via: call.access.clientId ?? 'a static token',
    requestId: call.requestId,
    clientAddress: call.clientAddress,
    signal: context.mcpReq.signal,
    host: hostOf(call, context),
  })

const MEBIBYTE = 1024 * 1024

function checkSize({ action }: Tool, input: Record<string, unknown>): void {
  // The whole message is smaller than this already.
  if (action.maxBodyBytes >= MEBIBYTE || Buffer.byteLength(JSON.stringify(input)) <= action.maxBodyBytes) return
  throw new AppError('payload-too-large')
}

function toResult({ action }: Tool, result: unknown): CallToolResult {
  const blocks = findMcpContent(result)
  if (!blocks) return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: toJson(result) }
  const content: CallToolResult['content'] = blocks.map(block => ({ ...block }))
  return action.output ? { content, structuredContent: toJson(result) } : { content }
}

// The library checks what is sent: dates and the like must have become texts by then.
const toJson = (value: unknown) => JSON.parse(JSON.stringify(value))

function toErrorResult(call: McpCall, thrown: unknown): CallToolResult {
  const error = toAppError(thrown)
  logFailure(call, error, thrown)
  const problem = toProblem(error, call.requestId)
  const faults = (problem.errors ?? []).map(({ path, message }) => `${path}: ${message}`)
  const lines = [[problem.title, problem.detail].filter(Boolean).join(' '), ...faults]
  const trace = error.status < 500 ? '' : `, request ${call.requestId}`
  return {
    isError: true,
    content: [{ type: 'text', text: `${lines.join('\n')} (${error.code}${trace})` }],
    _meta: { 'fairway/error': problem },
  }
}
