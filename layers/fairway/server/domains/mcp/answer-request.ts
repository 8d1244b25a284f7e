// Processes the request of a host: origin, access, limits and message; then the dispatcher or the protocol's library answers.
import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { type H3Event, setResponseHeaders, setResponseStatus } from 'h3'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import { listMet } from '#fairway/server/domains/organizations'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { checkInput, readJsonValue } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { MCP_PATH } from '#fairway/shared/paths'
import { isRecord } from '#fairway/shared/record'
import { createAnswerStream } from './answer-stream'
import { noteMessage, requireAccess, requireScope, withinCallLimits } from './access'
import { dispatch } from './dispatch'
import { loadSdk, type McpCall, type McpMessage, rpcFailure, type Sdk, type ToolRun } from './mcp-call'
import { createMcpServer } from './mcp-server'
import { hasEnvelope, takesJson, takesStream } from './plain-message'
import { type McpDeclarations, neededScope, surfaceOf, writeOf } from './surface'

const MOST_OF_AN_ID = 256

/**
 * Answers one request of an MCP host. Throws the catalog's errors for requests that do not reach the protocol. `answer` is called
 * first for each message; without it, the protocol's library answers all messages, with the same results.
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
  app.trace?.person(getRequestId(event), access.clientId ? 'access token' : 'personal or static token', access.session)
  if (event.method !== 'POST') throw new AppError('method-not-allowed', { headers: { allow: 'POST' } })
  const stream = createAnswerStream(event, takesStream(event.node.req.headers))
  try {
    const answered = await withinCallLimits(app, access, async () => {
      const body = await readBody(event)
      if (body instanceof Response) return body
      const call = await toMessage(event, access, declared, body)
      const byLibrary = async (ran?: ToolRun) =>
        answerMessage({ ...call, ran, sdk: await loadSdk(app) }, body, toWebRequest(event, body))
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
 * Accepts requests of programs, of the application's pages and of `FW_MCP_ALLOWED_ORIGINS`. Throws `cross-origin` for all other
 * pages. Without credentials, they may read that answer. The browser asks for it only after a preflight that was accepted.
 */
function checkOrigin(event: H3Event): void {
  const { baseUrl, mcp } = getApp(event).config
  const { origin } = event.node.req.headers
  setResponseHeaders(event, { vary: 'origin' })
  if (origin === undefined || origin === baseUrl) return
  const isListed = mcp.allowedOrigins.includes(origin)
  setResponseHeaders(event, {
    'access-control-allow-origin': isListed ? origin : '*',
    'access-control-expose-headers': 'www-authenticate, retry-after, x-request-id',
  })
  if (isListed || event.method === 'OPTIONS') return
  logRefused(getApp(event), origin)
  throw new AppError('cross-origin', { detail: 'FW_MCP_ALLOWED_ORIGINS does not list the origin of this page.' })
}

const MOST_REFUSED_ORIGINS = 100

/** Logs each refused origin once in the life of a process. */
function logRefused(app: App, origin: string): void {
  const logged = app.memo('mcp-refused-origins', () => new Set<string>())
  if (logged.has(origin) || logged.size >= MOST_REFUSED_ORIGINS) return
  logged.add(origin)
  app.log.warn('FW_MCP_ALLOWED_ORIGINS does not list the origin of a page that called /mcp', { origin })
}

// The protocol lets tools define additional headers (`Mcp-Param-…`).
const HEADER_NAMES = /^[a-z0-9-]+( *, *[a-z0-9-]+)*$/i

const USUAL_HEADERS = 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name'

/** Answers the CORS preflight; `checkOrigin` refuses the request that follows it. */
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

type Body = Record<string, unknown>

/**
 * Reads one JSON-RPC message, or returns the refusal of an invalid one. The revision 2025-06-18 removed batches of messages. Some
 * hosts send `params: null` instead of leaving it out.
 */
async function readBody(event: H3Event): Promise<Body | Response> {
  let id: unknown
  try {
    const body = await readJsonValue(event, { maxBytes: bodyLimits.message })
    if (!isMessage(body)) return rpcFailure(400, -32_600, 'Send one message of JSON-RPC.')
    id = body.id
    checkInput(withoutInput(body))
    if (body.params === null) delete body.params
    return body
  } catch (thrown) {
    const { code, errors = [] } = toAppError(thrown)
    if (code === 'malformed-json') return rpcFailure(400, -32_700, 'This is not JSON.')
    if (code === 'invalid-input') return rpcFailure(400, -32_600, errors.map(({ message }) => message).join(' '), id)
    throw thrown
  }
}

/** The message without the input of a tool call. Writing the audit row refuses input that is nested too deeply. */
function withoutInput(body: Body): Body {
  if (body.method !== 'tools/call' || !isRecord(body.params)) return body
  return { ...body, params: { ...body.params, arguments: undefined } }
}

function isMessage(body: unknown): body is Body {
  if (!isRecord(body)) return false
  if (!('id' in body)) return true
  return typeof body.id === 'string' ? body.id.length <= MOST_OF_AN_ID : Number.isSafeInteger(body.id)
}

