// The protocol's library sends the message of any thrown error to the host, and creates a JSON Schema validator for each server.
// Therefore every method is wrapped, and a validator is passed in. The library checks headers that repeat arguments only if the
// server knows its tools (`toolInputSchemaJson`).
import type { JSONRPCMessage, jsonSchemaValidator, McpServer, Server, Transport } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { isOfferedTo } from '#fairway/server/domains/actions'
import { checkOrgOpens, listMet } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { newId } from '#fairway/server/kernel/crypto/random'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { toAppError } from '#fairway/server/kernel/http/app-error'
import type { ServerSession } from '#fairway/server/domains/sessions'
import { MCP_SCOPES } from '#fairway/shared/scopes'
import { canGrant, isKeptBack } from './access'
import { callTool } from './call-tool'
import { APP_MIME_TYPE } from './define-mcp'
import { requestStateCodec } from './host'
import { loadSdk, type McpCall, type McpMessage, toRpcError } from './mcp-call'
import { complete, getPrompt, listPrompts } from './prompts'
import { checkResource, listResources, listTemplates, readResource } from './resources'
import { type McpDeclarations, surfaceOf, type Tool, withApp } from './surface'
import { isCreatedTask, MCP_TASKS } from './task-state'
import { answerTasks } from './tasks'

const FIVE_MINUTES = 5 * 60 * 1000

// The validator would check answers of hosts within a session, and there are no sessions. The library would create its default
// validator for each message.
const noValidator: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'nothing is asked in a session' }),
}

/** The extension for pages (SEP-1865). Some hosts also read the media types of a server. */
const MCP_APPS = 'io.modelcontextprotocol/ui'

const INVALID_PARAMS = -32_602

/** The call behind the current message. */
type CallNow = () => McpCall | Promise<McpCall>

/**
 * Creates the protocol's server for one message of one host. It keeps no state between messages, so any instance can answer any
 * message. With `callNow` it serves a whole connection, and gets the call behind each message from it.
 */
export function createMcpServer(call: McpCall, callNow?: () => Promise<McpCall>): McpServer {
  const { app, sdk, surface } = call
  const codec = requestStateCodec(call)
  const list = { ttlMs: FIVE_MINUTES, cacheScope: 'private' as const }
  const mcp = new sdk.McpServer(serverInfo(app.config), {
    instructions: app.config.mcp.about.instructions,
    // On a permanent connection, hosts of the earlier revisions are asked in the middle of a call.
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
  const hasTasks = surface.hasTasks && !callNow
  const extensions = {
    ...(surface.apps.size > 0 && { [MCP_APPS]: { mimeTypes: [APP_MIME_TYPE] } }),
    ...(hasTasks && { [MCP_TASKS]: {} }),
  }
  const extended = Object.keys(extensions).length > 0 ? { extensions } : {}
  server.registerCapabilities({ tools: {}, resources: {}, prompts: {}, completions: {}, logging: {}, ...extended })
  const connect = server.connect.bind(server)
  server.connect = transport => connect(withOurAnswers(transport))
  // The library compares headers that repeat arguments (`x-mcp-header`) with this schema.
  mcp.toolInputSchemaJson = name => surface.tools.get(name)?.definition.inputSchema
  const now: CallNow = callNow
    ? async () => ({ ...(await callNow()), hostCapabilities: server.getClientCapabilities() })
    : () => call
  answerTools(server, now)
  answerResources(server, now)
  answerPrompts(server, now)
  if (hasTasks) answerTasks(server, call)
  return mcp
}

/**
 * Sends errors about the parameters of a request as one sentence, and tasks without `content`. The library sends all issues of its
 * schemas, as JSON, and a task as a tool's result.
 */
function withOurAnswers(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(withoutContent(inOneSentence(message)), options)
  return transport
}

function withoutContent(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !isCreatedTask(message.result)) return message
  const { content: _empty, ...result } = message.result
  return { ...message, result }
}

const issuesSchema = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1)

