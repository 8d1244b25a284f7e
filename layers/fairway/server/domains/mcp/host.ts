import type { ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type ActionHost, HostQuestions } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { McpCall } from './mcp-call'
import { type RequestState, requestStateSchema } from './request-state'

const capabilitiesSchema = z.object({
  elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
})

/** Whether the host of this call can show a form to the person. Hosts of 2025-11-25 can only be asked where their connection is kept, and over HTTP none is. */
export function canAsk({ sdk, hostCapabilities }: McpCall, { mcpReq }: ServerContext): boolean {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  const declared = capabilitiesSchema.safeParse(envelope[sdk.CLIENT_CAPABILITIES_META_KEY] ?? hostCapabilities)
  const elicitation = declared.data?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** What the host sent back of a round before, once its signature was checked. */
export const stateOf = ({ mcpReq }: ServerContext): RequestState | undefined =>
  requestStateSchema.safeParse(mcpReq.requestState()).data

/** The host behind a call, as authors use it. */
export function hostOf(call: McpCall, context: ServerContext): ActionHost {
  const { mcpReq } = context
  const answers = mcpReq.inputResponses ?? {}
  const mayAsk = mcpReq.envelope !== undefined || call.hostCapabilities !== undefined
  return {
    canAsk: canAsk(call, context),
    answers,
    state: stateOf(context)?.state,
    answer: (name, form) => form.safeParse(call.sdk.acceptedContent(answers, name)).data,
    async progress(progress, total, message) {
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken === undefined) return
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total, message } })
    },
    log: (level, text) => mcpReq.log(level, text, call.app.config.name),
    ask(questions, state) {
      if (!mayAsk) throw new AppError('host-cannot-ask')
      throw new HostQuestions(questions, state)
    },
  }
}