/**
 * The data that every answer to a message needs. Throws `insufficient-scope` for a message that the token's scopes do not cover.
 */
async function toMessage(
  event: H3Event,
  access: McpAccess,
  declared: McpDeclarations,
  body: Body,
): Promise<McpMessage> {
  const app = getApp(event)
  const surface = surfaceOf(app, declared)
  const method = typeof body.method === 'string' ? body.method : ''
  const params = isRecord(body.params) ? body.params : {}
  const tool = method === 'tools/call' ? surface.tools.get(String(params.name)) : undefined
  const write = tool && writeOf(tool, params.arguments)
  const scope = neededScope(surface, method, params)
  await requireScope(app, access, scope, { write, requestId: getRequestId(event) })
  noteMessage(app, access, scope, tool?.action.destructive === true)
  const { permissions } = surface
  return {
    app,
    surface,
    access,
    held: method === 'tools/list' ? await listMet(app, access.session, permissions) : [],
    requestId: getRequestId(event),
    takesStream: takesStream(event.node.req.headers),
    get clientAddress() {
      return requestInfo(event).clientAddress
    },
    subject: String(params.name ?? params.uri ?? ''),
  }
}

/**
 * The request in the form that the protocol's library expects: headers without credentials, no body, and a signal that is aborted
 * when the host disconnects.
 */
function toWebRequest(event: H3Event, body: Body): Request {
  const { req, res } = event.node
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value)
  }
  if (headers.get(VERSION_HEADER) === requestedRevision(body)) headers.delete(VERSION_HEADER)
  return new Request(getApp(event).config.baseUrl + MCP_PATH, { method: 'POST', headers, signal: gone.signal })
}

const VERSION_HEADER = 'mcp-protocol-version'

/**
 * The revision that `initialize` requests; undefined for other messages. The answer names the revision that both sides then use.
 * The library refuses a header that repeats a later one.
 */
function requestedRevision({ method, params }: Body): unknown {
  const isHandshake = method === 'initialize' && isRecord(params) && !hasEnvelope(params)
  return isHandshake ? params.protocolVersion : undefined
}

/** The library's answer to one message, in the protocol revision of the request. */
async function answerMessage(call: McpCall, body: Body, request: Request): Promise<Response> {
  const { sdk } = call
  const message = parseMessage(sdk, body)
  if (!message)
    return rpcFailure(400, sdk.ProtocolErrorCode.InvalidRequest, 'This is not a message of JSON-RPC.', body.id)
  return (await sdk.isLegacyRequest(request, body))
    ? answerLegacy(call, message, request)
    : answerModern(call, body, request)
}

/**
 * Answers one message of the revisions up to 2025-11-25 without a session: as JSON, unless notifications precede the result. The
 * library's handler for these revisions always opens a stream.
 */
async function answerLegacy(call: McpCall, message: JSONRPCMessage, request: Request): Promise<Response> {
  const { sdk } = call
  const refused = refusedHeaders(sdk, message, request)
  if (refused) return refused
  if (!('method' in message)) return new Response(null, { status: 202 })
  const server = createMcpServer(call)
  const transport = new sdk.PerRequestHTTPServerTransport({ classification: { era: 'legacy' } })
  await server.connect(transport)
  const response = await transport.handleMessage(message, { request })
  if (!('id' in message)) queueMicrotask(() => void server.close())
  // In these revisions, an error of a method is a normal answer.
  return response.ok ? response : new Response(response.body, { headers: response.headers })
}

function refusedHeaders(sdk: Sdk, message: JSONRPCMessage, { headers }: Request): Response | null {
  const id = 'id' in message ? message.id : null
  if (!takesJson(headers.get('accept') ?? undefined)) return rpcFailure(406, -32_000, 'Accept application/json.', id)
  const version = headers.get(VERSION_HEADER)
  if (version === null || sdk.isInitializeRequest(message) || sdk.SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    return null
  return rpcFailure(400, -32_000, 'This version of the protocol is not known here.', id)
}

function parseMessage(sdk: Sdk, body: unknown): JSONRPCMessage | null {
  try {
    return sdk.parseJSONRPCMessage(body)
  } catch {
    return null
  }
}

/** Answers one message of 2026-07-28: as JSON, or as a stream when notifications precede the result. */
function answerModern(call: McpCall, body: Body, request: Request): Promise<Response> | Response {
  const { app, sdk } = call
  // Declarations do not change while a process runs, so such a stream would never carry a message.
  if (body.method === 'subscriptions/listen')
    return rpcFailure(404, sdk.ProtocolErrorCode.MethodNotFound, 'Nothing is told later here.', body.id)
  const { calls, handler } = app.memo('mcp-exchanges', () => createExchanges(app, sdk))
  calls.set(request, call)
  return handler.fetch(request, { parsedBody: body })
}

function createExchanges(app: App, sdk: Sdk) {
  const calls = new WeakMap<Request, McpCall>()
  const handler = sdk.createMcpHandler(
    ({ requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo)
      if (!call) throw new Error('the protocol library answers a request that it was not given')
      return createMcpServer(call)
    },
    { legacy: 'reject', onerror: error => app.log.debug('mcp request refused', { error }) },
  )
  return { calls, handler }
}
