// Calls actions and operations of a remote application with a personal token.
import { coerceBySchema } from '../server/domains/actions/coerce-by-schema'
import { faultLines } from '../server/kernel/http/app-error'
import type { OperationRequest } from '../shared/operation-request'
import { isLoopbackHost } from '../shared/loopback'
import { isRecord } from '../shared/record'
import { ACTIONS_PREFIX, actionPath, OPENAPI_PATH } from '../shared/paths'
import { checkKeys } from './action-keys'
import { describeAnswer } from './mcp/endpoint'

const TIME_OUT_IN_MS = 120_000

interface RemoteCall {
  /** The address of the application, as the person typed it. */
  at: string
  /** A personal token. */
  token: string | undefined
  name: string
  entries: [string, string][]
  /** The whole input as JSON, instead of options. */
  json?: string
}

/** An error, as sentences for people. */
export class RemoteFailure extends Error {
  /** The error code of the response, if it has one. */
  code?: string
}

/** Runs an action of a remote application as the person of the token, and returns its result; throws RemoteFailure. */
export async function runRemotely({ at, token, name, entries, json }: RemoteCall): Promise<unknown> {
  const origin = originOf(at)
  const schema = entries.length > 0 && json === undefined ? await schemaOf(origin, name) : {}
  checkKeys(name, entries, schema)
  const input = json ?? JSON.stringify(coerceBySchema(schema, entries))
  const answer = await sendWithToken(origin + actionPath(name), { token, method: 'POST', body: input })
  if (isRecord(answer)) return answer.result
  throw new RemoteFailure(`${origin} sent no result.`)
}

/**
 * Sends a request to a remote application as the person of the token, and returns the JSON of the response; throws RemoteFailure.
 */
export async function callRemotely(
  at: string,
  token: string | undefined,
  { method, path, body }: OperationRequest,
): Promise<unknown> {
  return sendWithToken(originOf(at) + path, { token, method, body: body && JSON.stringify(body) })
}

async function sendWithToken(url: string, { token, ...init }: RequestInit & { token?: string }): Promise<unknown> {
  if (!token)
    throw new RemoteFailure(
      'There is no token. Make a personal token in the settings of the application and set FW_TOKEN to it.',
    )
  const headers = new Headers({ authorization: `Bearer ${token}`, accept: 'application/json' })
  if (init.body !== undefined) headers.set('content-type', 'application/json')
  const answer = await send(url, { ...init, headers })
  if (!answer.ok) throw await toFailure(answer)
  return answer.status === 204 ? undefined : answer.json()
}

/** Returns the origin of an application; without TLS, a token is only sent to this machine. */
function originOf(text: string): string {
  const url = URL.parse(/^https?:/.test(text) ? text : `https://${text}`)
  if (!url) throw new RemoteFailure(`${text} is no address.`)
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new RemoteFailure(`${url.origin} is not encrypted. Only addresses on this machine may begin with http.`)
  return url.origin
}

/** Returns the input that the action accepts, from the application's own description; empty when it has none. */
async function schemaOf(origin: string, name: string): Promise<unknown> {
  const answer = await send(origin + OPENAPI_PATH, {})
  if (!answer.ok) return {}
  const path = ['paths', `${ACTIONS_PREFIX}/${name}`, 'post', 'requestBody', 'content', 'application/json', 'schema']
  return path.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), await answer.json())
}

const send = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIME_OUT_IN_MS) }).catch((cause: unknown) => {
    throw new RemoteFailure(`${new URL(url).origin} does not answer.`, { cause })
  })

async function toFailure(answer: Response): Promise<RemoteFailure> {
  const told: unknown = await answer
    .clone()
    .json()
    .catch(() => null)
  if (!isRecord(told) || typeof told.title !== 'string' || typeof told.code !== 'string')
    return new RemoteFailure(`The application answered ${await describeAnswer(answer)}.`)
  const { title, detail, code } = told
  const said = typeof detail === 'string' && detail !== '' ? `${title} ${detail}` : title
  const faults = Array.isArray(told.errors) ? told.errors.filter(isFault) : []
  const failure = new RemoteFailure([`${said} (${code})`, ...faultLines(faults)].join('\n'))
  return Object.assign(failure, { code })
}

const isFault = (value: unknown): value is { path: string; message: string } =>
  isRecord(value) && typeof value.path === 'string' && typeof value.message === 'string'
