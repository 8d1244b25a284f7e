import { type H3Event, setResponseHeader, setResponseStatus } from 'h3'
import { findEmbedSession } from '#fairway/server/domains/pages'
import { getSession, hasRecentSignIn } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { openInOf } from '#fairway/server/kernel/http/methods'
import { readBearer, requestSignal, requestQuery, requestInfo } from '#fairway/server/kernel/http/request-info'
import { readJsonBody } from '#fairway/server/kernel/http/read-input'
import { isEmbedToken } from '#fairway/shared/secrets'
import type { Session } from '#fairway/shared/schemas/session'
import type { Action } from './action'
import { coerceInput } from './coerce-input'
import { runAction } from './run-action'

/**
 * Answers one HTTP call of an action with `{ result }`, and OPTIONS with the allowed methods. Throws the catalog's errors in all
 * other cases. `action` is undefined for an undeclared name; `tokenSession` is the session of the request's API token.
 */
export async function answerActionRequest(
  event: H3Event,
  name: string,
  action: Action | undefined,
  tokenSession?: Session,
): Promise<{ result: unknown } | null> {
  if (!action?.http) throw new AppError('unknown-action')
  const allow = allowedMethods(action).join(', ')
  if (event.method === 'OPTIONS') {
    setResponseHeader(event, 'allow', allow)
    setResponseStatus(event, 204)
    return null
  }
  if (!allowedMethods(action).includes(event.method)) throw new AppError('method-not-allowed', { headers: { allow } })
  event.context.openIn = openInOf({ reads: action.readOnly, isPublic: action.public })
  const session = tokenSession ?? (await sessionFor(event, action))
  const input = await readRequestInput(event, action, session !== null || action.public)
  const result = await runAction(getApp(event), {
    name,
    action,
    input,
    session,
    caller: 'http',
    ...(tokenSession ? { via: 'personal-token' } : { hasRecentSignIn: () => hasRecentSignIn(event) }),
    requestId: getRequestId(event),
    clientAddress: requestInfo(event).clientAddress,
    signal: requestSignal(event),
  })
  return { result }
}

/** The methods of an action: POST, and also GET when it changes nothing. */
const allowedMethods = (action: Action): string[] => (action.readOnly ? ['GET', 'HEAD', 'POST'] : ['POST'])

/** The browser's session. For the token of an embed page, the person behind it, and only for actions that name this page. */
async function sessionFor(event: H3Event, { embed }: Action): Promise<Session | null> {
  const session = await getSession(event)
  if (session || embed.length === 0) return session
  const bearer = readBearer(event.node.req)
  const found = isEmbedToken(bearer) ? await findEmbedSession(getApp(event), bearer) : null
  return found && embed.includes(found.page) ? found.session : null
}

async function readRequestInput(event: H3Event, action: Action, isAdmitted: boolean): Promise<Record<string, unknown>> {
  if (event.method === 'POST') return readJsonBody(event, { maxBytes: action.maxBodyBytes })
  // The query is only read for a caller who may run the action.
  return isAdmitted ? coerceInput(action, new URLSearchParams(requestQuery(event))) : {}
}
