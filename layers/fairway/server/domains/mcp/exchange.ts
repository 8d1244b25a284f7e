// One message and its answer, in the revision of the protocol that the host speaks.
import type { JSONRPCMessage, McpHttpHandler } from '@modelcontextprotocol/server'
import type { App } from '#fairway/server/kernel/app-context'
import { type McpCall, rpcFailure, type Sdk } from './mcp-call'
import { createMcpServer } from './mcp-server'
import { takesJson } from './plain-message'

/** Answers one message in the revision of the protocol that the request speaks. */
export const answerMessage = async (call: McpCall, body: object, request: Request): Promise<Response> =>
  (await call.sdk.isLegacyRequest(request, body))
    ? answerLegacy(call, body, request)
    : answerModern(call, body, request)

/**
 * Answers one message of the revisions up to 2025-11-25 without a session: JSON, unless something must be told before
 * the result. The library's own exchange for them always opens a stream.
 */
async function answerLegacy(call: McpCall, body: object, request: Request): Promise<Response> {
  const { sdk } = call
  const refused = refusedHeaders(sdk, body, request)
  if (refused) return refused
  const message = parseMessage(sdk, body)
  if (!message) return rpcFailure(400, sdk.ProtocolErrorCode.InvalidRequest, 'This is not a message of JSON-RPC.')
  if (!('method' in message)) return new Response(null, { status: 202 })
  const server = createMcpServer(call)
  const transport = new sdk.PerRequestHTTPServerTransport({ classification: { era: 'legacy' } })
  await server.connect(transport)
  const response = await transport.handleMessage(message, { request })
  if (!('id' in message)) queueMicrotask(() => void server.close())
  // In these revisions an error of a method is an answer like any other.
  return response.ok ? response : new Response(response.body, { headers: response.headers })
}

function refusedHeaders(sdk: Sdk, body: object, { headers }: Request): Response | null {
  if (!takesJson(headers.get('accept') ?? undefined)) return rpcFailure(406, -32_000, 'Accept application/json.')
  const version = headers.get('mcp-protocol-version')
  if (version === null || sdk.isInitializeRequest(body) || sdk.SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    return null
  return rpcFailure(400, -32_000, 'This version of the protocol is not known here.')
}

function parseMessage(sdk: Sdk, body: unknown): JSONRPCMessage | null {
  try {
    return sdk.parseJSONRPCMessage(body)
  } catch {
    return null
  }
}

interface Exchanges {
  calls: WeakMap<Request, McpCall>
  handler: McpHttpHandler | null
}

const exchangesOf = (app: App) => app.memo('mcp-exchanges', (): Exchanges => ({ calls: new WeakMap(), handler: null }))

/** Answers one message of 2026-07-28: JSON, or a stream where something is told before the result. */
function answerModern(call: McpCall, body: object, request: Request): Promise<Response> | Response {
  // We declare nothing that changes while a process runs, so that there would be nothing to tell on such a stream.
  if ('method' in body && body.method === 'subscriptions/listen') {
    const id = 'id' in body ? body.id : null
    return rpcFailure(404, call.sdk.ProtocolErrorCode.MethodNotFound, 'Nothing is told later here.', id)
  }
  const exchanges = exchangesOf(call.app)
  exchanges.handler ??= createHandler(call.app, call.sdk, exchanges)
  exchanges.calls.set(request, call)
  return exchanges.handler.fetch(request, { parsedBody: body })
}

const createHandler = (app: App, sdk: Sdk, { calls }: Exchanges): McpHttpHandler =>
  sdk.createMcpHandler(
    ({ requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo)
      if (!call) throw new Error('the protocol library answers a request that it was not given')
      return createMcpServer(call)
    },
    { legacy: 'reject', onerror: error => app.log.debug('mcp request refused', { error }) },
  )
