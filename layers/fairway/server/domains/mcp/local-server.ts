import type { McpServer } from '@modelcontextprotocol/server'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { toAppError } from '#fairway/server/kernel/http/app-error'
import { MCP_SCOPES } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import type { McpCall } from './mcp-call'
import { createMcpServer } from './mcp-server'
import { toRpcError } from './rpc-error'
import { loadSdk } from './sdk'
import { createSurface, type McpDeclarations } from './surface'

const CLIENT = 'fw mcp stdio'

/**
 * Makes servers of the protocol for hosts that started this process: everything is open to the person who is found,
 * and whoever is looked up for each message, so that one who is no longer there is refused. Throws what `findSession` throws.
 */
export async function localMcpServer(
  app: App,
  declared: McpDeclarations,
  findSession: () => Promise<Session>,
): Promise<{ email: string; create(): McpServer }> {
  const sdk = await loadSdk(app)
  const surface = createSurface(declared)
  const find = async (): Promise<McpCall> => {
    const session = await findSession()
    checkOrgOpens(session)
    const access = { session, scopes: new Set(MCP_SCOPES), grantId: null, clientId: CLIENT }
    return { app, sdk, surface, access, requestId: newId(), subject: '' }
  }
  const first = await find()
  const callNow = () =>
    find().catch(thrown => {
      throw toRpcError({ ...first, requestId: newId() }, toAppError(thrown), thrown)
    })
  return { email: first.access.session.email, create: () => createMcpServer(first, callNow) }
}
