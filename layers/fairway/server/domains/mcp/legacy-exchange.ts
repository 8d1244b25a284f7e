import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server'
import { rpcFailure } from './rpc-failure'
import type { Sdk } from './sdk'

/**
 * Answers one message of the revisions up to 2025-11-25 without a session: JSON, unless something must be told before
 * the result. The library's own exchange for them always opens a stream.
 */
export async function answerLegacy(sdk: Sdk, server: McpServer, body: unknown, request: Request): Promise<Response> {
  const refused = refusedHeaders(sdk, body, request)
  if (refused) return refused
  const message = parseMessage(sdk, body)
  if (!message) return rpcFailure(400, sdk.ProtocolErrorCode.InvalidRequest, 'This is not a message of JSON-RPC.')
  if (!('method' in message)) return new Response(null, { status: 202 })
  const transport = new sdk.PerRequestHTTPServerTransport({ classification: { era: 'legacy' } })
  await server.connect(transport)
  const response = await transport.handleMessage(message, { request })
  if (!('id' in message)) queueMicrotask(() => void server.close())
  // In these revisions an error of a method is an answer like any other.
  return response.ok ? response : new Response(response.body, { headers: response.headers })
}

function refusedHeaders(sdk: Sdk, body: unknown, { headers }: Request): Response | null {
  const accept = headers.get('accept') ?? ''
  if (!accept.includes('application/json') || !accept.includes('text/event-stream'))
    return rpcFailure(406, -32_000, 'Accept both application/json and text/event-stream.')
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
