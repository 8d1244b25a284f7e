import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { App } from '#fairway/server/kernel/app-context'
import type { McpCall } from './mcp-call'
import { createMcpServer } from './mcp-server'
import { rpcFailure } from './rpc-failure'
import type { Sdk } from './sdk'

interface Exchanges {
  calls: WeakMap<Request, McpCall>
  handler: McpHttpHandler | null
}

const exchangesOf = (app: App) => app.memo('mcp-exchanges', (): Exchanges => ({ calls: new WeakMap(), handler: null }))

/** Answers one message of 2026-07-28: JSON, or a stream where something is told before the result. */
export function answerModern(call: McpCall, body: object, request: Request): Promise<Response> | Response {
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
