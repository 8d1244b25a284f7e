import type { Problem } from '#fairway/shared/schemas/problem'
import { actionPath } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import { ActionFailure } from './action-failure'

const TIME_OUT_IN_MS = 40_000

export interface SendOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON; a Blob is sent unchanged. */
  body?: unknown
  timeoutInMs?: number
  /** A credential to send instead of the cookies. */
  bearer?: string
  /** Aborts the request, which then throws the same failure as for an unreachable server. */
  signal?: AbortSignal
  fetch?: typeof globalThis.fetch
}

/**
 * Sends JSON to our own server and returns the JSON of the response (undefined for 204). Throws ActionFailure for everything
 * else.
 */
export async function sendJson(path: string, options: SendOptions = {}): Promise<unknown> {
  const { method = 'GET', body, bearer, signal, timeoutInMs = TIME_OUT_IN_MS, fetch = globalThis.fetch } = options
  const sent = toBody(body)
  const timeOut = AbortSignal.timeout(timeoutInMs)
  const response = await fetch(path, {
    method,
    cache: 'no-store',
    ...(bearer === undefined ? {} : { credentials: 'omit' }),
    headers: {
      accept: 'application/json',
      ...(sent === undefined ? {} : { 'content-type': sent instanceof Blob ? sent.type : 'application/json' }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: sent,
    signal: signal ? AbortSignal.any([signal, timeOut]) : timeOut,
  }).catch(unreached)
  if (response.status === 204) return undefined
  const answer = await response.json().catch((error: unknown) => unreadable(error, response))
  if (!response.ok) throw toFailure(answer, response)
  return answer
}

const toBody = (body: unknown): string | Blob | undefined => (body instanceof Blob ? body : JSON.stringify(body))

/** For the `catch` of a request: throws the failure of a server that was not reached. */
export function unreached(cause: unknown): never {
  const kind = isTimeOut(cause) ? 'timed-out' : 'offline'
  throw new ActionFailure({ kind }, { cause })
}

function unreadable(cause: unknown, response: Response): unknown {
  if (isTimeOut(cause)) return unreached(cause)
  // An intermediary responded, for example a proxy with an HTML page.
  if (!response.ok) return undefined
  throw new ActionFailure({ kind: 'problem', status: response.status, code: 'unreadable-answer' }, { cause })
}

/** Converts an error response of our own server. */
export function toFailure(answer: unknown, response: Response): ActionFailure {
  if (isProblem(answer)) return new ActionFailure({ ...answer, kind: 'problem', extra: answer })
  const requestId = response.headers.get('x-request-id') ?? undefined
  return new ActionFailure({ kind: 'problem', status: response.status, code: 'unreadable-answer', requestId })
}

// Checked without a schema, so that the first page does not load zod.
const isProblem = (answer: unknown): answer is Problem =>
  isRecord(answer) &&
  Number.isInteger(answer.status) &&
  ['type', 'title', 'code', 'requestId'].every(name => typeof answer[name] === 'string') &&
  (answer.errors === undefined || (Array.isArray(answer.errors) && answer.errors.every(isRecord)))

const isTimeOut = (cause: unknown): boolean => cause instanceof DOMException && cause.name === 'TimeoutError'

/** Calls one declared action over HTTP and returns its result. Throws ActionFailure. */
export async function callAction(
  name: string,
  input: unknown,
  options: Pick<SendOptions, 'bearer' | 'signal' | 'timeoutInMs'> = {},
): Promise<unknown> {
  const answer = await sendJson(actionPath(name), { ...options, method: 'POST', body: input })
  if (!isRecord(answer)) throw new ActionFailure({ kind: 'problem', code: 'unreadable-answer' })
  return answer.result
}

/** Converts any thrown value to an ActionFailure. */
export const toActionFailure = (thrown: unknown): ActionFailure =>
  thrown instanceof ActionFailure
    ? thrown
    : new ActionFailure({ kind: 'problem', code: 'unreadable-answer' }, { cause: thrown })
