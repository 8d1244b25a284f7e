import { type AppError, toProblem } from '#fairway/server/kernel/http/app-error'
import type { McpCall } from './mcp-call'

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
