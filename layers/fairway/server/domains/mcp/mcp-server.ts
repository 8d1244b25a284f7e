import type { jsonSchemaValidator, McpServer, Server } from '@modelcontextprotocol/server'
import { isOfferedTo } from '#fairway/server/domains/actions'
import type { Config } from '#fairway/server/kernel/config/config'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { toAppError } from '#fairway/server/kernel/http/problem'
import { MCP_SCOPES } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import { callTool } from './call-tool'
import { complete, getPrompt, listPrompts } from './prompts'
import { type McpCall, toRpcError, loadSdk } from './mcp-call'
import { requestStateCodec } from './host'
import { checkResource, listResources, listTemplates, readResource } from './resources'
import { withApp, createSurface, type McpDeclarations } from './surface'

const FIVE_MINUTES = 5 * 60 * 1000

// It would check what hosts answer within a session, and there are none; the library's own is made anew for each message.
const noValidator: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'nothing is asked in a session' }),
}

/** The call behind a message that came now. */
type CallNow = () => McpCall | Promise<McpCall>

/**
 * The protocol's server for one message of one host: nothing is kept between two of them, so any instance answers any
 * message. With `callNow` it is the server of a whole connection, and asks for each message who calls.
 */
export function createMcpServer(call: McpCall, callNow?: () => Promise<McpCall>): McpServer {
  const { app, sdk, surface } = call
  const codec = requestStateCodec(call)
  const list = { ttlMs: FIVE_MINUTES, cacheScope: 'private' as const }
  const mcp = new sdk.McpServer(serverInfo(app.config), {
    // In a connection hosts of the earlier revisions are asked in the middle of a call.
    ...(callNow ? {} : { jsonSchemaValidator: noValidator }),
    inputRequired: { legacyShim: callNow !== undefined },
    requestState: { verify: codec.verify },
    cacheHints: {
      'tools/list': list,
      'prompts/list': list,
      'resources/templates/list': list,
      'server/discover': list,
    },
  })
  const { server } = mcp
  server.registerCapabilities({ tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} })
  // Headers that repeat arguments (`x-mcp-header`) are compared with what this says.
  mcp.toolInputSchemaJson = name => surface.tools.get(name)?.definition.inputSchema
  const now: CallNow = callNow
    ? async () => ({ ...(await callNow()), hostCapabilities: server.getClientCapabilities() })
    : () => call
  answerTools(server, now)
  answerResources(server, now)
  answerPrompts(server, now)
  return mcp
}

/** How hosts show this server to people. */
const serverInfo = ({ name, baseUrl }: Config) => ({
  name,
  title: name,
  version: '1.0.0',
  websiteUrl: baseUrl,
  icons: [{ src: `${baseUrl}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
})

function answerTools(server: Server, now: CallNow): void {
  server.setRequestHandler('tools/list', async ({ params }) => {
    const call = await now()
    const { app, surface, access } = call
    checkCursor(call, params?.cursor)
    const tools = [...surface.tools.values()].filter(
      tool => access.scopes.has(tool.scope) && isOfferedTo(tool.action, app.config, access.session),
    )
    return { tools: tools.map(tool => (access.scopes.has('mcp:apps') ? withApp(tool) : tool.definition)) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const call = await now()
    const result = await callTool(call, context, params)
    if (call.sdk.isInputRequiredResult(result)) return result
    return server.projectCallToolResult(result, call.surface.tools.get(params.name)?.definition.outputSchema)
  })
}

function answerResources(server: Server, now: CallNow): void {
  server.setRequestHandler('resources/list', async ({ params }, context) => {
    const call = await now()
    checkCursor(call, params?.cursor)
    return listResources(call, context)
  })
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    const call = await now()
    checkCursor(call, params?.cursor)
    return listTemplates(call)
  })
  // A subscription costs nothing and brings nothing: documents are read anew, and nobody is told of changes.
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.setRequestHandler(method, async ({ params }) => checkResource(await now(), params.uri))
  }
  server.setRequestHandler('resources/read', async ({ params }, context) =>
    readResource(await now(), context, params.uri),
  )
}

function answerPrompts(server: Server, now: CallNow): void {
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const call = await now()
    checkCursor(call, params?.cursor)
    return listPrompts(call)
  })
  server.setRequestHandler('prompts/get', async ({ params }, context) => getPrompt(await now(), context, params))
  server.setRequestHandler('completion/complete', async ({ params }, context) => complete(await now(), context, params))
}

// Every list is sent whole, so that we have given out no cursor.
function checkCursor({ sdk }: McpCall, cursor: string | undefined): void {
  if (cursor === undefined) return
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'This cursor does not come from here.')
}

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
