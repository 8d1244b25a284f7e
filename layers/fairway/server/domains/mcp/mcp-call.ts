import { type ActionContext, type ActionHost, authorContext } from '#fairway/server/domains/actions'
import type { McpAccess } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import type { Sdk } from './sdk'
import type { Surface } from './surface'

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

/** What the author's code sees: the person of the token, in the organization of the token. */
export const contextOf = (call: McpCall, signal: AbortSignal, host: ActionHost | null): ActionContext => ({
  ...authorContext(call.app, { session: call.access.session, requestId: call.requestId, signal }),
  caller: 'mcp',
  host,
})
