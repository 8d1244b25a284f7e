import type { McpAccess } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { type AppError, toProblem } from '#fairway/server/kernel/http/app-error'
import type { Surface } from './surface'

/** The protocol's library, loaded with the first request of a host: starting the server does not pay for it. */
export const loadSdk = (app: App) => app.memo('mcp-sdk', () => import('@modelcontextprotocol/server'))

export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** One message of a host, with everything that answers it. */
export interface McpCall {
  app: App
  sdk: Sdk
  surface: Surface
  access: McpAccess
  requestId: string
  /** Where the host calls from; none where it started this process. */
  clientAddress?: string
  /** What a host of the earlier revisions said it can do, where its connection is kept; over HTTP none is. */
  hostCapabilities?: object
  /** What the message is about: the name of a tool or a prompt, the address of a document; empty where a connection is kept. */
  subject: string
}

/** A failure as an error of JSON-RPC: what may be shown of it, and the id that finds the rest in the log. */
export function toRpcError(call: McpCall, error: AppError, thrown: unknown): Error {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  if (thrown instanceof ProtocolError) return thrown
  logFailure(call, error, thrown)
  const code = error.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
  const problem = toProblem(error, call.requestId)
  return new ProtocolError(code, problem.detail ?? problem.title, problem)
}

/** Writes what hosts never see into the log. */
export function logFailure({ app, requestId }: McpCall, error: AppError, thrown: unknown): void {
  if (error.status >= 500)
    app.log.error('request failed', { requestId, code: error.code, error: error.cause ?? thrown })
}

/** A refusal before any method: an HTTP status and an error of JSON-RPC. */
export const rpcFailure = (status: number, code: number, message: string, id: unknown = null): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status })
