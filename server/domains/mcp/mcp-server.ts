import type { jsonSchemaValidator, McpServer, Server } from '@modelcontextprotocol/server'
import { isOfferedTo } from '#server/domains/actions'
import { callTool } from './call-tool'
import { complete } from './complete'
import type { McpCall } from './mcp-call'
import { getPrompt, listPrompts } from './prompts'
import { requestStateCodec } from './request-state'
import { checkResource, listResources, listTemplates, readResource } from './resources'
import { withApp } from './tool'

const FIVE_MINUTES = 5 * 60 * 1000

// It would check what hosts answer within a session, and there are none; the library's own is made anew for each message.
const noValidator: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'nothing is asked in a session' }),
}

/** The protocol's server for one message of one host: nothing is kept between two of them, so any instance answers any message. */
export function createMcpServer(call: McpCall): McpServer {
  const { app, sdk, surface } = call
  const codec = requestStateCodec(call)
  const list = { ttlMs: FIVE_MINUTES, cacheScope: 'private' as const }
  const mcp = new sdk.McpServer(
    { name: app.config.name, version: '1.0.0' },
    {
      jsonSchemaValidator: noValidator,
      inputRequired: { legacyShim: false },
      requestState: { verify: codec.verify },
      cacheHints: {
        'tools/list': list,
        'prompts/list': list,
        'resources/templates/list': list,
        'server/discover': list,
      },
    },
  )
  mcp.server.registerCapabilities({ tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} })
  // Headers that repeat arguments (`x-mcp-header`) are compared with what this says.
  mcp.toolInputSchemaJson = name => surface.tools.get(name)?.definition.inputSchema
  answerTools(mcp.server, call)
  answerResources(mcp.server, call)
  answerPrompts(mcp.server, call)
  return mcp
}

function answerTools(server: Server, call: McpCall): void {
  const { surface, access } = call
  server.setRequestHandler('tools/list', ({ params }) => {
    checkCursor(call, params?.cursor)
    const tools = [...surface.tools.values()].filter(
      tool => access.scopes.has(tool.scope) && isOfferedTo(tool.action, call.app.config, access.session),
    )
    return { tools: tools.map(tool => (access.scopes.has('mcp:apps') ? withApp(tool) : tool.definition)) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const result = await callTool(call, context, params)
    if (call.sdk.isInputRequiredResult(result)) return result
    return server.projectCallToolResult(result, surface.tools.get(params.name)?.definition.outputSchema)
  })
}

function answerResources(server: Server, call: McpCall): void {
  server.setRequestHandler('resources/list', ({ params }, context) => {
    checkCursor(call, params?.cursor)
    return listResources(call, context)
  })
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    checkCursor(call, params?.cursor)
    return listTemplates(call)
  })
  // A subscription costs nothing and brings nothing: documents are read anew, and there is no session to tell changes to.
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.setRequestHandler(method, ({ params }) => checkResource(call, params.uri))
  }
  server.setRequestHandler('resources/read', ({ params }, context) => readResource(call, context, params.uri))
}

function answerPrompts(server: Server, call: McpCall): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    checkCursor(call, params?.cursor)
    return listPrompts(call)
  })
  server.setRequestHandler('prompts/get', ({ params }, context) => getPrompt(call, context, params))
  server.setRequestHandler('completion/complete', ({ params }, context) => complete(call, context, params))
}

// Every list is sent whole, so that we have given out no cursor.
function checkCursor({ sdk }: McpCall, cursor: string | undefined): void {
  if (cursor === undefined) return
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'This cursor does not come from here.')
}
