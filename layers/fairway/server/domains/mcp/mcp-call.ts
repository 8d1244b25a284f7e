import type { HostQuestions } from '#fairway/server/domains/actions'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import { type AppError, toProblem } from '#fairway/server/kernel/http/app-error'
import type { Surface } from './surface'

/** Loads the protocol's library with the first request of a host, which keeps the start of the server fast. */
export const loadSdk = (app: App) => app.memo('mcp-sdk', () => import('@modelcontextprotocol/server'))

export type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** One message of a host, with the data that every answer needs. */
export interface McpMessage {
  app: App
  surface: Surface
  access: McpAccess
  /** The permissions of the application that the caller holds, for lists of tools; empty for other messages. */
  held: readonly string[]
  requestId: string
  /** Whether the host accepts an event stream, which notifications before the result require. */
  takesStream: boolean
  /** The host's client address; undefined when it started this process. */
  clientAddress?: string
  /**
   * The subject of the message: the name of a tool or a prompt, or the address of a document. Empty for permanent connections.
   */
  subject: string
}

/** A message that the protocol's library answers. */
export interface McpCall extends McpMessage {
  sdk: Sdk
  /** The capabilities that a host of the earlier revisions declared on a permanent connection; undefined over HTTP. */
  hostCapabilities?: object
  /** The outcome of the tool, when `dispatch` has already run it. */
  ran?: ToolRun
}

/** An outcome of an action that the dispatcher cannot format: questions to the host, or MCP blocks. */
export type ToolRun = { asked: HostQuestions } | { result: unknown }

/** Converts an error to a JSON-RPC error: the public details, and the request id for finding the rest in the log. */
export function toRpcError(call: McpCall, error: AppError, thrown: unknown): Error {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  if (thrown instanceof ProtocolError) return thrown
  logFailure(call, error, thrown)
  const code = error.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
  const problem = toProblem(error, call.requestId)
  return new ProtocolError(code, problem.detail ?? problem.title, problem)
}

/** Logs the details that hosts never see. */
export function logFailure({ app, requestId }: McpMessage, error: AppError, thrown: unknown): void {
  if (error.status >= 500)
    app.log.error('request failed', { requestId, code: error.code, error: error.cause ?? thrown })
}

/** A refusal before any method: an HTTP status and a JSON-RPC error. */
export const rpcFailure = (status: number, code: number, message: string, id: unknown = null): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status })
