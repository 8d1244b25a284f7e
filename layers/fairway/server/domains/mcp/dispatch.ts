// Answers the most common messages of hosts without creating a server of the protocol's library for each one. Lists are the
// library's answers, cached as bytes while the process runs. Other messages are handed to the library: unusual ones, questions to
// the person, blocks that the library validates, and all other methods.
import { type H3Event, setResponseHeader, setResponseStatus } from 'h3'
import { z } from 'zod'
import { type ActionHost, findMcpContent, HostQuestions } from '#fairway/server/domains/actions'
import { approverOf } from '#fairway/server/domains/agents'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestSignal } from '#fairway/server/kernel/http/request-info'
import { cacheOf } from '#fairway/server/kernel/cache'
import type { AnswerStream } from './answer-stream'
import { checkCall, runTool, toErrorResult } from './call-tool'
import { showsForms } from './host'
import type { McpMessage, ToolRun } from './mcp-call'
import { isShown, serverInfo } from './mcp-server'
import { followsTasks } from './task-state'
import { LOG_LEVELS, type PlainMessage, readPlainMessage } from './plain-message'
import type { Surface, Tool } from './surface'

/** A message as received, and access to the protocol's library. */
interface Exchange {
  event: H3Event
  call: McpMessage
  body: object
  stream: AnswerStream
  /** Answers this message with the library. With `ran`, the library uses that outcome instead of running the tool. */
  byLibrary(ran?: ToolRun): Promise<Response>
}

/** Sent, or an answer to send, or handed on to the library. */
type Dispatched = 'sent' | Response | 'handed-on'

/** Answers plain messages. All others are handed on before anything has been done. */
export async function dispatch(exchange: Exchange): Promise<Dispatched> {
  const { event, body, stream } = exchange
  const message = readPlainMessage(body, event.node.req.headers)
  if (!message) return 'handed-on'
  if (message.id === undefined) return accept(event)
  if (message.method === 'ping') return sendResult(stream, message, '{}')
  return message.method === 'tools/call' ? callTool(exchange, message) : answerList(exchange, message)
}

function accept(event: H3Event): 'sent' {
  setResponseStatus(event, 202)
  setResponseHeader(event, 'cache-control', 'no-store')
  event.node.res.end()
  return 'sent'
}

/** Converts a text to one with one character for each of its bytes. Node writes such a text together with the headers. */
const toBytes = (text: string): string => Buffer.from(text).toString('latin1')

function sendResult(stream: AnswerStream, { id }: PlainMessage, result: string): 'sent' {
  stream.end(`{"jsonrpc":"2.0","id":${toBytes(JSON.stringify(id))},"result":${result}}`, 'latin1')
  return 'sent'
}

/** Answers a list, which depends only on the declarations and the key of `keyOf`. The library creates it on first use. */
async function answerList(exchange: Exchange, message: PlainMessage): Promise<Dispatched> {
  const { call, stream } = exchange
  const key = keyOf(call, message)
  if (key === null) return 'handed-on'
  const lists = cacheOf<string>(call.app, 'mcp-lists')
  const known = lists.get(key)
  if (known) return sendResult(stream, message, known)
  const answer = answerSchema.safeParse(await (await exchange.byLibrary()).json())
  if (!answer.success) return 'handed-on'
  const result = toBytes(JSON.stringify(answer.data.result))
  lists.set(key, result)
  return sendResult(stream, message, result)
}

const answerSchema = z.object({ result: z.looseObject({}) })

/** Everything that an answer depends on besides the declarations; null when it depends on authors' code. */
function keyOf(call: McpMessage, { method, envelope, protocolVersion = '' }: PlainMessage): string | null {
  const begin = `${envelope ? 'current' : 'earlier'} ${method} ${protocolVersion}`
  if (method === 'initialize' || method === 'server/discover') return begin
  if (method === 'resources/list' && asksAuthors(call.app, call.surface)) return null
  const { scopes } = call.access
  const opened = `${begin} ${scopes.has('mcp:read')} ${scopes.has('mcp:apps')}`
  return method === 'tools/list' ? `${opened} ${shownTools(call)}` : opened
}

const asksAuthors = (app: App, surface: Surface): boolean =>
  app.memo('mcp-lists-by-authors', () => ({ some: surface.resources.some(({ declaration }) => declaration.list) })).some

