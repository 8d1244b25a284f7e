// From the request of a host to the answer: origin, access, limits, message; then the dispatcher, or the protocol's library.
import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { type H3Event, setResponseHeaders, setResponseStatus } from 'h3'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { readJsonValue, withinDepth } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { MCP_PATH } from '#fairway/shared/paths'
import { createAnswerStream } from './answer-stream'
import { requireAccess, requireScope, withinCallLimits } from './access'
import { dispatch } from './dispatch'
import { answerMessage } from './exchange'
import { loadSdk, type McpMessage, rpcFailure, type ToolRun } from './mcp-call'
import { takesStream } from './plain-message'
import { type McpDeclarations, neededScope, surfaceOf } from './surface'

const MOST_OF_AN_ID = 256

/**
 * Answers one request of an MCP host; throws what the catalog has for requests that do not reach the protocol. `answer` is what sees
 * a message first: without it everything is answered by the protocol's library, and the same.
 */
export async function answerMcpRequest(
  event: H3Event,
  declared: McpDeclarations,
  answer: typeof dispatch | null = dispatch,
): Promise<void> {
  checkOrigin(event)
  if (event.method === 'OPTIONS') return answerPreflight(event)
  const app = getApp(event)
  const access = await requireAccess(event)
  app.walk?.person(getRequestId(event), access.clientId ? 'access token' : 'personal or static token', access.session)
  if (event.method !== 'POST') throw new AppError('method-not-allowed', { headers: { allow: 'POST' } })
  const stream = createAnswerStream(event, takesStream(event.node.req.headers))
  try {
    const answered = await withinCallLimits(app, access, async () => {
      const body = await readBody(event)
      if (body instanceof Response) return body
      const call = toMessage(event, access, declared, body)
      const byLibrary = async (ran?: ToolRun) =>
        answerMessage({ ...call, ran, sdk: await loadSdk(app) }, body, toWebRequest(event))
      const dispatched =
        answer && app.config.shortcuts ? await answer({ event, call, body, stream, byLibrary }) : 'handed-on'
      if (dispatched !== 'handed-on') return dispatched
      if ('id' in body) stream.keepAlive(app.config.mcp.keepAliveInMs)
      return byLibrary()
    })
    if (answered !== 'sent') await stream.send(answered)
  } catch (thrown) {
    stream.close()
    throw thrown
  }
}

/**
 * Accepts requests of programs, of the application's own pages and of those of `FW_MCP_ALLOWED_ORIGINS`, the latter with the CORS headers.
 * Throws `cross-origin` for every other page.
 */
function checkOrigin(event: H3Event): void {
  const { baseUrl, mcp } = getApp(event).config
  const { origin } = event.node.req.headers
  setResponseHeaders(event, { vary: 'origin' })
  if (origin === undefined || origin === baseUrl) return
  if (!mcp.allowedOrigins.includes(origin)) throw new AppError('cross-origin')
  setResponseHeaders(event, {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'www-authenticate, retry-after, x-request-id',
  })
}

// The protocol lets tools name headers of their own (`Mcp-Param-…`).
const HEADER_NAMES = /^[a-z0-9-]+( *, *[a-z0-9-]+)*$/i

const USUAL_HEADERS = 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name'

/** Answers the preflight of CORS; whether the origin may call is decided by `checkOrigin`. */
function answerPreflight(event: H3Event): void {
  const wanted = event.node.req.headers['access-control-request-headers'] ?? ''
  setResponseHeaders(event, {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': HEADER_NAMES.test(wanted) ? wanted : USUAL_HEADERS,
    'access-control-max-age': 600,
  })
  setResponseStatus(event, 204)
  event.node.res.end()
}

/** One message of JSON-RPC, or the refusal of what is none: lists of messages ended with the revision 2025-06-18. */
async function readBody(event: H3Event): Promise<object> {
  try {
    const body = await readJsonValue(event, { maxBytes: bodyLimits.message })
    withinDepth(withoutInput(body))
    return isMessage(body) ? body : rpcFailure(400, -32_600, 'Send one message of JSON-RPC.')
  } catch (thrown) {
    const { code, errors = [] } = toAppError(thrown)
    if (code === 'malformed-json') return rpcFailure(400, -32_700, 'This is not JSON.')
    if (code === 'invalid-input') return rpcFailure(400, -32_600, errors.map(({ message }) => message).join(' '))
    throw thrown
  }
}

/** The message without the input of a tool call: input that is nested too deeply is refused where the audit row is written. */
function withoutInput(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('method' in body && 'params' in body)) return body
  const { method, params } = body
  const isCall = method === 'tools/call' && typeof params === 'object' && params !== null
  return isCall ? { ...body, params: { ...params, arguments: undefined } } : body
}

function isMessage(body: unknown): body is object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  if (!('id' in body)) return true
  return typeof body.id === 'string' ? body.id.length <= MOST_OF_AN_ID : Number.isSafeInteger(body.id)
}

/** What every answer to a message needs; throws `insufficient-scope` for one that the token does not cover. */
function toMessage(event: H3Event, access: McpAccess, declared: McpDeclarations, body: object): McpMessage {
  const app = getApp(event)
  const surface = surfaceOf(app, declared)
  const { method, params } = readMethod(body)
  requireScope(app, access, neededScope(surface, method, params))
  return {
    app,
    surface,
    access,
    requestId: getRequestId(event),
    takesStream: takesStream(event.node.req.headers),
    get clientAddress() {
      return requestInfo(event).clientAddress
    },
    subject: String(params.name ?? params.uri ?? ''),
  }
}

function readMethod(body: object): { method: string; params: Record<string, unknown> } {
  const method = 'method' in body && typeof body.method === 'string' ? body.method : ''
  const params = 'params' in body && typeof body.params === 'object' && body.params !== null ? { ...body.params } : {}
  return { method, params }
}

/** The request as the protocol's library wants it: headers without credentials, no body, and a signal that tells when the host has gone. */
function toWebRequest(event: H3Event): Request {
  const { req, res } = event.node
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value)
  }
  return new Request(getApp(event).config.baseUrl + MCP_PATH, { method: 'POST', headers, signal: gone.signal })
}
