import type { ServerContext } from '@modelcontextprotocol/server'
import { withTimeout, withRun } from '#fairway/server/kernel/current-run'
import { type ActionContext, HostQuestions } from '#fairway/server/domains/actions'
import { toAppError } from '#fairway/server/kernel/http/app-error'
import { toInputRequired } from './ask-host'
import { hostOf } from './host'
import { contextOf, type McpCall } from './mcp-call'
import { toRpcError } from './rpc-error'

/** Runs an author's resource, prompt or completion as the person of the token, under the application's clock; what it throws becomes an error of the protocol. */
export async function runDeclared<T>(
  call: McpCall,
  context: ServerContext,
  work: (context: ActionContext) => T | Promise<T>,
) {
  const { app, access } = call
  const clock = new AbortController()
  context.mcpReq.signal.addEventListener('abort', () => clock.abort(context.mcpReq.signal.reason), { once: true })
  const own = contextOf(call, clock.signal, hostOf(call, context))
  try {
    return await withTimeout(app.config.actionTimeoutInSeconds, clock, () =>
      withRun({ app, session: access.session }, async () => work(own)),
    )
  } catch (thrown) {
    if (thrown instanceof HostQuestions) return toInputRequired(call, context, thrown)
    throw toRpcError(call, toAppError(thrown), thrown)
  }
}
