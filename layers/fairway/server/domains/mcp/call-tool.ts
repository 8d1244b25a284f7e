import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { hostNames } from '#fairway/server/domains/oauth-server'
import {
  type ActionHost,
  findMcpContent,
  HostQuestions,
  questionMessage,
  rehearseAction,
  runAction,
} from '#fairway/server/domains/actions'
import { AppError, toAppError, toProblem } from '#fairway/server/kernel/http/app-error'
import { isTooDeep } from '#fairway/server/kernel/http/read-input'
import { type AgentCall, approverOf, runWhenApproved } from '#fairway/server/domains/agents'
import { toInputRequired, hostOf, canAsk, requestStateCodec, stateOf } from './host'
import { type McpCall, type McpMessage, type ToolRun, logFailure } from './mcp-call'
import { checkKeptBack, viaOf } from './access'
import { REHEARSE } from './plain-message'
import { withoutNulls } from './null-arguments'
import type { Tool } from './surface'
import { mayBeTask, startTask } from './tasks'
import { sha256 } from '#fairway/server/kernel/crypto/hash'

/** Runs the action behind a tool; each of its failures becomes a result that a model can read. */
export async function callTool(
  call: McpCall,
  context: ServerContext,
  tool: Tool,
  input: Record<string, unknown>,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    if (call.ran) return toResult(tool, ranAlready(call.ran))
    checkCall(call, tool, input)
    if (context.mcpReq._meta?.[REHEARSE] === true) return await rehearseTool(call, context, tool, input)
    const question = await askInHost(call, context, tool, input)
    if (question) return question
    const from = { host: hostOf(call, context), signal: context.mcpReq.signal }
    if (asksInHost(call, context, tool)) return toResult(tool, await runTool(call, tool, input, from))
    if (mayBeTask(call, context, tool, input)) return await startTask(call, toActionCall(call, tool, input, from))
    return toResult(tool, await runOrHold(call, tool, input, from))
  } catch (thrown) {
    if (thrown instanceof HostQuestions) {
      // What was approved in the host is not asked twice.
      return toInputRequired(call, context, thrown, asksInHost(call, context, tool) ? callHash(tool, input) : undefined)
    }
    return toErrorResult(call, tool, input, thrown)
  }
}

function ranAlready(ran: ToolRun): unknown {
  if ('asked' in ran) throw ran.asked
  return ran.result
}

/** Says what the call would change. A rehearsal needs no approval, because nothing of it lasts. */
async function rehearseTool(
  call: McpCall,
  context: ServerContext,
  tool: Tool,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const from = { host: hostOf(call, context), signal: context.mcpReq.signal }
  const { result, rehearsal } = await rehearseAction(call.app, toActionCall(call, tool, input, from))
  // Hosts validate the data of a result, so it has the form that the call itself would return.
  const { structuredContent } = toResult(tool, result)
  return {
    content: [{ type: 'text', text: `Nothing has changed. The call would do this: ${JSON.stringify(rehearsal)}` }],
    structuredContent,
    _meta: { 'fairway/rehearsal': rehearsal },
  }
}

interface CallFrom {
  host: ActionHost
  signal: AbortSignal
}

const toActionCall = (call: McpMessage, { name, action, definition }: Tool, input: unknown, from: CallFrom) => ({
  name,
  action,
  input: withoutNulls(definition.inputSchema, input),
  session: call.access.session,
  caller: 'mcp' as const,
  via: viaOf(call.access),
  requestId: call.requestId,
  clientAddress: call.clientAddress,
  ...from,
})

/** Runs the action behind a tool for the person of the token. Throws the errors of `runAction`, and the questions to the host. */
export const runTool = (call: McpMessage, tool: Tool, input: unknown, from: CallFrom): Promise<unknown> =>
  runAction(call.app, toActionCall(call, tool, input, from))

/** Runs it, or holds it where a person must approve it first. Throws also the errors of `runWhenApproved`. */
export function runOrHold(
  call: McpMessage,
  tool: Tool,
  input: Record<string, unknown>,
  from: CallFrom,
): Promise<unknown> {
  const run = () => runTool(call, tool, input, from)
  // Input that is nested too deeply is refused in any case.
  const approver = isTooDeep(input) ? null : approverOf(tool.action, call.access)
  return approver ? runWhenApproved(call.app, toAgentCall(call, tool, input), approver, run) : run()
}

const MEBIBYTE = 1024 * 1024

/** Throws `deletion-not-allowed` for a tool that the person withheld from the host, and `payload-too-large`. */
export function checkCall({ access }: McpMessage, tool: Tool, input: Record<string, unknown>): void {
  checkKeptBack(tool.action, access)
  const { maxBodyBytes: most } = tool.action
  // The whole message is already smaller than 1 MiB. Writing the audit row refuses input that is nested too deeply.
  if (most >= MEBIBYTE || isTooDeep(input) || Buffer.byteLength(JSON.stringify(input)) <= most) return
  throw new AppError('payload-too-large')
}

