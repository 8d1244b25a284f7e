// The host behind a call: its questions and answers, and the state that travels through it.
import type { InputRequest, InputRequiredResult, RequestStateCodec, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  type ActionContext,
  type ActionHost,
  authorContext,
  type HostQuestion,
  HostQuestions,
} from '#fairway/server/domains/actions'
import { withRun, withTimeout } from '#fairway/server/kernel/current-run'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { type McpCall, toRpcError } from './mcp-call'

/** The host behind a call, for authors. */
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
      if (progressToken === undefined || !call.takesStream) return
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total, message } })
    },
    async log(level, text) {
      if (call.takesStream) await mcpReq.log(level, text, call.app.config.name)
    },
    ask(questions, state) {
      if (!mayAsk) throw new AppError('host-cannot-ask')
      throw new HostQuestions(questions, state)
    },
  }
}

const capabilitiesSchema = z.object({
  elicitation: z.object({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
})

/** What the host of this call says it can do, in its message or when it opened the connection. */
export function capabilitiesOf({ sdk, hostCapabilities }: McpCall, { mcpReq }: ServerContext): unknown {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  return envelope[sdk.CLIENT_CAPABILITIES_META_KEY] ?? hostCapabilities
}

/**
 * Whether the host of this call can show a form to the person. Hosts of 2025-11-25 support it only over a permanent connection,
 * which HTTP does not have.
 */
export const canAsk = (call: McpCall, context: ServerContext): boolean => showsForms(capabilitiesOf(call, context))

/** Whether a host with these capabilities can show a form to the person. */
export function showsForms(capabilities: unknown): boolean {
  const elicitation = capabilitiesSchema.safeParse(capabilities).data?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** The state that the host returned from an earlier round, with a verified signature. */
export const stateOf = ({ mcpReq }: ServerContext): RequestState | undefined =>
  requestStateSchema.safeParse(mcpReq.requestState()).data

/**
 * Runs an author's resource, prompt or completion as the person of the token, with the application's timeout. Errors become
 * errors of the protocol.
 */
export async function runDeclared<T>(
  call: McpCall,
  context: ServerContext,
  work: (context: ActionContext) => T | Promise<T>,
) {
  const { app, access, requestId } = call
  const { session } = access
  const clock = new AbortController()
  context.mcpReq.signal.addEventListener('abort', () => clock.abort(context.mcpReq.signal.reason), { once: true })
  const ownContext: ActionContext = {
    ...authorContext(app, { session, requestId, signal: clock.signal }),
    caller: 'mcp',
    host: hostOf(call, context),
  }
  try {
    return await withTimeout(app.config.actionTimeoutInSeconds, clock, () =>
      withRun({ app, session }, async () => work(ownContext)),
    )
  } catch (thrown) {
    if (thrown instanceof HostQuestions) return toInputRequired(call, context, thrown)
    throw toRpcError(call, toAppError(thrown), thrown)
  }
}

/** The answer that makes the host ask an author's questions, and call again (MCP 2026-07-28, multi round-trip). */
export async function toInputRequired(
  call: McpCall,
  context: ServerContext,
  { questions, state }: HostQuestions,
  approved?: string,
): Promise<InputRequiredResult> {
  const { sdk } = call
  const requests = Object.entries(questions).map(([name, question]) => [name, toRequest(call, question)] as const)
  const isKept = state !== undefined || approved !== undefined
  const requestState = isKept ? await requestStateCodec(call).mint({ state, approved }, context) : undefined
  return sdk.inputRequired({
    ...(requests.length > 0 ? { inputRequests: Object.fromEntries(requests) } : {}),
    ...(requestState === undefined ? {} : { requestState }),
  })
}

function toRequest({ sdk }: McpCall, question: HostQuestion): InputRequest {
  if ('form' in question) return sdk.inputRequired.elicit({ message: question.message, requestedSchema: question.form })
  // The library validates it against the protocol before it is sent.
  return { method: question.method, params: question.params } as InputRequest
}

const PURPOSE = 'mcp-request-state'

const LIFE_IN_SECONDS = 600

/** The state that travels through the host between two rounds of one call. It is signed, but the host can read it. */
const requestStateSchema = z.object({
  /** The hash of the call that the person is being asked to approve. */
  approves: z.string().optional(),
  /** The hash of the call that the person has approved, kept while the action asks further questions. */
  approved: z.string().optional(),
  /** The state that the author passed to `ask`. */
  state: z.unknown().optional(),
})

type RequestState = z.output<typeof requestStateSchema>

/**
 * Signs the state for this person, this grant and the subject of the message. Signatures of earlier root secrets are still
 * accepted.
 */
export function requestStateCodec({ app, sdk, access, subject }: McpCall): RequestStateCodec<RequestState> {
  const codecs = app.config.keys.all(PURPOSE).map(({ secret }) =>
    sdk.createRequestStateCodec<RequestState>({
      key: secret,
      ttlSeconds: LIFE_IN_SECONDS,
      bind: ({ mcpReq }) => [access.session.userId, access.grantId ?? '', mcpReq.method, subject].join('\0'),
    }),
  )
  return {
    mint: (payload, context) => codecs[0]!.mint(payload, context),
    verify: (state, context) => firstThatVerifies(codecs, state, context),
  }
}

async function firstThatVerifies(codecs: RequestStateCodec<RequestState>[], state: string, context: ServerContext) {
  const results = await Promise.allSettled(codecs.map(codec => codec.verify(state, context)))
  const verified = results.find(result => result.status === 'fulfilled')
  if (verified) return verified.value
  throw new Error('no key of ours has signed this state')
}
