import type { RequestStateCodec, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { McpCall } from './mcp-call'

const PURPOSE = 'mcp-request-state'
const LIFE_IN_SECONDS = 600

/** What travels through the host between two rounds of one call: signed, and readable by the host. */
export const requestStateSchema = z.object({
  /** The hash of the call that the person is asked to approve. */
  approves: z.string().optional(),
  /** The hash of the call that the person has approved, while it asks something else. */
  approved: z.string().optional(),
  /** What the author handed to `ask`. */
  state: z.unknown().optional(),
})
export type RequestState = z.output<typeof requestStateSchema>

/** Signs what travels, for this person, this grant and what the message is about; earlier root secrets still verify. */
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