function inOneSentence(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message
  const [issue] = issuesSchema.safeParse(jsonOf(message.error.message.replace(/^[^[]*/, ''))).data ?? []
  if (!issue) return message
  const reason = issue.message.replace(/^Invalid \w+:? ?/, '')
  const sentence = `Invalid ${issue.path.join('.') || 'message'}${reason && `: ${reason}`}.`
  return { ...message, error: { code: INVALID_PARAMS, message: sentence } }
}

/** How hosts present this server. */
export const serverInfo = ({ name, baseUrl }: Pick<Config, 'name' | 'baseUrl'>) => ({
  name,
  title: name,
  version: '1.0.0',
  websiteUrl: baseUrl,
  icons: [{ src: `${baseUrl}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
})

/**
 * Whether a list shows this tool to the person and the host of a call. A tool beyond the granted scopes is shown when the person
 * can grant it, because a host learns the scopes only from the answer to a call. One that requires a permission is shown to those
 * who hold it.
 */
export const isShown = ({ app, access, held }: McpMessage, tool: Tool): boolean =>
  isOfferedTo(tool.action, app.config, access.session) &&
  (tool.action.guard?.needs ?? []).every(name => held.includes(name)) &&
  (access.scopes.has(tool.scope) ? !isKeptBack(tool.action, access) : canGrant(access, tool.scope))

function answerTools(server: Server, now: CallNow): void {
  server.setRequestHandler('tools/list', async ({ params }) => {
    const call = withoutCursor(await now(), params)
    const { surface, access } = call
    const tools = [...surface.tools.values()].filter(tool => isShown(call, tool))
    return { tools: tools.map(tool => (access.scopes.has('mcp:apps') ? withApp(tool) : tool.definition)) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const call = await now()
    const { ProtocolError, ProtocolErrorCode } = call.sdk
    const tool = call.surface.tools.get(params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.')
    const result = await callTool(call, context, tool, params.arguments ?? {})
    return call.sdk.isInputRequiredResult(result) || isCreatedTask(result)
      ? result
      : server.projectCallToolResult(result, tool.definition.outputSchema)
  })
}

function answerResources(server: Server, now: CallNow): void {
  server.setRequestHandler('resources/list', async ({ params }, context) =>
    listResources(withoutCursor(await now(), params), context),
  )
  server.setRequestHandler('resources/templates/list', async ({ params }) =>
    listTemplates(withoutCursor(await now(), params)),
  )
  // Subscriptions are accepted but have no effect: documents are read on each request, and hosts get no notifications of changes.
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.setRequestHandler(method, async ({ params }) => checkResource(await now(), params.uri))
  }
  server.setRequestHandler('resources/read', async ({ params }, context) =>
    readResource(await now(), context, params.uri),
  )
}

function answerPrompts(server: Server, now: CallNow): void {
  server.setRequestHandler('prompts/list', async ({ params }) => listPrompts(withoutCursor(await now(), params)))
  server.setRequestHandler('prompts/get', async ({ params }, context) => getPrompt(await now(), context, params))
  server.setRequestHandler('completion/complete', async ({ params }, context) => complete(await now(), context, params))
}

// Every list is sent as a whole, so no cursor is valid.
function withoutCursor(call: McpCall, params: { cursor?: string } | undefined): McpCall {
  const { ProtocolError, ProtocolErrorCode } = call.sdk
  if (params?.cursor === undefined) return call
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This cursor does not come from here.')
}

const CLIENT = 'fw mcp stdio'

/**
 * Creates servers of the protocol, with every scope, for hosts that started this process. Looks up the session for each message,
 * so that a person who has lost access is refused. Throws the errors of `findSession`.
 */
export async function localMcpServer(
  app: App,
  declared: McpDeclarations,
  findSession: () => Promise<ServerSession>,
): Promise<{ email: string; create(): McpServer }> {
  const sdk = await loadSdk(app)
  const surface = surfaceOf(app, declared)
  const find = async (): Promise<McpCall> => {
    const session = await findSession()
    checkOrgOpens(session)
    const access = {
      session,
      scopes: new Set(MCP_SCOPES),
      mayDelete: true,
      asksFirst: 'in-host' as const,
      isReadOnly: false,
      grantId: null,
      clientId: CLIENT,
    }
    const held = await listMet(app, session, surface.permissions)
    return { app, sdk, surface, access, held, requestId: newId(), takesStream: true, subject: '' }
  }
  const first = await find()
  const callNow = () =>
    find().catch(thrown => {
      throw toRpcError({ ...first, requestId: newId() }, toAppError(thrown), thrown)
    })
  return { email: first.access.session.email, create: () => createMcpServer(first, callNow) }
}