// One digit for each tool, so the key covers all reasons for which a list may differ.
function shownTools(call: McpMessage): string {
  let shown = ''
  for (const tool of call.surface.tools.values()) shown += isShown(call, tool) ? '1' : '0'
  return shown
}

/** Runs the action behind a tool and serializes its answer once. */
async function callTool(exchange: Exchange, message: PlainMessage): Promise<Dispatched> {
  const { call, stream, byLibrary } = exchange
  const tool = call.surface.tools.get(message.name)
  if (!tool || mustBeChecked(call, tool, message)) return 'handed-on'
  stream.keepAlive(call.app.config.mcp.keepAliveInMs)
  const ran = await runPlainly(exchange, message, tool)
  if (typeof ran !== 'string') return byLibrary(ran)
  stream.end(ran)
  return 'sent'
}

/** The complete answer, or the outcome of the tool when the library must format it. */
async function runPlainly(
  { event, call, stream }: Exchange,
  message: PlainMessage,
  tool: Tool,
): Promise<string | ToolRun> {
  try {
    checkCall(call, tool, message.arguments)
    const host = hostOf(call.app, message, stream)
    const result = await runTool(call, tool, message.arguments, { host, signal: requestSignal(event) })
    return findMcpContent(result) ? { result } : toAnswer(call.app, message, toolResult(tool, message, result))
  } catch (thrown) {
    if (thrown instanceof HostQuestions) return { asked: thrown }
    const { _meta: meta, ...shown } = toErrorResult(call, tool, message.arguments, thrown)
    return toAnswer(call.app, message, JSON.stringify(shown).slice(1, -1), meta)
  }
}

/** Whether the library must compare headers, the person must approve the call first, or the host may get a task. */
const mustBeChecked = ({ access }: McpMessage, { action, hasHeaders }: Tool, { envelope }: PlainMessage): boolean =>
  approverOf(action, access) !== null ||
  (envelope !== undefined &&
    (hasHeaders ||
      (action.task && followsTasks(envelope.capabilities)) ||
      (action.destructive && showsForms(envelope.capabilities))))

/** The members of a result, without its braces: the action's result as data and as text. */
function toolResult(tool: Tool, { envelope }: PlainMessage, result: unknown): string {
  const json = JSON.stringify(result)
  if (json === undefined) throw new AppError('internal', { cause: `${tool.name}: the result is nothing that JSON has` })
  const isObject = json.startsWith('{')
  const data = envelope || (isObject && !tool.isWrapped) ? json : `{"result":${json}}`
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${data}`
}

/** A complete answer around the members of a result. Since 2026-07-28 it also contains the result type and the server's name. */
function toAnswer(app: App, { id, envelope }: PlainMessage, members: string, meta?: Record<string, unknown>): string {
  const metaMembers = meta ? JSON.stringify(meta).slice(1, -1) : ''
  const server = envelope ? serverIdentity(app) : ''
  const both = metaMembers && server ? `${metaMembers},${server}` : metaMembers + server
  const complete = envelope ? ',"resultType":"complete"' : ''
  const said = both ? `,"_meta":{${both}}` : ''
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}${complete}${said}}}`
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

const serverIdentity = (app: App): string =>
  app.memo('mcp-server-identity', () => ({ json: `"${SERVER_INFO}":${JSON.stringify(serverInfo(app.config))}` })).json

/** The host of a plain message for authors; it has answered no questions yet. */
function hostOf({ config }: App, { envelope, progressToken }: PlainMessage, stream: AnswerStream): ActionHost {
  return {
    canAsk: envelope !== undefined && showsForms(envelope.capabilities),
    answers: {},
    state: undefined,
    answer: (_name, form) => form.safeParse(undefined).data,
    async progress(progress, total, message) {
      if (progressToken === undefined) return
      stream.tell({ method: 'notifications/progress', params: { progressToken, progress, total, message } })
    },
    async log(level, data) {
      if (!wantsLines(envelope, level)) return
      stream.tell({ method: 'notifications/message', params: { level, data, logger: config.name } })
    },
    ask(questions, state) {
      if (!envelope) throw new AppError('host-cannot-ask')
      throw new HostQuestions(questions, state)
    },
  }
}

// Hosts of the earlier revisions get every line, because a requested level would have to be stored in a session.
function wantsLines(envelope: PlainMessage['envelope'], level: (typeof LOG_LEVELS)[number]): boolean {
  if (!envelope) return true
  return envelope.logLevel !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(envelope.logLevel)
}