/** A result as hosts get it: the action's blocks, or its data as text. */
export function toResult({ action }: Tool, result: unknown): CallToolResult {
  const blocks = findMcpContent(result)
  if (!blocks) return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: toJson(result) }
  const content: CallToolResult['content'] = blocks.map(block => ({ ...block }))
  return action.output ? { content, structuredContent: toJson(result) } : { content }
}

// The library validates the data, so dates and similar values must already be texts.
const toJson = (value: unknown) => JSON.parse(JSON.stringify(value))

/**
 * Converts an error to a result that a model can read: the public details, and the request id for finding the rest in the log.
 */
export function toErrorResult(call: McpMessage, tool: Tool, input: unknown, thrown: unknown): CallToolResult {
  const error = toAppError(thrown)
  const { session } = call.access
  call.app.trace?.refused(call.requestId, { action: tool.name, session, input, error })
  logFailure(call, error, thrown)
  const problem = toProblem(error, call.requestId)
  const faults = (problem.errors ?? []).map(({ path, message }) => `${path}: ${message}`)
  const lines = [[problem.title, problem.detail].filter(Boolean).join(' '), ...faults]
  const approval = error.extra?.approval
  const trace = error.status < 500 ? '' : `, request ${call.requestId}`
  return {
    isError: true,
    content: [{ type: 'text', text: `${lines.join('\n')} (${error.code}${trace})` }],
    _meta: { 'fairway/error': problem, ...(approval === undefined ? {} : { 'fairway/approval': approval }) },
  }
}

const QUESTION = 'fairway/approve'
const approvalForm = z.object({ approve: z.boolean().describe('Yes, do it. This cannot be undone.') })

/** Whether the host asks the person before this tool runs. Where somebody else must approve it, no host can ask them. */
const asksInHost = (call: McpCall, context: ServerContext, { action }: Tool): boolean =>
  action.destructive &&
  call.access.asksFirst !== 'never' &&
  approverOf(action, call.access) !== 'admin' &&
  canAsk(call, context)

const toAgentCall = (
  call: McpMessage,
  { name, action, definition }: Tool,
  input: Record<string, unknown>,
): AgentCall => {
  const { access, requestId } = call
  return { name, action, input: withoutNulls(definition.inputSchema, input), access, caller: 'mcp', requestId }
}

/**
 * Asks the person in the host before a destructive action; returns null when the call may continue. A host that can ask must ask
 * for each call, unless the person did not want to be asked. Throws `not-approved` when the person declined, and `approval-unanswered` when the host sent no answer.
 */
async function askInHost(
  call: McpCall,
  context: ServerContext,
  tool: Tool,
  input: Record<string, unknown>,
): Promise<InputRequiredResult | null> {
  // Input that is nested too deeply is refused in any case.
  if (!asksInHost(call, context, tool) || isTooDeep(input)) return null
  const approves = callHash(tool, input)
  const state = stateOf(context)
  if (state?.approved === approves) return null
  if (state?.approves !== approves) return question(call, context, tool, input, approves)
  checkAnswer(call, context, tool)
  return null
}

function checkAnswer(call: McpCall, { mcpReq }: ServerContext, tool: Tool): void {
  const answer = call.sdk.inputResponse(mcpReq.inputResponses, QUESTION)
  const isAnswered = answer.kind === 'elicit' && answer.action !== 'cancel'
  if (!isAnswered) throw new AppError('approval-unanswered', { detail: howToAnswer(call, tool) })
  const form = call.sdk.acceptedContent(mcpReq.inputResponses, QUESTION, approvalForm)
  if (form?.approve !== true) throw new AppError('not-approved')
}

// A hint for models: without it they retry the same call, or report that the person refused.
function howToAnswer({ app }: McpCall, { name, action }: Tool): string {
  const elsewhere = action.http ? `, or the person runs ${name} at ${app.config.baseUrl}/tools` : ''
  return (
    'The host must be interactive: without a person in front of it (`claude -p`, a scheduled run) it cancels what it is ' +
    `asked. Call ${name} again in an interactive session${elsewhere}.`
  )
}

/** The hash that binds an approval to this tool with these values. */
const callHash = (tool: Tool, input: Record<string, unknown>): string => sha256(JSON.stringify([tool.name, input]))

async function question(
  call: McpCall,
  context: ServerContext,
  tool: Tool,
  input: Record<string, unknown>,
  approves: string,
): Promise<InputRequiredResult> {
  const { app, access, sdk } = call
  const { session, clientId } = access
  const host = clientId === null ? undefined : (await hostNames(app, [clientId]))[clientId]
  const message = await questionMessage(app, { name: tool.name, action: tool.action, input, session, host })
  const { inputRequired } = sdk
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message,
        requestedSchema: approvalForm,
      }),
    },
    requestState: await requestStateCodec(call).mint({ approves }, context),
  })
}
