import type { HostQuestions } from '#fairway/server/domains/actions'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { type AppError, toProblem } from '#fairway/server/kernel/http/app-error'
import type { Surface } from './surface'

/** The protocol's library, loaded with the first request of a host: starting the server does not pay for it. */
export const loadSdk = (app: App) => app.memo('mcp-sdk', () => import('@modelcontextprotocol/server'))

export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** One message of a host, with what every answer to it needs. */
export interface McpMessage {
  app: App
  surface: Surface
  access: McpAccess
  requestId: string
  /** Whether the host takes an event stream; notifications before the result need one. */
  takesStream: boolean
  /** Where the host calls from; none where it started this process. */
  clientAddress?: string
  /** What the message is about: the name of a tool or a prompt, the address of a document; empty where a connection is kept. */
  subject: string
}

/** A message that the protocol's library answers. */
export interface McpCall extends McpMessage {
  sdk: Sdk
  /** What a host of the earlier revisions said it can do, where its connection is kept; over HTTP none is. */
  hostCapabilities?: object
  /** What came of the tool, where `dispatch` has run it already. */
  ran?: ToolRun
}

/** What an action gave that the dispatcher has no words for: questions to the host, or blocks of its own. */
export type ToolRun = { asked: HostQuestions } | { result: unknown }

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
export function logFailure({ app, requestId }: McpMessage, error: AppError, thrown: unknown): void {
  if (error.status >= 500)
    app.log.error('request failed', { requestId, code: error.code, error: error.cause ?? thrown })
}

/** A refusal before any method: an HTTP status and an error of JSON-RPC. */
export const rpcFailure = (status: number, code: number, message: string, id: unknown = null): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status })
