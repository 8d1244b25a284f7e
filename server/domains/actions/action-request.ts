import type { H3Event } from 'h3'
import { getSession } from '#server/domains/sessions'
import { getApp, getRequestId } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { readJsonBody } from '#server/foundation/http/read-body'
import { requestQuery } from '#server/foundation/http/request-path'
import type { Action } from './action'
import { coerceInput } from './coerce-input'
import { runAction } from './run-action'

/** Answers one HTTP call of an action with `{ result }`; throws what the catalog has for every other case. */
export async function answerActionRequest(
  event: H3Event,
  name: string,
  actions: ReadonlyMap<string, Action>,
): Promise<{ result: unknown } | null> {
  const action = actions.get(name)
  if (!action?.http) throw new AppError('unknown-action')
  const allowed = allowedMethods(action)
  if (!allowed.includes(event.method))
    throw new AppError('method-not-allowed', { headers: { allow: allowed.join(', ') } })
  const input = await readInput(event, action)
  const result = await runAction(getApp(event), {
    name,
    action,
    input,
    session: await getSession(event),
    caller: 'http',
    requestId: getRequestId(event),
    signal: goneSignal(event),
  })
  return { result }
}

/** The methods of an action: POST, and GET too when it changes nothing. */
export const allowedMethods = (action: Action): string[] => (action.readOnly ? ['GET', 'HEAD', 'POST'] : ['POST'])

function readInput(event: H3Event, action: Action): Promise<Record<string, unknown>> {
  if (event.method === 'POST') return readJsonBody(event, { maxBytes: action.maxBodyBytes })
  return Promise.resolve(coerceInput(action, new URLSearchParams(requestQuery(event))))
}

function goneSignal(event: H3Event): AbortSignal {
  const gone = new AbortController()
  const { res } = event.node
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  return gone.signal
}
