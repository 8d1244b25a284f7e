import type { Problem } from '#fairway/shared/schemas/problem'
import { actionPath } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import { ActionFailure } from './action-failure'

const TIME_OUT_IN_MS = 40_000

export interface SendOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON; a Blob as it is. */
  body?: unknown
  timeoutInMs?: number
  /** A credential to send instead of the cookies. */
  bearer?: string
  /** Gives the request up; it then throws as one that did not reach the server. */
  signal?: AbortSignal
  fetch?: typeof globalThis.fetch
}

/** Sends JSON to our own server and gives the JSON of the answer (undefined for 204); throws ActionFailure for everything else. */
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

/** The answer of our own server to a GET, for what is read while it arrives; throws ActionFailure unless it is a good one. */
export async function openStream(path: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(path, { cache: 'no-store', signal }).catch(unreached)
  if (response.ok) return response
  throw toFailure(await response.json().catch((): unknown => undefined), response)
}

/** For the `catch` of a removal: what is gone already is as wanted; throws everything else. */
export function unlessGone(thrown: unknown): void {
  if (!(thrown instanceof ActionFailure) || thrown.status !== 404) throw thrown
}

function unreached(cause: unknown): never {
  const kind = isTimeOut(cause) ? 'timed-out' : 'offline'
  throw new ActionFailure({ kind }, { cause })
}

function unreadable(cause: unknown, response: Response): unknown {
  if (isTimeOut(cause)) return unreached(cause)
  // Something between us and the server answered, for example a proxy with a page of its own.
  if (!response.ok) return undefined
  throw new ActionFailure({ kind: 'problem', status: response.status, code: 'unreadable-answer' }, { cause })
}

/** What an answer of our own server that is none of the good ones says. */
export function toFailure(answer: unknown, response: Response): ActionFailure {
  if (isProblem(answer)) return new ActionFailure({ ...answer, kind: 'problem', extra: answer })
  const requestId = response.headers.get('x-request-id') ?? undefined
  return new ActionFailure({ kind: 'problem', status: response.status, code: 'unreadable-answer', requestId })
}

// Looked at without a schema, which would bring zod into the first page.
const isProblem = (answer: unknown): answer is Problem =>
  isRecord(answer) &&
  Number.isInteger(answer.status) &&
  ['type', 'title', 'code', 'requestId'].every(name => typeof answer[name] === 'string') &&
  (answer.errors === undefined || (Array.isArray(answer.errors) && answer.errors.every(isRecord)))

const isTimeOut = (cause: unknown): boolean => cause instanceof DOMException && cause.name === 'TimeoutError'

/** Calls one declared action over HTTP and gives its result; throws ActionFailure. */
export async function callAction(
  name: string,
  input: unknown,
  options: Pick<SendOptions, 'bearer' | 'signal' | 'timeoutInMs'> = {},
): Promise<unknown> {
  const answer = await sendJson(actionPath(name), { ...options, method: 'POST', body: input })
  if (!isRecord(answer)) throw new ActionFailure({ kind: 'problem', code: 'unreadable-answer' })
  return answer.result
}

/** Any thrown value as an ActionFailure. */
export const toActionFailure = (thrown: unknown): ActionFailure =>
  thrown instanceof ActionFailure
    ? thrown
    : new ActionFailure({ kind: 'problem', code: 'unreadable-answer' }, { cause: thrown })
