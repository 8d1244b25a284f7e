import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { canAsk, stateOf } from './host'
import type { McpCall } from './mcp-call'
import { requestStateCodec } from './request-state'
import type { Tool } from './tool'

const QUESTION = 'fairway/approve'
const MOST_CHARACTERS = 600
const approvalForm = z.object({ approve: z.boolean().describe('Yes, do it. This cannot be undone.') })

/**
 * Asks the person before something is lost for good; null when the call may go on.
 * A host that can ask must ask, for each call. One that cannot may go on, because `mcp:write` was ticked by a person
 * (without it the call does not come this far). Throws `not-approved` when the person said no, and
 * `approval-unanswered` when the host brought no answer.
 */
export async function askForApproval(
  call: McpCall,
  context: ServerContext,
  tool: Tool,
  input: Record<string, unknown>,
): Promise<InputRequiredResult | null> {
  if (!tool.action.destructive || !canAsk(call, context)) return null
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

// Models read this: without it they try the same again, or tell people that somebody refused.
function howToAnswer({ app }: McpCall, { name, action }: Tool): string {
  const elsewhere = action.http ? `, or the person runs ${name} at ${app.config.baseUrl}/tools` : ''
  return (
    'The host must be interactive: without a person in front of it (`claude -p`, a scheduled run) it cancels what it is ' +
    `asked. Call ${name} again in an interactive session${elsewhere}.`
  )
}

/** What an approval is about: this tool with these values. */
export const callHash = (tool: Tool, input: Record<string, unknown>): string =>
  sha256(JSON.stringify([tool.name, input]))

async function question(
  call: McpCall,
  context: ServerContext,
  tool: Tool,
  input: Record<string, unknown>,
  approves: string,
): Promise<InputRequiredResult> {
  const { inputRequired } = call.sdk
  const shown = JSON.stringify(input)
  const values = shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}…` : shown
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: `${tool.action.description}\n${tool.name} ${values}`,
        requestedSchema: approvalForm,
      }),
    },
    requestState: await requestStateCodec(call).mint({ approves }, context),
  })
}
