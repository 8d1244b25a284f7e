import { type H3Event, setResponseStatus } from 'h3'
import { z } from 'zod'
import { type Action, checkAction, runAction } from '#fairway/server/domains/actions'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestSignal } from '#fairway/server/kernel/http/request-info'
import { isTooDeep, parseEnvelope, readJsonBody } from '#fairway/server/kernel/http/read-input'
import type { Session } from '#fairway/shared/schemas/session'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import {
  readAnswer,
  type Approval,
  type ApprovalRow,
  askForApproval,
  findApproval,
  hasEnded,
  toApproval,
} from '../approvals'
import { authenticatePeer, type CallingPeer, findCalledPerson } from './authenticate-peer'

const MEBIBYTE = 1024 * 1024
/** The size of the JSON around the input. */
const ENVELOPE_IN_BYTES = 1024

const requestSchema = z
  .strictObject({
    action: z.string().max(200).optional(),
    input: z.record(z.string(), z.unknown()).default({}),
    approval: z.string().max(200).optional(),
  })
  .refine(({ action, approval }) => (action === undefined) !== (approval === undefined), {
    message: 'Send either an action or an approval.',
  })

type PeerAnswer = { result: unknown } | { approval: Approval }

/**
 * Answers one call of another application: the result of an action, or 202 with a question that the person must answer first.
 * Throws the catalog's errors in all other cases; reveals nothing before the caller is authenticated.
 */
export async function answerPeerCall(event: H3Event, actions: ReadonlyMap<string, Action>): Promise<PeerAnswer> {
  const app = getApp(event)
  const peer = await authenticatePeer(event)
  await rateLimit(app, limits.a2aCallsPerApp, peer.caller)
  const body = await readJsonBody(event, { maxBytes: app.memo('a2a-largest-body', () => largestBody(actions)) })
  const { action, input, approval } = parseEnvelope(requestSchema, body)
  const session = await sessionOf(app, peer)
  const answer =
    approval === undefined
      ? await answerAction(event, { name: action ?? '', input, session, peer }, actions)
      : await collect(app, approval, { session, peer })
  if ('approval' in answer) setResponseStatus(event, 202)
  return answer
}

const largestBody = (actions: ReadonlyMap<string, Action>): number =>
  Math.max(MEBIBYTE, ...[...actions.values()].map(({ maxBodyBytes }) => maxBodyBytes)) + ENVELOPE_IN_BYTES

/** The person that the application acts for; null when it acts for itself. */
async function sessionOf(app: App, { email, isUnsigned }: CallingPeer): Promise<Session | null> {
  if (email === null) return null
  const session = await findCalledPerson(app, { email })
  if (!session && !isUnsigned) throw new AppError('unknown-person')
  return session
}

interface PeerCaller {
  session: Session | null
  peer: CallingPeer
}

interface PeerCall extends PeerCaller {
  name: string
  input: Record<string, unknown>
}

async function answerAction(
  event: H3Event,
  { name, input, session, peer }: PeerCall,
  actions: ReadonlyMap<string, Action>,
): Promise<PeerAnswer> {
  const app = getApp(event)
  const action = actions.get(name)
  if (!action?.http) throw new AppError('unknown-action')
  // An input that is nested too deeply cannot be serialized to JSON; writing the audit row refuses it.
  if (!isTooDeep(input) && Buffer.byteLength(JSON.stringify(input)) > action.maxBodyBytes)
    throw new AppError('payload-too-large')
  const call = {
    name,
    action,
    input,
    session,
    caller: 'a2a' as const,
    via: peer.caller,
    requestId: getRequestId(event),
    signal: requestSignal(event),
  }
  // Without a person there is no one to ask, and only public actions run then.
  if (!action.destructive || !session) return { result: await runAction(app, call) }
  await checkAction(app, call)
  return { approval: await askForApproval(app, session, { caller: peer.caller, action: name, input }, call.requestId) }
}

const isOf = ({ userId, grantId, caller }: ApprovalRow, session: Session, peer: CallingPeer): boolean =>
  userId === session.userId && grantId === null && caller === peer.caller

/** Returns the outcome of a question, only to the application that asked it about the same person. */
async function collect(app: App, id: string, { session, peer }: PeerCaller): Promise<PeerAnswer> {
  const row = session && (await findApproval(app, id))
  // The person must still be in the organization of the question, in whichever one they work now.
  if (!row || !isOf(row, session, peer) || !(await findCalledPerson(app, row))) throw new AppError('not-found')
  if (hasEnded(app, row)) throw new AppError('approval-ended')
  if (row.status === 'declined') throw new AppError('not-approved')
  if (row.answer === null) return { approval: toApproval(app, row) }
  const answer = readAnswer(row.answer)
  if ('error' in answer) throw answer.error
  return answer
}
