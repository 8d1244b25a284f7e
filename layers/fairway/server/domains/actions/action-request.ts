import { getRouterParams, type H3Event, setResponseHeader, setResponseStatus } from 'h3'
import { findEmbedSession } from '#fairway/server/domains/pages'
import { getSession, hasRecentSignIn } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { openInOf } from '#fairway/server/kernel/http/methods'
import { isOn, readBearer, requestSignal, requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { readJsonBody } from '#fairway/server/kernel/http/read-input'
import { isEmbedToken } from '#fairway/shared/secrets'
import type { Rehearsal } from '#fairway/shared/schemas/rehearsal'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action, ActionAddress } from './action'
import { coerceInput } from './coerce-input'
import { type ActionCall, rehearseAction, runAction } from './run-action'
import type { Served } from './serve-addresses'

/**
 * Answers one HTTP call of an action by its name with `{ result }`, and OPTIONS with the allowed methods. Throws the catalog's
 * errors in all other cases. `action` is undefined for an undeclared name; `token` is the request's API token.
 */
export async function answerActionRequest(
  event: H3Event,
  name: string,
  action: Action | undefined,
  token?: ActionToken,
): Promise<{ result: unknown } | { rehearsal: Rehearsal } | null> {
  if (!action?.http) throw new AppError('unknown-action')
  const allow = allowedMethods(action).join(', ')
  if (event.method === 'OPTIONS') {
    setResponseHeader(event, 'allow', allow)
    setResponseStatus(event, 204)
    return null
  }
  if (!allowedMethods(action).includes(event.method)) throw new AppError('method-not-allowed', { headers: { allow } })
  const call = { name, action, token }
  return asksForRehearsal(event) ? answerRehearsal(event, call) : { result: await callAction(event, call) }
}

interface RequestedCall {
  name: string
  action: Action
  token?: ActionToken
}

/** The API token of a request that calls an action. */
export interface ActionToken {
  session: Session
  /** Runs the call at once, or throws until a person has approved it. */
  whenApproved(
    call: Pick<ActionCall, 'name' | 'action' | 'input' | 'requestId'>,
    run: () => Promise<unknown>,
  ): Promise<unknown>
}

type Called = Pick<RequestedCall, 'name' | 'action'>
/** Answers as the person behind the API token of a request. Without a token, `answer` finds the session. */
type WithToken = (event: H3Event, called: Called, answer: (token?: ActionToken) => Promise<unknown>) => Promise<unknown>

/** What serves the actions that have an address. There they answer with their output alone. */
export const servedActions = (catalog: readonly Called[], withToken: WithToken): Served[] =>
  catalog.flatMap(({ name, action }) => {
    const { address } = action
    if (!address) return []
    const { status } = address
    const answerIn = (event: H3Event) => async (token?: ActionToken) => {
      const call = { name, action, token, address }
      if (asksForRehearsal(event)) return answerRehearsal(event, call)
      const result = await callAction(event, call)
      if (status !== 200) setResponseStatus(event, status)
      return status === 204 ? undefined : result
    }
    return [{ ...address, answer: event => withToken(event, { name, action }, answerIn(event)) }]
  })

/** Whether a request that could change something asks what it would change: `?rehearse=true`. */
const asksForRehearsal = (event: H3Event): boolean => !isRead(event) && isOn(event, 'rehearse')

const isRead = ({ method }: H3Event): boolean => method === 'GET' || method === 'HEAD'

interface AddressedCall extends RequestedCall {
  address?: ActionAddress
}

async function answerRehearsal(event: H3Event, call: AddressedCall): Promise<{ rehearsal: Rehearsal }> {
  const { rehearsal } = await rehearseAction(getApp(event), await toCall(event, call))
  return { rehearsal }
}

async function callAction(event: H3Event, addressed: AddressedCall): Promise<unknown> {
  const call = await toCall(event, addressed)
  const run = () => runAction(getApp(event), call)
  return addressed.token ? addressed.token.whenApproved(call, run) : run()
}

async function toCall(event: H3Event, { name, action, token, address }: AddressedCall): Promise<ActionCall> {
  event.context.openIn = openInOf({ reads: action.readOnly, isPublic: action.public })
  const session = token?.session ?? (await sessionFor(event, action))
  const isAdmitted = session !== null || action.public
  return {
    name,
    action,
    input: await readRequestInput(event, action, { isAdmitted, address }),
    session,
    caller: 'http',
    ...(token ? { via: 'personal-token' } : { hasRecentSignIn: () => hasRecentSignIn(event) }),
    requestId: getRequestId(event),
    clientAddress: requestInfo(event).clientAddress,
    signal: requestSignal(event),
  }
}

/** The methods of an action: POST, and also GET when it changes nothing. */
const allowedMethods = (action: Action): string[] => (action.readOnly ? ['GET', 'HEAD', 'POST'] : ['POST'])

/** The browser's session. For the token of an embed page, the person behind it, and only for actions that name this page. */
async function sessionFor(event: H3Event, { embed }: Action): Promise<Session | null> {
  const session = await getSession(event)
  if (session || embed.length === 0) return session
  const bearer = readBearer(event.node.req)
  const embedSession = isEmbedToken(bearer) ? await findEmbedSession(getApp(event), bearer) : null
  return embedSession && embed.includes(embedSession.page) ? embedSession.session : null
}

interface Reading {
  isAdmitted: boolean
  address?: ActionAddress
}

/** The fields of the query or the body, and those that are part of the path. */
async function readRequestInput(event: H3Event, action: Action, { isAdmitted, address }: Reading): Promise<object> {
  const inPath = address ? Object.entries(getRouterParams(event, { decode: true })) : []
  if (!isRead(event)) {
    const isSent = address?.isSent ?? true
    const body = isSent ? await readJsonBody(event, { maxBytes: action.maxBodyBytes }) : {}
    return { ...body, ...coerceInput(action, inPath) }
  }
  // The query is only read for a caller who may run the action.
  if (!isAdmitted) return {}
  const query = coerceInput(action, new URLSearchParams(requestQuery(event)))
  return { ...query, ...coerceInput(action, inPath) }
}
