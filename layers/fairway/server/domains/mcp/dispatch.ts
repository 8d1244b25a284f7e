// What nearly all messages of hosts ask for, answered without a server of the protocol's library being made for each of them.
// Lists are the library's own answers, kept as bytes for as long as the process runs. What is rare is handed on: messages that
// are not plain, questions to the person, blocks that the library checks, and every other method.
import { type H3Event, setResponseHeader, setResponseStatus } from 'h3'
import { z } from 'zod'
import { type ActionHost, findMcpContent, HostQuestions } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestSignal } from '#fairway/server/kernel/http/request-info'
import { remembered } from '#fairway/server/kernel/remember'
import type { AnswerStream } from './answer-stream'
import { checkCall, runTool, toErrorResult } from './call-tool'
import { showsForms } from './host'
import type { McpMessage, ToolRun } from './mcp-call'
import { isShown, serverInfo } from './mcp-server'
import { LOG_LEVELS, type PlainMessage, readPlainMessage } from './plain-message'
import type { Surface, Tool } from './surface'

/** A message as it came, and the way to the protocol's library. */
interface Exchange {
  event: H3Event
  call: McpMessage
  body: object
  stream: AnswerStream
  /** Answers this message by the library; with `ran` it is told what came of the tool instead of running it. */
  byLibrary(ran?: ToolRun): Promise<Response>
}

/** Sent, or left to be sent, or not for the dispatcher. */
type Dispatched = 'sent' | Response | 'handed-on'

/** Answers a message that is plain; every other one is handed on, and nothing has happened yet. */
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

/** A text with one character for each byte of another one: Node writes it together with the headers. */
const toBytes = (text: string): string => Buffer.from(text).toString('latin1')

function sendResult(stream: AnswerStream, { id }: PlainMessage, result: string): 'sent' {
  stream.end(`{"jsonrpc":"2.0","id":${toBytes(JSON.stringify(id))},"result":${result}}`, 'latin1')
  return 'sent'
}

/** What depends on nothing but the declarations and on what `keyOf` says: made by the library with its first use. */
async function answerList(exchange: Exchange, message: PlainMessage): Promise<Dispatched> {
  const { call, stream } = exchange
  const key = keyOf(call, message)
  if (key === null) return 'handed-on'
  const lists = remembered<string>(call.app, 'mcp-lists')
  const known = lists.get(key)
  if (known) return sendResult(stream, message, known)
  const made = answerSchema.safeParse(await (await exchange.byLibrary()).json())
  if (!made.success) return 'handed-on'
  const result = toBytes(JSON.stringify(made.data.result))
  lists.set(key, result)
  return sendResult(stream, message, result)
}

const answerSchema = z.object({ result: z.looseObject({}) })

/** Everything that an answer depends on besides the declarations; null where authors' code has a say. */
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

// The very tools that a list names, one digit each: who asks for it cannot be forgotten in a key.
function shownTools(call: McpMessage): string {
  let shown = ''
  for (const tool of call.surface.tools.values()) shown += isShown(call, tool) ? '1' : '0'
  return shown
}

/** Runs the action behind a tool and writes its answer once. */
async function callTool(exchange: Exchange, message: PlainMessage): Promise<Dispatched> {
  const { call, stream, byLibrary } = exchange
  const tool = call.surface.tools.get(message.name)
  if (!tool || mustBeChecked(tool, message)) return 'handed-on'
  stream.keepAlive(call.app.config.mcp.keepAliveInMs)
  const ran = await runPlainly(exchange, message, tool)
  if (typeof ran !== 'string') return byLibrary(ran)
  stream.end(ran)
  return 'sent'
}

/** The whole answer, or what came of the tool where that is for the library to put into words. */
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

/** Whether the library has something to compare, or the person has to be asked first. */
const mustBeChecked = (tool: Tool, { envelope }: PlainMessage): boolean =>
  envelope !== undefined && (tool.hasHeaders || (tool.action.destructive && showsForms(envelope.capabilities)))

/** The members of a result, without its braces: what the action gave as data, and the same as a text. */
function toolResult(tool: Tool, { envelope }: PlainMessage, result: unknown): string {
  const json = JSON.stringify(result)
  if (json === undefined) throw new AppError('internal', { cause: `${tool.name}: the result is nothing that JSON has` })
  const isObject = json.startsWith('{')
  const data = envelope || (isObject && !tool.isWrapped) ? json : `{"result":${json}}`
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${data}`
}

/** A whole answer around the members of a result; since 2026-07-28 it says that it is complete, and who answers. */
function toAnswer(app: App, { id, envelope }: PlainMessage, members: string, meta?: Record<string, unknown>): string {
  const own = meta ? JSON.stringify(meta).slice(1, -1) : ''
  const server = envelope ? serverIdentity(app) : ''
  const both = own && server ? `${own},${server}` : own + server
  const complete = envelope ? ',"resultType":"complete"' : ''
  const said = both ? `,"_meta":{${both}}` : ''
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${members}${complete}${said}}}`
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

const serverIdentity = (app: App): string =>
  app.memo('mcp-server-identity', () => ({ json: `"${SERVER_INFO}":${JSON.stringify(serverInfo(app.config))}` })).json

/** The host of a plain message, as authors use it: it has answered nothing yet. */
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

// Hosts of the earlier revisions get every line: what they asked for would be kept in a session.
function wantsLines(envelope: PlainMessage['envelope'], level: (typeof LOG_LEVELS)[number]): boolean {
  if (!envelope) return true
  return envelope.logLevel !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(envelope.logLevel)
}
